#include "yeoul/connectors/print/print.h"

#include <cstdio>

#include "yeoul/connectors/print/row_text.h"

namespace yeoul {
namespace {

constexpr OptionSpec kOptions[] = {
    {.key = "connector", .required = true},
    {.key = "print-identifier", .help = "Text in front of each line."},
    {.key = "standard-error",
     .type = OptionType::kBoolean,
     .fallback = "false",
     .help = "Whether lines go to standard error."},
    {.key = "sink.parallelism", .type = OptionType::kInt, .help = "Parallelism of the sink."},
};

class PrintWriter final : public SinkWriter {
 public:
  PrintWriter(const std::string& identifier, bool standard_error, const SinkWriterContext& context)
      : stream_(standard_error ? stderr : stdout), metrics_(context.metrics), prefix_(identifier) {
    if (context.parallelism > 1) prefix_ += fmt::format("{}{}", prefix_.empty() ? "" : ":", context.subtask + 1);
    if (!prefix_.empty()) prefix_ += "> ";
  }

  /// One write a batch, so that the lines of several subtasks do not mix.
  void write(const BatchPtr& batch) override {
    const auto& rows = static_cast<const RowBatch&>(*batch);
    lines_.clear();
    for (size_t row = 0; row < rows.num_rows; ++row) {
      lines_ += prefix_;
      append_row_text(rows, row, lines_);
      lines_ += '\n';
    }
    if (std::fwrite(lines_.data(), 1, lines_.size(), stream_) != lines_.size() || std::fflush(stream_) != 0) {
      throw external_error(4501, "connector 'print' cannot write to {}: it was closed",
                           stream_ == stdout ? "standard output" : "standard error");
    }
    if (metrics_ == nullptr) return;
    metrics_->records_out.add(static_cast<int64_t>(rows.num_rows));
    metrics_->bytes_out.add(static_cast<int64_t>(lines_.size()));
  }
  bool has_room() const override { return true; }
  void begin_prepare(int64_t, bool, Prepared done) override { done({}); }

 private:
  std::FILE* stream_;
  SinkMetrics* metrics_;
  std::string prefix_;
  std::string lines_;
};

class PrintSink final : public Sink {
 public:
  PrintSink(std::string identifier, bool standard_error)
      : identifier_(std::move(identifier)), standard_error_(standard_error) {}
  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const override {
    return std::make_unique<PrintWriter>(identifier_, standard_error_, context);
  }

 private:
  std::string identifier_;
  bool standard_error_;
};

class PrintTable final : public TableSink {
 public:
  explicit PrintTable(const Options& options)
      : identifier_(options.text("print-identifier")), standard_error_(options.boolean("standard-error")) {
    if (options.has("sink.parallelism")) parallelism_ = static_cast<int>(options.integer("sink.parallelism"));
  }
  ChangelogMode accepted_mode(ChangelogMode query) const override { return query; }
  std::optional<int> parallelism() const override { return parallelism_; }
  std::shared_ptr<const Sink> create_sink(const std::vector<std::string>&) const override {
    return std::make_shared<PrintSink>(identifier_, standard_error_);
  }

 private:
  std::string identifier_;
  bool standard_error_;
  std::optional<int> parallelism_;
};

class PrintFactory final : public TableFactory {
 public:
  std::string_view identifier() const override { return "print"; }
  std::unique_ptr<TableSource> create_table_source(const TableContext&) const override { return nullptr; }
  std::unique_ptr<TableSink> create_table_sink(const TableContext& context) const override {
    return std::make_unique<PrintTable>(
        Options(fmt::format("table '{}' (connector 'print')", context.name), kOptions, context.options));
  }
};

}  // namespace

std::unique_ptr<TableFactory> make_print_connector() {
  return std::make_unique<PrintFactory>();
}

}  // namespace yeoul
