#pragma once

#include <string>
#include <vector>

namespace yeoul {

/// The columns of a table that is made of a stream (Flink's Schema; that name is taken by resolved columns). Types and
/// expressions are SQL text:
///
///     TableSchema::new_builder()
///         .column_by_metadata("rowtime", "TIMESTAMP_LTZ(3)")  // the event time of the stream's records
///         .watermark("rowtime", "SOURCE_WATERMARK()")         // and its watermarks
///         .build()
///
/// Without column(), all fields of the records are columns, in front of those given here.
class TableSchema {
 public:
  class Builder;
  static Builder new_builder();

  bool has_physical_columns() const { return has_physical_columns_; }
  /// The column definitions and constraints as in CREATE TABLE, each on a line of its own.
  const std::vector<std::string>& lines() const { return lines_; }

  /// A line that defines a physical column.
  static std::string column_line(const std::string& name, const std::string& type);

 private:
  std::vector<std::string> lines_;
  std::vector<std::string> constraints_;
  bool has_physical_columns_ = false;
};

/// Threads: one.
class TableSchema::Builder {
 public:
  /// A field of the records: of a struct by its name, of a tuple or a single value by its place.
  Builder& column(const std::string& name, const std::string& type);
  /// Computed from other columns.
  Builder& column_by_expression(const std::string& name, const std::string& sql_expression);
  /// What comes with the records: the key "rowtime". @param key  empty: the column's name
  Builder& column_by_metadata(const std::string& name, const std::string& type, const std::string& key = "");
  /// `SOURCE_WATERMARK()`: the stream's own; else an expression such as "at - INTERVAL '5' SECOND".
  Builder& watermark(const std::string& column, const std::string& sql_expression);
  /// By which an upsert stream changes rows. Not enforced.
  Builder& primary_key(const std::vector<std::string>& columns);
  TableSchema build() const;

 private:
  TableSchema schema_;
};

/// A name in backticks.
std::string quoted_name(const std::string& name);

}  // namespace yeoul
