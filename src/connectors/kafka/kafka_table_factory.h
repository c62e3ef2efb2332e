#pragma once

#include <memory>
#include <string_view>

#include "yeoul/connectors/api/table_factory.h"
#include "yeoul/connectors/kafka/kafka_options.h"

namespace yeoul {

/// Tables with 'connector' = 'kafka': append-only rows, key and value formats, metadata.
class KafkaTableFactory : public TableFactory {
 public:
  std::string_view identifier() const override { return "kafka"; }
  std::unique_ptr<TableSource> create_table_source(const TableContext& context) const override;
  std::unique_ptr<TableSink> create_table_sink(const TableContext& context) const override;
};

/// Tables with 'connector' = 'upsert-kafka': a changelog on the primary key, a null value deletes.
class UpsertKafkaTableFactory : public TableFactory {
 public:
  std::string_view identifier() const override { return "upsert-kafka"; }
  std::unique_ptr<TableSource> create_table_source(const TableContext& context) const override;
  std::unique_ptr<TableSink> create_table_sink(const TableContext& context) const override;
};

}  // namespace yeoul
