#include <algorithm>
#include <deque>

#include "yeoul/connectors/filesystem/file_paths.h"
#include "yeoul/connectors/filesystem/file_source.h"
#include "yeoul/connectors/filesystem/file_split.h"
#include "yeoul/connectors/filesystem/line_file.h"
#include "yeoul/types/kernels.h"
#include "yeoul/types/text.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {
namespace {

constexpr size_t kBatchBytes = 256 * 1024;

/// A partition's text as a value of its column. False when it does not fit.
bool parse_partition(const LogicalType& type, const std::string& text, Value& value) {
  if (type.is_string()) {
    value = Value(text);
  } else if (type.is_integer()) {
    const auto number = parse_decimal(text, 19, 0);
    if (!number) return false;
    value = Value(static_cast<int64_t>(*number));
  } else if (type.is(TypeRoot::kBoolean)) {
    if (text != "true" && text != "false") return false;
    value = Value(text == "true");
  } else if (type.is(TypeRoot::kDecimal)) {
    const auto number = parse_decimal(text, type.precision(), type.scale());
    if (!number) return false;
    value = Value(*number);
  } else if (type.is(TypeRoot::kDate)) {
    int year = 0;
    int month = 0;
    int day = 0;
    if (std::sscanf(text.c_str(), "%d-%d-%d", &year, &month, &day) != 3 || month < 1 || month > 12 || day < 1 ||
        day > days_in_month(year, month)) {
      return false;
    }
    value = Value(days_from_civil(year, month, day));
  } else {
    return false;
  }
  return true;
}

class FileReader final : public SourceReader {
 public:
  FileReader(std::shared_ptr<const FileSourcePlan> plan, SourceReaderContext context)
      : plan_(std::move(plan)), context_(std::move(context)), decoder_(plan_->format->create_decoder(plan_->decoded)) {}

  void start() override { request(); }

  void add_splits(std::vector<SourceSplit> splits) override {
    requested_ = false;
    for (const SourceSplit& split : splits) {
      queue_.push_back(FileSplit::read(split));
      rows_ += queue_.back().rows;
    }
    context_.wake_up();
  }

  void notify_no_more_splits() override {
    no_more_ = true;
    context_.wake_up();
  }

  PollResult poll(SourceOutput& output) override {
    if (!file_ && limit_reached()) {
      for (const FileSplit& split : queue_) output.finish_split(split.path);
      queue_.clear();
      return PollResult::kEnd;
    }
    if (!file_ && !open_next()) {
      if (no_more_) return PollResult::kEnd;
      request();
      return PollResult::kNothing;
    }
    if (paused_) return PollResult::kNothing;
    if (limit_reached()) {
      finish(output);
      return PollResult::kMore;
    }
    const LineFile::State state = collect_lines();
    if (!messages_.empty()) {
      decode_and_emit(output);
      return PollResult::kMore;
    }
    if (state == LineFile::State::kEnd) {
      finish(output);
      return PollResult::kMore;
    }
    return refill() ? PollResult::kMore : PollResult::kNothing;
  }

  std::vector<SourceSplit> snapshot(int64_t) override {
    std::vector<SourceSplit> splits;
    if (file_) splits.push_back(split_.to_split());
    for (const FileSplit& split : queue_) splits.push_back(split.to_split());
    return splits;
  }

  void pause_or_resume_splits(std::span<const std::string> pause, std::span<const std::string> resume) override {
    if (!file_) return;
    if (std::find(pause.begin(), pause.end(), split_.path) != pause.end()) paused_ = true;
    if (std::find(resume.begin(), resume.end(), split_.path) != resume.end()) paused_ = false;
    context_.wake_up();
  }

 private:
  bool limit_reached() const { return plan_->limit && rows_ >= *plan_->limit; }

  void request() {
    if (requested_ || no_more_ || limit_reached()) return;
    requested_ = true;
    context_.request_split();
  }

  bool open_next() {
    if (queue_.empty()) return false;
    split_ = std::move(queue_.front());
    queue_.pop_front();
    paused_ = false;
    file_ = std::make_unique<LineFile>(split_.path, split_.offset, context_.io_pool, context_.wake_up);
    return true;
  }

  void finish(SourceOutput& output) {
    file_.reset();
    output.finish_split(split_.path);
    if (queue_.empty()) request();
  }

  bool refill() {
    try {
      return file_->refill();
    } catch (Error& error) {
      error.add_context(fmt::format("table '{}'", plan_->table));
      throw;
    }
  }

