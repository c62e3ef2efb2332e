#include "yeoul/connectors/datagen/datagen_source.h"

#include <algorithm>

#include "yeoul/common/bytes.h"

namespace yeoul {
namespace {

constexpr uint8_t kVersion = 1;
constexpr int64_t kSecondNs = 1'000'000'000;
/// A reader that waits for its rate sleeps at least that long, so that a high rate does not come in batches of a row.
constexpr int64_t kMinimumWaitNs = 10'000'000;

struct DatagenSplit {
  uint64_t number = 0;
  uint64_t of = 1;
  uint64_t made = 0;

  SourceSplit to_split() const {
    ByteWriter writer;
    writer.u8(kVersion);
    writer.varint(number);
    writer.varint(of);
    writer.varint(made);
    return {fmt::format("datagen-{}", number), writer.take()};
  }
  static DatagenSplit read(const SourceSplit& split) {
    ByteReader reader(split.bytes);
    if (const uint8_t version = reader.u8(); version != kVersion) {
      throw internal_error(6002, "split '{}' has version {}, which this program does not know", split.id, version);
    }
    DatagenSplit read;
    read.number = reader.varint();
    read.of = reader.varint();
    read.made = reader.varint();
    return read;
  }
};

class DatagenEnumerator final : public SplitEnumerator {
 public:
  DatagenEnumerator(SplitEnumeratorContext& context, const std::optional<std::string>& restored) : context_(context) {
    if (!restored) {
      const auto of = static_cast<uint64_t>(context.parallelism());
      for (uint64_t i = 0; i < of; ++i) unassigned_.push_back(DatagenSplit{.number = i, .of = of}.to_split());
      return;
    }
    ByteReader reader(*restored);
    if (reader.u8() != kVersion) throw internal_error(6002, "the state of a datagen source has an unknown version");
    for (uint64_t left = reader.varint(); left > 0; --left) {
      SourceSplit split;
      split.id = reader.string();
      split.bytes = reader.string();
      unassigned_.push_back(std::move(split));
    }
  }

  void start() override {}

  void add_reader(int subtask) override {
    std::vector<SourceSplit> own;
    std::erase_if(unassigned_, [&](SourceSplit& split) {
      if (static_cast<int>(DatagenSplit::read(split).number % static_cast<uint64_t>(context_.parallelism())) !=
          subtask) {
        return false;
      }
      own.push_back(std::move(split));
      return true;
    });
    if (!own.empty()) context_.assign_splits(subtask, std::move(own));
    context_.signal_no_more_splits(subtask);
  }

  /// They go back to the same subtask when its reader registers again.
  void add_splits_back(std::vector<SourceSplit> splits, int) override {
    for (SourceSplit& split : splits) unassigned_.push_back(std::move(split));
  }

  std::string snapshot(int64_t) override {
    ByteWriter writer;
    writer.u8(kVersion);
    writer.varint(unassigned_.size());
    for (const SourceSplit& split : unassigned_) {
      writer.string(split.id);
      writer.string(split.bytes);
    }
    return writer.take();
  }

 private:
  SplitEnumeratorContext& context_;
  std::vector<SourceSplit> unassigned_;
};

class DatagenReader final : public SourceReader {
 public:
  DatagenReader(std::shared_ptr<const DatagenPlan> plan, SourceReaderContext context)
      : plan_(std::move(plan)), context_(std::move(context)) {}

  void add_splits(std::vector<SourceSplit> splits) override {
    for (const SourceSplit& split : splits) active_.push_back({.split = DatagenSplit::read(split), .id = split.id});
    context_.wake_up();
  }
  void notify_no_more_splits() override {
    no_more_ = true;
    context_.wake_up();
  }

  PollResult poll(SourceOutput& output) override {
    const int64_t now = context_.clock->steady_ns();
    int64_t earliest = -1;
    for (size_t tried = active_.size(); tried > 0; --tried) {
      next_ %= active_.size();
      Active& active = active_[next_];
      const int64_t left = rows_left(active.split);
      if (left == 0) {
        output.finish_split(active.id);
        active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(next_));
        continue;
      }
      ++next_;
      if (active.paused) continue;
      const int64_t due = rows_due(active, now);
      if (due > 0) {
        set_caught_up(active, false, output);
        emit(active, static_cast<size_t>(std::min({left, due, context_.batch_records_max()})), output);
        return PollResult::kMore;
      }
      set_caught_up(active, true, output);
      const int64_t at = next_due_ns(active, now);
      if (earliest < 0 || at < earliest) earliest = at;
    }
    if (active_.empty()) return no_more_ ? PollResult::kEnd : PollResult::kNothing;
    if (earliest >= 0) context_.wake_up_at(earliest);
    return PollResult::kNothing;
  }

