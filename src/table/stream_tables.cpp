#include "yeoul/table/stream_tables.h"

#include <algorithm>
#include <charconv>

#include "yeoul/sql/translator/stream_table_source.h"
#include "yeoul/table/row_watermarks.h"

namespace yeoul {
namespace {

/// The field that each physical column is made of. @throws user errors 7120, 7121
std::vector<int> match_fields(const StreamTable& stream, const TableContext& context) {
  const std::vector<RowField>& columns = context.physical.fields();
  std::vector<int> matched;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (stream.fields.empty()) {
      matched.push_back(static_cast<int>(i));
      continue;
    }
    auto field = stream.fields.end();
    if (stream.by_name) {
      field = std::find_if(stream.fields.begin(), stream.fields.end(),
                           [&](const StreamField& f) { return f.name == columns[i].name; });
    } else if (i < stream.fields.size()) {
      field = stream.fields.begin() + static_cast<std::ptrdiff_t>(i);
    }
    if (field == stream.fields.end()) {
      std::string names;
      for (const StreamField& f : stream.fields) names += (names.empty() ? "" : ", ") + f.name;
      throw user_error(7120, "column '{}' ({}) has no field in {}, which has: {}", columns[i].name,
                       columns[i].type.to_string(), stream.record_type, names);
    }
    if (!field->holds(columns[i].type)) {
      throw user_error(7121, "column '{}' is declared as {}, but field '{}' of {} is a {}, which is {}",
                       columns[i].name, columns[i].type.to_string(), field->name, stream.record_type, field->cpp_name,
                       field->type.to_string());
    }
    matched.push_back(static_cast<int>(field - stream.fields.begin()));
  }
  return matched;
}

class StreamScanSource final : public StreamTableSource {
 public:
  StreamScanSource(std::shared_ptr<const StreamTable> stream, const TableContext& context)
      : stream_(std::move(stream)),
        table_(context.name),
        physical_(context.physical),
        fields_(match_fields(*stream_, context)) {}

  ChangelogMode changelog_mode() const override { return stream_->mode; }
  std::vector<MetadataColumn> metadata() const override {
    return {{.key = "rowtime", .type = LogicalType::timestamp_ltz(3).not_null()}};
  }
  bool bounded() const override { return stream_->state->plan.bounded(stream_->inputs); }

  int add_scan(StreamGraph& graph, StreamScan scan) const override {
    const StreamPlan& plan = stream_->state->plan;
    int parallelism = 1;
    for (const StreamInput& input : stream_->inputs) {
      parallelism = std::max(parallelism, plan.parallelism_of(input.node));
    }
    const int rows =
        graph.add_operator(std::move(scan.name), scan.uid, parallelism, 1, stream_->make_to_rows(to_rows(scan)));
    for (const StreamInput& input : stream_->inputs) {
      graph.connect({.source = input.node,
                     .target = rows,
                     .output_tag = input.tag,
                     .partitioning = input.partitioning,
                     .key_selector = input.key_selector,
                     .splitter = input.splitter});
    }
    if (!scan.watermarks) return rows;
    const int64_t interval_ms = stream_->state->config.auto_watermark_interval_ms;
    const int stamped = graph.add_operator("WatermarkAssigner", scan.uid + "|watermarks", parallelism, 1,
                                           make_row_watermarks(std::move(scan.watermarks), interval_ms));
    graph.connect({.source = rows, .target = stamped, .splitter = row_batch_splitter()});
    return stamped;
  }

 private:
  ToRowsSpec to_rows(const StreamScan& scan) const {
    ToRowsSpec spec{.table = table_, .mode = stream_->mode, .forward_watermarks = scan.source_watermarks};
    for (const int column : scan.request.columns) {
      const RowField& field = physical_[static_cast<size_t>(column)];
      spec.parts.push_back({fields_[static_cast<size_t>(column)], field.type, field.name});
    }
    for (const std::string& key : scan.request.metadata) {
      spec.parts.push_back({ToRowsSpec::kRowtime, LogicalType::timestamp_ltz(3).not_null(), key});
    }
    return spec;
  }

  std::shared_ptr<const StreamTable> stream_;
  std::string table_;
  Schema physical_;
  std::vector<int> fields_;  ///< by physical column
};

class StreamTableFactory final : public TableFactory {
 public:
  explicit StreamTableFactory(std::shared_ptr<const StreamTables> tables) : tables_(std::move(tables)) {}

  std::string_view identifier() const override { return StreamTables::kConnector; }
  std::unique_ptr<TableSource> create_table_source(const TableContext& context) const override {
    const auto number = context.options.find("stream");
    return std::make_unique<StreamScanSource>(
        tables_->find(number == context.options.end() ? "" : number->second, context.name), context);
  }
  std::unique_ptr<TableSink> create_table_sink(const TableContext&) const override { return nullptr; }

 private:
  std::shared_ptr<const StreamTables> tables_;
};

}  // namespace

std::string StreamTables::add(StreamTable table) {
  tables_.push_back(std::make_shared<const StreamTable>(std::move(table)));
  return std::to_string(tables_.size());
}

std::shared_ptr<const StreamTable> StreamTables::find(const std::string& number, const std::string& table_name) const {
  size_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() || value == 0 || value > tables_.size()) {
    throw user_error(2012,
                     "table '{}': the connector '{}' is for tables that a program makes of its streams: call "
                     "create_temporary_view() or from_data_stream()",
                     table_name, kConnector);
  }
  return tables_[value - 1];
}

std::unique_ptr<TableFactory> make_stream_table_factory(std::shared_ptr<const StreamTables> tables) {
  return std::make_unique<StreamTableFactory>(std::move(tables));
}

}  // namespace yeoul
