#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/connectors/api/table_factory.h"
#include "yeoul/connectors/kafka/kafka_row_sink.h"
#include "yeoul/connectors/kafka/kafka_source_config.h"

namespace yeoul {

/// Which of the two connectors a table uses; their options differ.
enum class KafkaTableKind { kKafka, kUpsertKafka };

/// The options of a table, checked against the connector's rows: names, forms, required ones, and what must not stand
/// together. Format options are not among them.
Options kafka_table_options(const TableContext& context, KafkaTableKind kind);

/// The columns of a table as its formats see them.
struct KafkaTableLayout {
  std::vector<int> key_columns;    ///< positions among the physical columns, in the key's order
  std::vector<int> value_columns;  ///< positions among the physical columns
  std::string key_prefix;          ///< cut from the names of key columns
  bool value_has_key_columns = true;

  /// A key column's name as the key format has it.
  std::string key_name(const Schema& physical, int column) const {
    return physical[static_cast<size_t>(column)].name.substr(key_prefix.size());
  }
};

/// @throws user error 2014 where key.format, key.fields, key.fields-prefix and value.fields-include do not fit together
KafkaTableLayout kafka_table_layout(const TableContext& context, KafkaTableKind kind, const Options& options);

/// The source's part. @throws user errors 201x
std::shared_ptr<const KafkaSourceConfig> kafka_source_config(const TableContext& context, KafkaTableKind kind,
                                                             const Options& options);
/// The sink's part but for formats, columns and metadata. @throws user errors 201x
KafkaSinkConfig kafka_sink_config(const TableContext& context, KafkaTableKind kind, const Options& options);

/// 'scan.parallelism' or 'sink.parallelism'. @throws user error 2010 below 1
std::optional<int> kafka_parallelism(const Options& options, std::string_view key);

/// "partition:0,offset:42;partition:1,offset:300". @throws user error 2010 naming the option
std::map<int32_t, int64_t> parse_specific_offsets(std::string_view key, std::string_view text);

}  // namespace yeoul
