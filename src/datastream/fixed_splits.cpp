#include "yeoul/datastream/fixed_splits.h"

#include <algorithm>
#include <map>
#include <set>

#include "yeoul/common/bytes.h"

namespace yeoul {
namespace {

constexpr uint8_t kVersion = 1;

class FixedSplitEnumerator final : public SplitEnumerator {
 public:
  FixedSplitEnumerator(SplitEnumeratorContext& context, std::vector<SourceSplit> splits,
                       const std::optional<std::string>& restored)
      : context_(context) {
    if (restored) splits = read(*restored);
    for (size_t i = 0; i < splits.size(); ++i) pending_[owner(i)].push_back(std::move(splits[i]));
  }

  void start() override {}
  void add_reader(int subtask) override {
    if (const auto it = pending_.find(subtask); it != pending_.end()) {
      context_.assign_splits(subtask, std::move(it->second));
      pending_.erase(it);
    }
    context_.signal_no_more_splits(subtask);
  }
  void add_splits_back(std::vector<SourceSplit> splits, int subtask) override {
    std::vector<SourceSplit>& pending = pending_[subtask];
    pending.insert(pending.end(), std::make_move_iterator(splits.begin()), std::make_move_iterator(splits.end()));
  }
  std::string snapshot(int64_t checkpoint_id) override {
    (void)checkpoint_id;
    ByteWriter out;
    out.u8(kVersion);
    uint64_t count = 0;
    for (const auto& [subtask, splits] : pending_) count += splits.size();
    out.varint(count);
    for (const auto& [subtask, splits] : pending_) {
      for (const SourceSplit& split : splits) {
        out.string(split.id);
        out.string(split.bytes);
      }
    }
    return out.take();
  }

 private:
  int owner(size_t split) const { return static_cast<int>(split) % context_.parallelism(); }

  static std::vector<SourceSplit> read(const std::string& bytes) {
    ByteReader in(bytes);
    if (in.u8() != kVersion) throw internal_error(6001, "the enumerator's state has an unknown version");
    std::vector<SourceSplit> splits;
    for (uint64_t count = in.varint(); count > 0; --count) {
      std::string id(in.string());
      splits.push_back({std::move(id), std::string(in.string())});
    }
    return splits;
  }

  SplitEnumeratorContext& context_;
  std::map<int, std::vector<SourceSplit>> pending_;  ///< by subtask
};

}  // namespace

SourceSplit RangeSplit::to_split(const std::string& id) const {
  ByteWriter out;
  out.u8(kVersion);
  out.svarint(position);
  // Written is the number behind the last: that of the greatest is the smallest.
  out.svarint(static_cast<int64_t>(static_cast<uint64_t>(last) + 1));
  return {id, out.take()};
}

RangeSplit RangeSplit::from_split(const SourceSplit& split) {
  ByteReader in(split.bytes);
  if (in.u8() != kVersion) throw internal_error(6001, "split '{}' has an unknown version", split.id);
  RangeSplit range;
  range.position = in.svarint();
  range.last = static_cast<int64_t>(static_cast<uint64_t>(in.svarint()) - 1);
  return range;
}

std::vector<SourceSplit> range_splits(int64_t first, int64_t last, int count) {
  std::vector<SourceSplit> splits;
  const int128 total = int128{last} - first + 1;
  int128 position = first;
  for (int i = 0; i < count; ++i) {
    const int128 size = total / count + (i < total % count ? 1 : 0);
    if (size <= 0) continue;
    const RangeSplit range{static_cast<int64_t>(position), static_cast<int64_t>(position + size - 1)};
    splits.push_back(range.to_split(fmt::format("range-{}", i)));
    position += size;
  }
  return splits;
}

std::unique_ptr<SplitEnumerator> fixed_split_enumerator(SplitEnumeratorContext& context,
                                                        std::vector<SourceSplit> splits,
                                                        const std::optional<std::string>& restored) {
  return std::make_unique<FixedSplitEnumerator>(context, std::move(splits), restored);
}

PollResult RangeReader::poll(SourceOutput& output) {
  const auto it = std::find_if(states_.begin(), states_.end(), [](const State& state) { return !state.paused; });
  if (it == states_.end()) return states_.empty() && no_more_splits_ ? PollResult::kEnd : PollResult::kNothing;
  State& state = *it;
  const int64_t first = state.range.position;
  // How many follow the first, since the number of all may be too great for any integer.
  const uint64_t following = static_cast<uint64_t>(state.range.last) - static_cast<uint64_t>(first);
  const uint64_t count = std::min(following, static_cast<uint64_t>(context_.batch_records_max()) - 1) + 1;
  const bool ends = following < count;
  const SourceRun run{state.id, 0, static_cast<uint32_t>(count)};
  context_.metrics->records_in.add(static_cast<int64_t>(count));
  if (!ends) state.range.position = first + static_cast<int64_t>(count);
  output.emit(make_batch(first, count), {&run, 1});
  if (ends) {
    output.finish_split(state.id);
    states_.erase(it);
  }
  return PollResult::kMore;
}

void RangeReader::add_splits(std::vector<SourceSplit> splits) {
  for (const SourceSplit& split : splits) states_.push_back({split.id, RangeSplit::from_split(split)});
}

std::vector<SourceSplit> RangeReader::snapshot(int64_t checkpoint_id) {
  (void)checkpoint_id;
  std::vector<SourceSplit> splits;
  for (const State& state : states_) splits.push_back(state.range.to_split(state.id));
  return splits;
}

void RangeReader::pause_or_resume_splits(std::span<const std::string> pause, std::span<const std::string> resume) {
  for (State& state : states_) {
    if (std::find(pause.begin(), pause.end(), state.id) != pause.end()) state.paused = true;
    if (std::find(resume.begin(), resume.end(), state.id) != resume.end()) state.paused = false;
  }
}

}  // namespace yeoul
