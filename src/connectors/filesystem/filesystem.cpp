#include "yeoul/connectors/filesystem/filesystem.h"

#include <algorithm>
#include <regex>

#include "yeoul/common/local_path.h"
#include "yeoul/connectors/filesystem/file_paths.h"
#include "yeoul/connectors/filesystem/file_sink.h"
#include "yeoul/connectors/filesystem/file_source.h"

namespace yeoul {
namespace {

constexpr OptionSpec kOptions[] = {
    {.key = "connector", .required = true},
    {.key = "path", .help = "A file or a folder: a plain path or file:///…", .required = true},
    {.key = "format", .help = "The format of a line.", .required = true},
    {.key = "source.monitor-interval",
     .type = OptionType::kDuration,
     .help = "How often to look for new files; without it the table ends with the files found at the start."},
    {.key = "source.path.regex-pattern", .help = "Only files whose whole path matches are read."},
    {.key = "partition.default-name",
     .fallback = "__DEFAULT_PARTITION__",
     .help = "Folder name of rows whose partition column is NULL or empty."},
    {.key = "sink.rolling-policy.file-size",
     .type = OptionType::kMemorySize,
     .fallback = "128MB",
     .help = "Size above which a part file is not continued."},
    {.key = "sink.rolling-policy.rollover-interval",
     .type = OptionType::kDuration,
     .fallback = "30 min",
     .help = "Without effect: each checkpoint begins new part files."},
    {.key = "sink.rolling-policy.check-interval",
     .type = OptionType::kDuration,
     .fallback = "1 min",
     .help = "Without effect: each checkpoint begins new part files."},
    {.key = "sink.parallelism", .type = OptionType::kInt, .help = "Parallelism of the sink."},
};

Options own_options(const TableContext& context) {
  static constexpr std::pair<std::string_view, std::string_view> kFormats[] = {{"format", ""}};
  return Options(fmt::format("table '{}' (connector 'filesystem')", context.name), kOptions,
                 without_format_options(context, kFormats));
}

/// The physical columns that are no partition columns, and their positions.
Schema line_columns(const TableContext& context, std::vector<int>& positions) {
  std::vector<RowField> fields;
  for (size_t i = 0; i < context.physical.size(); ++i) {
    const auto& keys = context.partition_keys;
    if (std::find(keys.begin(), keys.end(), context.physical[i].name) != keys.end()) continue;
    fields.push_back(context.physical[i]);
    positions.push_back(static_cast<int>(i));
  }
  return Schema(std::move(fields));
}

class FileTableSource final : public TableSource {
 public:
  FileTableSource(const TableContext& context, const Options& options, std::shared_ptr<const DecodingFormat> format)
      : physical_(context.physical), partition_keys_(context.partition_keys) {
    plan_.table = context.name;
    plan_.path = local_path("option 'path'", options.text("path"));
    plan_.pattern = options.text("source.path.regex-pattern");
    plan_.default_partition = options.text("partition.default-name");
    plan_.format = std::move(format);
    if (options.has("source.monitor-interval")) {
      plan_.monitor_interval_ms = std::max<int64_t>(1, options.duration_ms("source.monitor-interval"));
    }
    try {
      const std::regex checked(plan_.pattern);
    } catch (const std::regex_error& error) {
      throw user_error(2010, "{}: option 'source.path.regex-pattern': '{}' is no regular expression: {}",
                       options.owner(), plan_.pattern, error.what());
    }
  }

  ChangelogMode changelog_mode() const override { return plan_.format->changelog_mode(); }
  bool bounded() const override { return !plan_.monitor_interval_ms; }
  std::vector<MetadataColumn> metadata() const override {
    return {{.key = "file.path", .type = LogicalType::string().not_null()},
            {.key = "file.name", .type = LogicalType::string().not_null()},
            {.key = "file.size", .type = LogicalType::bigint().not_null()},
            {.key = "file.modification-time", .type = LogicalType::timestamp_ltz(3).not_null()}};
  }

