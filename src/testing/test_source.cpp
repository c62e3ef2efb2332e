#include "yeoul/testing/test_source.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "yeoul/common/bytes.h"

namespace yeoul {
namespace {

size_t number_of(const std::string& split_id) {
  return std::stoul(split_id.substr(1));
}

}  // namespace

class TestSource::Enumerator final : public SplitEnumerator {
 public:
  Enumerator(const TestSource& source, SplitEnumeratorContext& context, const std::optional<std::string>& restored)
      : source_(source), context_(context) {
    if (restored) {
      decode(*restored);
      return;
    }
    const std::scoped_lock lock(source_.shared_->mutex);
    num_known_ = source_.shared_->splits.size();
  }

  void start() override {
    if (source_.discovery_period_ms_ <= 0) return;
    context_.call_async([this]() -> std::function<void()> { return [this] { discover(); }; },
                        source_.discovery_period_ms_);
  }
  void add_reader(int subtask) override {
    assign(subtask);
    if (source_.bounded_) context_.signal_no_more_splits(subtask);
  }
  void add_splits_back(std::vector<SourceSplit> splits, int subtask) override {
    context_.assign_splits(subtask, std::move(splits));
  }
  std::string snapshot(int64_t checkpoint_id) override {
    (void)checkpoint_id;
    ByteWriter out;
    out.varint(num_known_);
    out.varint(assigned_.size());
    for (const size_t split : assigned_) out.varint(split);
    return out.take();
  }

 private:
  void decode(const std::string& state) {
    ByteReader in(state);
    num_known_ = in.varint();
    for (uint64_t i = in.varint(); i > 0; --i) assigned_.insert(in.varint());
  }
  void discover() {
    {
      const std::scoped_lock lock(source_.shared_->mutex);
      num_known_ = source_.shared_->splits.size();
    }
    for (const int subtask : context_.registered_readers()) assign(subtask);
  }
  void assign(int subtask) {
    std::vector<SourceSplit> splits;
    for (size_t i = 0; i < num_known_; ++i) {
      if (static_cast<int>(i) % context_.parallelism() != subtask || !assigned_.insert(i).second) continue;
      splits.push_back({.id = fmt::format("s{}", i), .bytes = "0"});
    }
    if (!splits.empty()) context_.assign_splits(subtask, std::move(splits));
  }

  const TestSource& source_;
  SplitEnumeratorContext& context_;
  std::set<size_t> assigned_;
  size_t num_known_ = 0;
};

class TestSource::Reader final : public SourceReader {
 public:
  Reader(const TestSource& source, SourceReaderContext context) : source_(source), context_(std::move(context)) {
    const std::scoped_lock lock(source_.shared_->mutex);
    source_.shared_->wake_ups.push_back(context_.wake_up);
  }

  PollResult poll(SourceOutput& output) override {
    for (size_t i = 0; i < splits_.size(); ++i) {
      Split& split = splits_[turn_++ % splits_.size()];
      if (emit_some(split, output)) return PollResult::kMore;
    }
    finish_splits(output);
    return splits_.empty() && no_more_ ? PollResult::kEnd : PollResult::kNothing;
  }
  void add_splits(std::vector<SourceSplit> splits) override {
    const std::scoped_lock lock(source_.shared_->mutex);
    for (const SourceSplit& split : splits) {
      splits_.push_back({split.id, number_of(split.id), std::stoul(split.bytes)});
      source_.shared_->hand_overs.push_back(fmt::format("{}<-{}", context_.subtask, split.id));
    }
  }
  void notify_no_more_splits() override { no_more_ = true; }
  std::vector<SourceSplit> snapshot(int64_t checkpoint_id) override {
    (void)checkpoint_id;
    std::vector<SourceSplit> splits;
    for (const Split& split : splits_) splits.push_back({split.id, std::to_string(split.position)});
    return splits;
  }
  void pause_or_resume_splits(std::span<const std::string> pause, std::span<const std::string> resume) override {
    for (const std::string& id : pause) paused_.insert(id);
    for (const std::string& id : resume) paused_.erase(id);
  }

 private:
  struct Split {
    std::string id;
    size_t number;
    size_t position;
  };

  bool emit_some(Split& split, SourceOutput& output) {
    if (paused_.contains(split.id)) return false;
    BatchPtr all;
    size_t end;
    {
      const std::scoped_lock lock(source_.shared_->mutex);
      all = source_.shared_->splits[split.number];
      end = std::min(all->num_records(), source_.shared_->limit);
      const auto failure = source_.shared_->failures.find(split.number);
      if (failure != source_.shared_->failures.end()) {
        if (split.position == failure->second) {
          source_.shared_->failures.erase(failure);
          throw external_error(4501, "the test's source failed at record {} of {}", split.position, split.id);
        }
        if (split.position < failure->second) end = std::min(end, failure->second);
      }
    }
    if (split.position >= end) {
      output.set_caught_up(split.id, split.position >= all->num_records());
      return false;
    }
    const size_t count = std::min(end - split.position, static_cast<size_t>(context_.batch_records_max()));
    std::vector<uint32_t> records(count);
    std::iota(records.begin(), records.end(), static_cast<uint32_t>(split.position));
    const SourceRun run{.split_id = split.id, .first_row = 0, .num_rows = static_cast<uint32_t>(count)};
    split.position += count;
    context_.metrics->records_in.add(static_cast<int64_t>(count));
    output.set_caught_up(split.id, split.position >= all->num_records());
    output.emit(source_.splitter_->take(all, records), {&run, 1});
    return true;
  }
  void finish_splits(SourceOutput& output) {
    if (!source_.bounded_) return;
    std::erase_if(splits_, [&](const Split& split) {
      const std::scoped_lock lock(source_.shared_->mutex);
      if (split.position < source_.shared_->splits[split.number]->num_records()) return false;
      output.finish_split(split.id);
      return true;
    });
  }

  const TestSource& source_;
  SourceReaderContext context_;
  std::vector<Split> splits_;
  size_t turn_ = 0;
  std::set<std::string> paused_;
  bool no_more_ = false;
};

TestSource::TestSource(std::vector<BatchPtr> splits, std::shared_ptr<const BatchSplitter> splitter, bool bounded)
    : splitter_(std::move(splitter)), bounded_(bounded) {
  shared_->splits = std::move(splits);
}

void TestSource::set_limit(size_t records) {
  std::vector<std::function<void()>> wake_ups;
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->limit = records;
    wake_ups = shared_->wake_ups;
  }
  for (const auto& wake_up : wake_ups) wake_up();
}

void TestSource::fail_once_at(size_t split, size_t record) {
  const std::scoped_lock lock(shared_->mutex);
  shared_->failures[split] = record;
}

void TestSource::add_split(BatchPtr records) {
  const std::scoped_lock lock(shared_->mutex);
  shared_->splits.push_back(std::move(records));
}

std::vector<std::string> TestSource::hand_overs() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->hand_overs;
}

std::unique_ptr<SplitEnumerator> TestSource::create_enumerator(SplitEnumeratorContext& context,
                                                               const std::optional<std::string>& restored) const {
  return std::make_unique<Enumerator>(*this, context, restored);
}

std::unique_ptr<SourceReader> TestSource::create_reader(SourceReaderContext context) const {
  return std::make_unique<Reader>(*this, std::move(context));
}

}  // namespace yeoul
