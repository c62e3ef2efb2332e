#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/options.h"
#include "yeoul/connectors/api/sink.h"
#include "yeoul/connectors/api/source.h"
#include "yeoul/formats/api/format.h"
#include "yeoul/types/logical_type.h"

namespace yeoul {

/// A table as its factory sees it: resolved columns, keys and options.
struct TableContext {
  std::string name;              ///< as the user wrote it, for messages
  Schema physical;               ///< physical columns, in DDL order
  std::vector<int> primary_key;  ///< positions among the physical columns
  std::vector<std::string> partition_keys;
  OptionMap options;  ///< WITH (…), 'connector' included
  const FormatRegistry* formats = nullptr;
  TimeZone zone;               ///< table.local-time-zone
  OptionMap session;           ///< SET options
  bool checkpointing = false;  ///< execution.checkpointing.interval is set
};

/// A metadata key of a connector: its type, and whether it can be written.
struct MetadataColumn {
  std::string key;
  LogicalType type;
  bool readable = true;
  bool writable = false;
};

/// What the planner asks of a source table (D16): which physical columns and metadata keys, in which order.
struct ScanRequest {
  std::vector<int> columns;           ///< positions among the physical columns
  std::vector<std::string> metadata;  ///< keys; their columns follow the physical ones, in the connector's type
  std::optional<int64_t> limit;       ///< no more than that many rows are needed in all
};

/// A table configured for reading (Flink's ScanTableSource).
class TableSource {
 public:
  virtual ~TableSource() = default;
  virtual ChangelogMode changelog_mode() const { return ChangelogMode::insert_only(); }
  /// True where +U rows come without -U and a first +U may stand for an insert: the planner puts a ChangelogNormalize
  /// on the primary key.
  virtual bool is_upsert() const {
    return !changelog_mode().contains(RowKind::kUpdateBefore) && !changelog_mode().is_insert_only();
  }
  virtual std::vector<MetadataColumn> metadata() const { return {}; }
  virtual bool bounded() const = 0;
  /// Watermarks come with its rows, so that a table's WATERMARK may be SOURCE_WATERMARK().
  virtual bool supports_source_watermark() const { return false; }
  /// 'scan.parallelism' of the table.
  virtual std::optional<int> parallelism() const { return std::nullopt; }
  /// The source of RowBatches with exactly the requested columns.
  virtual std::shared_ptr<const Source> create_source(const ScanRequest& request) const = 0;
};

/// A table configured for writing (Flink's DynamicTableSink).
class TableSink {
 public:
  virtual ~TableSink() = default;
  /// The row kinds it takes of a query that emits `query`. Insert-only sinks answer insert_only: the planner then
  /// refuses an updating query. An answer without kUpdateBefore but with updates makes it an upsert sink on the primary
  /// key.
  virtual ChangelogMode accepted_mode(ChangelogMode query) const = 0;
  virtual std::vector<MetadataColumn> metadata() const { return {}; }
  virtual std::optional<int> parallelism() const { return std::nullopt; }
  /// Whether PARTITIONED BY means something to it.
  virtual bool supports_partitioning() const { return false; }
  /// @param metadata  keys of the metadata columns written; the batch has all physical columns, then those
  virtual std::shared_ptr<const Sink> create_sink(const std::vector<std::string>& metadata) const = 0;
};

/// Makes table sources and sinks of one connector. Stateless. Validation happens here, before anything runs.
class TableFactory {
 public:
  virtual ~TableFactory() = default;
  virtual std::string_view identifier() const = 0;  ///< "kafka"
  /// Null: the connector cannot read (or write). Option errors are user errors 201x naming the table.
  virtual std::unique_ptr<TableSource> create_table_source(const TableContext& context) const = 0;
  virtual std::unique_ptr<TableSink> create_table_sink(const TableContext& context) const = 0;
};

/// The connectors a program knows, by identifier.
class ConnectorRegistry {
 public:
  void add(std::unique_ptr<TableFactory> factory) {
    const std::string identifier(factory->identifier());
    factories_[identifier] = std::move(factory);
  }
  /// @throws user error 2021 listing what exists, with the nearest.
  const TableFactory& find(std::string_view identifier) const;

 private:
  std::map<std::string, std::unique_ptr<TableFactory>, std::less<>> factories_;
};

/// Options of a table's formats: picks out the keys below "<prefix><format>." (prefix "", "key." or "value."), checks
/// them, and makes the format that option `format_key` names. Null when that option is unset.
/// @throws user error 2020 for an unknown format, 201x for its options.
std::unique_ptr<DecodingFormat> create_decoding_format(const TableContext& context, std::string_view format_key,
                                                       std::string_view prefix);
std::unique_ptr<EncodingFormat> create_encoding_format(const TableContext& context, std::string_view format_key,
                                                       std::string_view prefix);
/// The context's options without those that belong to formats named by the given keys (for the connector's own check).
OptionMap without_format_options(
    const TableContext& context,
    std::span<const std::pair<std::string_view, std::string_view>> format_keys_and_prefixes);

}  // namespace yeoul