  std::shared_ptr<const Source> create_source(const ScanRequest& request) const override {
    using Fact = FileSourcePlan::Fact;
    FileSourcePlan plan = plan_;
    plan.limit = request.limit;
    std::vector<RowField> decoded;
    for (const int position : request.columns) {
      const RowField& field = physical_[static_cast<size_t>(position)];
      FileSourcePlan::OutputColumn column{.type = field.type};
      if (std::find(partition_keys_.begin(), partition_keys_.end(), field.name) != partition_keys_.end()) {
        column.fact = Fact::kPartition;
        column.partition = field.name;
      } else {
        column.decoded = decoded.size();
        decoded.push_back(field);
      }
      plan.columns.push_back(std::move(column));
    }
    static constexpr std::pair<std::string_view, Fact> kFacts[] = {{"file.path", Fact::kPath},
                                                                   {"file.name", Fact::kName},
                                                                   {"file.size", Fact::kBytes},
                                                                   {"file.modification-time", Fact::kModified}};
    for (const std::string& key : request.metadata) {
      const auto fact =
          std::find_if(std::begin(kFacts), std::end(kFacts), [&](const auto& f) { return f.first == key; });
      YEOUL_CHECK(fact != std::end(kFacts), "no metadata key '{}'", key);
      plan.columns.push_back(
          {.fact = fact->second, .type = metadata()[static_cast<size_t>(fact - std::begin(kFacts))].type});
    }
    plan.decoded = Schema(std::move(decoded));
    return std::make_shared<FileSource>(std::move(plan));
  }

 private:
  Schema physical_;
  std::vector<std::string> partition_keys_;
  FileSourcePlan plan_;
};

class FileTableSink final : public TableSink {
 public:
  FileTableSink(const TableContext& context, const Options& options, std::shared_ptr<const EncodingFormat> format) {
    plan_.table = context.name;
    plan_.path = local_path("option 'path'", options.text("path"));
    plan_.format = std::move(format);
    plan_.encoded = line_columns(context, plan_.encoded_positions);
    plan_.partition_names = context.partition_keys;
    for (const std::string& key : context.partition_keys) {
      plan_.partition_positions.push_back(context.physical.index_of(key));
    }
    plan_.default_partition = options.text("partition.default-name");
    plan_.file_bytes = options.memory_bytes("sink.rolling-policy.file-size");
    if (options.has("sink.parallelism")) parallelism_ = static_cast<int>(options.integer("sink.parallelism"));
  }

  ChangelogMode accepted_mode(ChangelogMode) const override { return plan_.format->changelog_mode(); }
  std::optional<int> parallelism() const override { return parallelism_; }
  bool supports_partitioning() const override { return true; }
  std::shared_ptr<const Sink> create_sink(const std::vector<std::string>&) const override {
    return std::make_shared<FileSink>(plan_);
  }

 private:
  FileSinkPlan plan_;
  std::optional<int> parallelism_;
};

class FilesystemFactory final : public TableFactory {
 public:
  std::string_view identifier() const override { return "filesystem"; }
  std::unique_ptr<TableSource> create_table_source(const TableContext& context) const override {
    const Options options = own_options(context);
    auto format = create_decoding_format(context, "format", "");
    std::vector<int> positions;
    format->create_decoder(line_columns(context, positions));  // fails now for a type that the format has no form for
    return std::make_unique<FileTableSource>(context, options, std::move(format));
  }
  std::unique_ptr<TableSink> create_table_sink(const TableContext& context) const override {
    const Options options = own_options(context);
    auto format = create_encoding_format(context, "format", "");
    std::vector<int> positions;
    format->create_encoder(line_columns(context, positions));
    return std::make_unique<FileTableSink>(context, options, std::move(format));
  }
};

}  // namespace

std::unique_ptr<TableFactory> make_filesystem_connector() {
  return std::make_unique<FilesystemFactory>();
}

}  // namespace yeoul
