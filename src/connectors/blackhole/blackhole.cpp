#include "yeoul/connectors/blackhole/blackhole.h"

namespace yeoul {
namespace {

constexpr OptionSpec kOptions[] = {
    {.key = "connector", .required = true},
    {.key = "sink.parallelism", .type = OptionType::kInt, .help = "Parallelism of the sink."},
};

class BlackholeWriter final : public SinkWriter {
 public:
  explicit BlackholeWriter(SinkMetrics* metrics) : metrics_(metrics) {}
  void write(const BatchPtr& batch) override {
    if (metrics_ != nullptr) metrics_->records_out.add(static_cast<int64_t>(batch->num_records()));
  }
  bool has_room() const override { return true; }
  void begin_prepare(int64_t, bool, Prepared done) override { done({}); }

 private:
  SinkMetrics* metrics_;
};

class BlackholeSink final : public Sink {
 public:
  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const override {
    return std::make_unique<BlackholeWriter>(context.metrics);
  }
};

class BlackholeTable final : public TableSink {
 public:
  explicit BlackholeTable(std::optional<int> parallelism) : parallelism_(parallelism) {}
  /// Everything but the rows before an update, which nobody looks at here.
  ChangelogMode accepted_mode(ChangelogMode query) const override { return query.without(RowKind::kUpdateBefore); }
  std::optional<int> parallelism() const override { return parallelism_; }
  std::shared_ptr<const Sink> create_sink(const std::vector<std::string>&) const override {
    return std::make_shared<BlackholeSink>();
  }

 private:
  std::optional<int> parallelism_;
};

class BlackholeFactory final : public TableFactory {
 public:
  std::string_view identifier() const override { return "blackhole"; }
  std::unique_ptr<TableSource> create_table_source(const TableContext&) const override { return nullptr; }
  std::unique_ptr<TableSink> create_table_sink(const TableContext& context) const override {
    const Options options(fmt::format("table '{}' (connector 'blackhole')", context.name), kOptions, context.options);
    std::optional<int> parallelism;
    if (options.has("sink.parallelism")) parallelism = static_cast<int>(options.integer("sink.parallelism"));
    return std::make_unique<BlackholeTable>(parallelism);
  }
};

}  // namespace

std::unique_ptr<TableFactory> make_blackhole_connector() {
  return std::make_unique<BlackholeFactory>();
}

}  // namespace yeoul
