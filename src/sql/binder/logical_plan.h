#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "yeoul/connectors/api/table_factory.h"
#include "yeoul/sql/functions/aggregate_call.h"
#include "yeoul/sql/functions/expression.h"
#include "yeoul/types/logical_type.h"

namespace yeoul {

struct LogicalNode;
/// Plans are immutable and shared.
using LogicalNodePtr = std::shared_ptr<const LogicalNode>;

/// Event time of a scan: over the columns that the scan produces.
struct ScanWatermark {
  std::string column;        ///< the rowtime column's name, for EXPLAIN
  ExpressionPtr rowtime;     ///< the rowtime column; null where a physical plan does not read it
  ExpressionPtr expression;  ///< TIMESTAMP(p) or TIMESTAMP_LTZ(p); null: SOURCE_WATERMARK()
  OptionMap options;         ///< 'scan.watermark.*' of the table, keys whole
};

/// All physical columns of a table, then the metadata columns that its DDL names, in the connector's types.
struct LogicalScan {
  std::string table;  ///< full path, for EXPLAIN and uids
  std::shared_ptr<const TableContext> context;
  std::shared_ptr<const TableSource> source;
  std::vector<int> columns;           ///< physical columns produced
  std::vector<std::string> metadata;  ///< metadata keys produced
  std::vector<int> primary_key;       ///< positions among the columns produced; empty when none (or not all of it)
  std::optional<ScanWatermark> watermark;
};

/// Literal rows.
struct LogicalValues {
  std::vector<std::vector<Value>> rows;
};

struct LogicalProject {
  std::vector<ExpressionPtr> expressions;
};

struct LogicalFilter {
  ExpressionPtr condition;
};

/// Output: key columns, then aggregates. Without keys one row in all. Without calls: DISTINCT.
struct LogicalAggregate {
  std::vector<int> keys;
  std::vector<AggregateCall> calls;
};

/// UNION ALL of all inputs.
struct LogicalUnion {};

/// INSERT into a table: the input has its physical columns, then the written metadata.
struct LogicalSink {
  std::string table;
  std::shared_ptr<const TableContext> context;
  std::shared_ptr<const TableSink> sink;
  std::vector<std::string> metadata;
};

/// The rows of a SELECT, for the user.
struct LogicalCollect {
  bool update_before = true;  ///< false: -U is left out where the query's key says which row changes
};

struct LogicalNode {
  std::variant<LogicalScan, LogicalValues, LogicalProject, LogicalFilter, LogicalAggregate, LogicalUnion, LogicalSink,
               LogicalCollect>
      node;
  Schema schema;
  std::vector<LogicalNodePtr> inputs;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

/// The plan as an indented tree, Flink's "== Abstract Syntax Tree ==".
std::string to_string(const LogicalNode& plan);

}  // namespace yeoul