  std::vector<SourceSplit> snapshot(int64_t) override {
    std::vector<SourceSplit> splits;
    for (const Active& active : active_) splits.push_back(active.split.to_split());
    return splits;
  }

  void pause_or_resume_splits(std::span<const std::string> pause, std::span<const std::string> resume) override {
    for (Active& active : active_) {
      if (std::find(pause.begin(), pause.end(), active.id) != pause.end()) active.paused = true;
      if (std::find(resume.begin(), resume.end(), active.id) != resume.end()) active.paused = false;
    }
    context_.wake_up();
  }

 private:
  struct Active {
    DatagenSplit split;
    std::string id;
    bool paused = false;
    bool caught_up = false;
    int64_t start_ns = -1;  ///< when counting for the rate began
    int64_t made = 0;       ///< rows since then
  };

  int64_t rows_left(const DatagenSplit& split) const {
    if (!plan_->rows) return std::numeric_limits<int64_t>::max();
    const auto all = static_cast<uint64_t>(*plan_->rows);
    const uint64_t own = all > split.number ? (all - split.number + split.of - 1) / split.of : 0;
    return static_cast<int64_t>(own - std::min(own, split.made));
  }

  int64_t rate_of(const Active& active) const {
    return std::max<int64_t>(1, plan_->rows_per_second / static_cast<int64_t>(active.split.of));
  }

  /// Rows that the rate allows by now; after a long wait downstream not more than a second's.
  int64_t rows_due(Active& active, int64_t now) const {
    if (active.start_ns < 0) active.start_ns = now;
    const int64_t rate = rate_of(active);
    const auto allowed = static_cast<int64_t>(int128{now - active.start_ns} * rate / kSecondNs) + 1;
    active.made = std::max(active.made, allowed - rate);
    return allowed - active.made;
  }

  int64_t next_due_ns(const Active& active, int64_t now) const {
    const auto at = active.start_ns +
                    static_cast<int64_t>((int128{active.made} * kSecondNs + rate_of(active) - 1) / rate_of(active));
    return std::max(at, now + kMinimumWaitNs);
  }

  void set_caught_up(Active& active, bool caught_up, SourceOutput& output) {
    if (active.caught_up == caught_up) return;
    active.caught_up = caught_up;
    output.set_caught_up(active.id, caught_up);
  }

  void emit(Active& active, size_t count, SourceOutput& output) {
    auto batch = std::make_shared<RowBatch>();
    batch->num_rows = count;
    const uint64_t first = active.split.number + active.split.made * active.split.of;
    const int64_t now_ms = context_.clock->wall_ms();
    for (const FieldGenerator& field : plan_->fields) {
      batch->columns.push_back(field.generate(first, active.split.of, count, now_ms, plan_->zone));
    }
    active.split.made += count;
    active.made += static_cast<int64_t>(count);
    if (context_.metrics != nullptr) context_.metrics->records_in.add(static_cast<int64_t>(count));
    const SourceRun run{.split_id = active.id, .first_row = 0, .num_rows = static_cast<uint32_t>(count)};
    output.emit(std::move(batch), {&run, 1});
  }

  std::shared_ptr<const DatagenPlan> plan_;
  SourceReaderContext context_;
  std::vector<Active> active_;
  size_t next_ = 0;
  bool no_more_ = false;
};

}  // namespace

std::unique_ptr<SplitEnumerator> DatagenSource::create_enumerator(SplitEnumeratorContext& context,
                                                                  const std::optional<std::string>& restored) const {
  return std::make_unique<DatagenEnumerator>(context, restored);
}

std::unique_ptr<SourceReader> DatagenSource::create_reader(SourceReaderContext context) const {
  return std::make_unique<DatagenReader>(plan_, std::move(context));
}

}  // namespace yeoul
