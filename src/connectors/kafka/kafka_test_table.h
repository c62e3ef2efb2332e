#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/connectors/kafka/kafka_table_factory.h"

namespace yeoul {

/// The formats of test tables; defined by the test program.
const FormatRegistry& test_formats();

/// A table for tests: columns, options, and what its factory makes of them.
struct TestTable {
  TableContext context;

  TestTable(std::string name, Schema columns, OptionMap options) {
    context.name = std::move(name);
    context.physical = std::move(columns);
    context.options = std::move(options);
    context.formats = &test_formats();
  }
  TestTable& with(const std::string& key, const std::string& value) {
    context.options[key] = value;
    return *this;
  }
  TestTable& without(const std::string& key) {
    context.options.erase(key);
    return *this;
  }
  TestTable& key(std::vector<int> columns) {
    context.primary_key = std::move(columns);
    return *this;
  }
  std::unique_ptr<TableSource> table_source() const { return factory().create_table_source(context); }
  std::unique_ptr<TableSink> table_sink() const { return factory().create_table_sink(context); }

 private:
  const TableFactory& factory() const {
    static const KafkaTableFactory kafka;
    static const UpsertKafkaTableFactory upsert;
    if (context.options.at("connector") == "kafka") return kafka;
    return upsert;
  }
};

}  // namespace yeoul
