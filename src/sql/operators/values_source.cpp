#include "yeoul/sql/operators/values_source.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/bytes.h"

namespace yeoul {

namespace {

constexpr uint8_t kVersion = 1;

SourceSplit split_at(uint64_t position) {
  ByteWriter bytes;
  bytes.u8(kVersion);
  bytes.varint(position);
  return {"values", bytes.take()};
}

uint64_t position_of(const SourceSplit& split) {
  ByteReader bytes(split.bytes);
  if (bytes.u8() != kVersion) throw internal_error(6001, "the split of VALUES has an unknown version");
  return bytes.varint();
}

/// Hands the one split to subtask 0.
class ValuesEnumerator final : public SplitEnumerator {
 public:
  ValuesEnumerator(SplitEnumeratorContext& context, bool assigned) : context_(context) {
    if (!assigned) unassigned_.push_back(split_at(0));
  }
  void start() override {}
  void add_reader(int subtask) override {
    if (subtask == 0 && !unassigned_.empty()) context_.assign_splits(0, std::exchange(unassigned_, {}));
    context_.signal_no_more_splits(subtask);
  }
  void add_splits_back(std::vector<SourceSplit> splits, int) override {
    unassigned_.insert(unassigned_.end(), splits.begin(), splits.end());
  }
  std::string snapshot(int64_t) override {
    ByteWriter bytes;
    bytes.u8(kVersion);
    bytes.u8(unassigned_.empty());
    return bytes.take();
  }

 private:
  SplitEnumeratorContext& context_;
  std::vector<SourceSplit> unassigned_;
};

class ValuesReader final : public SourceReader {
 public:
  ValuesReader(RowBatchPtr rows, SourceReaderContext context) : rows_(std::move(rows)), context_(std::move(context)) {}

  PollResult poll(SourceOutput& output) override {
    if (paused_) return PollResult::kNothing;
    if (split_.empty()) return no_more_splits_ ? PollResult::kEnd : PollResult::kNothing;
    const std::string id = split_[0].id;
    if (position_ == rows_->num_rows) {
      split_.clear();
      output.finish_split(id);
      return PollResult::kMore;
    }
    const auto most = static_cast<size_t>(context_.batch_records_max());
    const size_t count = std::min(most, rows_->num_rows - position_);
    const SourceRun run{id, 0, static_cast<uint32_t>(count)};
    auto batch = slice(*rows_, position_, count);
    position_ += count;
    if (context_.metrics) context_.metrics->records_in.add(static_cast<int64_t>(count));
    output.emit(std::move(batch), {&run, 1});
    return PollResult::kMore;
  }

  void add_splits(std::vector<SourceSplit> splits) override {
    for (SourceSplit& split : splits) {
      position_ = std::min<uint64_t>(position_of(split), rows_->num_rows);
      split_.assign(1, std::move(split));
    }
    if (context_.wake_up) context_.wake_up();
  }
  void notify_no_more_splits() override {
    no_more_splits_ = true;
    if (context_.wake_up) context_.wake_up();
  }
  std::vector<SourceSplit> snapshot(int64_t) override {
    if (split_.empty()) return {};
    return {split_at(position_)};
  }
  void pause_or_resume_splits(std::span<const std::string> pause, std::span<const std::string> resume) override {
    if (!pause.empty()) paused_ = true;
    if (resume.empty()) return;
    paused_ = false;
    if (context_.wake_up) context_.wake_up();
  }

 private:
  RowBatchPtr rows_;
  SourceReaderContext context_;
  std::vector<SourceSplit> split_;
  size_t position_ = 0;
  bool no_more_splits_ = false;
  bool paused_ = false;
};

class ValuesSource final : public Source {
 public:
  explicit ValuesSource(RowBatchPtr rows) : rows_(std::move(rows)) {}
  bool bounded() const override { return true; }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override {
    bool assigned = false;
    if (restored) {
      ByteReader bytes(*restored);
      if (bytes.u8() != kVersion) throw internal_error(6001, "the state of VALUES has an unknown version");
      assigned = bytes.u8() != 0;
    }
    return std::make_unique<ValuesEnumerator>(context, assigned);
  }
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override {
    return std::make_unique<ValuesReader>(rows_, std::move(context));
  }

 private:
  RowBatchPtr rows_;
};

}  // namespace

std::shared_ptr<const Source> make_values_source(Schema schema, std::vector<ValueList> rows) {
  auto batch = std::make_shared<RowBatch>();
  batch->num_rows = rows.size();
  for (size_t column = 0; column < schema.fields().size(); ++column) {
    ColumnBuilder builder(schema.fields()[column].type);
    for (const ValueList& row : rows) builder.append_value(row[column]);
    batch->columns.push_back(builder.finish());
  }
  return std::make_shared<ValuesSource>(std::move(batch));
}

}  // namespace yeoul