  /// Gathers the lines of the next batch that are in memory.
  LineFile::State collect_lines() {
    messages_.clear();
    size_t most = static_cast<size_t>(std::max<int64_t>(1, context_.batch_records_max()));
    if (plan_->limit) most = std::min(most, static_cast<size_t>(*plan_->limit - rows_));
    size_t bytes = 0;
    std::string_view line;
    while (messages_.size() < most && bytes < kBatchBytes) {
      const LineFile::State state = file_->next(line);
      if (state != LineFile::State::kLine) return state;
      bytes += line.size() + 1;
      messages_.push_back({line.data(), static_cast<uint32_t>(line.size())});
    }
    return LineFile::State::kLine;
  }

  void decode_and_emit(SourceOutput& output) {
    DecodedRows decoded;
    for (const RowField& field : plan_->decoded.fields()) {
      decoded.columns.emplace_back(field.type);
      decoded.columns.back().reserve(messages_.size());
    }
    decoder_->decode(messages_, decoded);
    if (!decoded.errors.empty()) refuse(decoded.errors.front());
    if (context_.metrics != nullptr) {
      context_.metrics->records_in.add(static_cast<int64_t>(messages_.size()));
      context_.metrics->bytes_in.add(file_->offset() - split_.offset);
      context_.metrics->records_skipped.add(static_cast<int64_t>(decoded.num_ignored));
    }
    split_.offset = file_->offset();
    split_.lines += static_cast<int64_t>(messages_.size());
    size_t count = decoded.num_rows();
    if (count == 0) return;
    auto batch = std::make_shared<RowBatch>(output_columns(decoded), count);
    batch->kinds = std::move(decoded.kinds);
    if (plan_->limit && count > static_cast<size_t>(*plan_->limit - rows_)) {
      count = static_cast<size_t>(*plan_->limit - rows_);  // a line may give several rows
      batch = slice(*batch, 0, count);
    }
    rows_ += static_cast<int64_t>(count);
    split_.rows += static_cast<int64_t>(count);
    const SourceRun run{.split_id = split_.path, .first_row = 0, .num_rows = static_cast<uint32_t>(count)};
    output.emit(std::move(batch), {&run, 1});
  }

  [[noreturn]] void refuse(const DecodeError& error) const {
    const Message& message = messages_[error.message];
    constexpr size_t kShown = 200;
    const std::string_view text = message.view().substr(0, kShown);
    throw user_error(3001, "table '{}': file '{}' line {}{}{}: {}: {}{}", plan_->table, split_.path,
                     split_.lines + error.message + 1,
                     error.field.empty() ? "" : fmt::format(": field '{}'", error.field),
                     error.byte < 0 ? "" : fmt::format(" at byte {}", error.byte), error.reason, text,
                     message.size > kShown ? "…" : "");
  }

  std::vector<ColumnPtr> output_columns(DecodedRows& decoded) const {
    std::vector<ColumnPtr> finished;
    for (ColumnBuilder& builder : decoded.columns) finished.push_back(builder.finish());
    std::vector<ColumnPtr> columns;
    for (const FileSourcePlan::OutputColumn& column : plan_->columns) {
      if (column.fact == FileSourcePlan::Fact::kDecoded) {
        columns.push_back(finished[column.decoded]);
      } else {
        columns.push_back(repeat(column.type, fact_value(column), decoded.num_rows()));
      }
    }
    return columns;
  }

  Value fact_value(const FileSourcePlan::OutputColumn& column) const {
    switch (column.fact) {
      case FileSourcePlan::Fact::kPath:
        return Value(split_.path);
      case FileSourcePlan::Fact::kName:
        return Value(split_.path.substr(split_.path.rfind('/') + 1));
      case FileSourcePlan::Fact::kBytes:
        return Value(split_.bytes);
      case FileSourcePlan::Fact::kModified:
        return Value(TimestampValue{split_.modified_ms, 0});
      default:
        break;
    }
    std::string text;
    if (!partition_value(split_.path, plan_->path, column.partition, text) || text == plan_->default_partition) {
      return Value();
    }
    Value value;
    if (!parse_partition(column.type, text, value)) {
      throw user_error(3001, "table '{}': file '{}': partition column '{}' cannot take '{}' (type {})", plan_->table,
                       split_.path, column.partition, text, column.type.to_string());
    }
    return value;
  }

  std::shared_ptr<const FileSourcePlan> plan_;
  SourceReaderContext context_;
  std::unique_ptr<Decoder> decoder_;
  std::deque<FileSplit> queue_;
  FileSplit split_;  ///< of file_
  std::unique_ptr<LineFile> file_;
  std::vector<Message> messages_;
  int64_t rows_ = 0;
  bool requested_ = false;
  bool no_more_ = false;
  bool paused_ = false;
};

}  // namespace

std::unique_ptr<SourceReader> FileSource::create_reader(SourceReaderContext context) const {
  return std::make_unique<FileReader>(plan_, std::move(context));
}

}  // namespace yeoul
