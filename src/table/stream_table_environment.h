#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yeoul/datastream/stream_execution_environment.h"
#include "yeoul/engine/session_options.h"
#include "yeoul/table/changelog_record.h"
#include "yeoul/table/stream_tables.h"
#include "yeoul/table/table.h"
#include "yeoul/table/table_schema.h"

namespace yeoul {

/// A session of SQL within a program of streams: a stream can be a table, a query can be a stream (Flink's
/// StreamTableEnvironment).
///
///     auto env = StreamExecutionEnvironment::get_execution_environment();
///     auto tables = StreamTableEnvironment::create(env);
///     tables.create_temporary_view("clicks", clicks);  // a DataStream<Click>
///     Table t = tables.sql_query("SELECT user, COUNT(*) AS n FROM clicks GROUP BY user");
///     tables.to_changelog_stream<PerUser>(t).print();
///     env.execute();
///
/// INSERTs start a job of their own at once, made of what they read and write; what streams are made of tables runs
/// with the next execute() of the StreamExecutionEnvironment, whose settings hold for both (checkpoints, parallelism,
/// …) unless SET says otherwise. Threads: one.
class StreamTableEnvironment {
 public:
  static StreamTableEnvironment create(const StreamExecutionEnvironment& env);

  /// Runs one statement. @throws Error; nothing has started then
  TableResult execute_sql(const std::string& statement);
  /// A query for later. @throws user errors 1xxx when it is no query or names what there is not
  Table sql_query(const std::string& query) const;
  /// A table or view by its name, as in SQL.
  Table from_path(const std::string& path) const;
  std::string explain_sql(const std::string& statement);
  StatementSet create_statement_set() const { return StatementSet(program_); }
  /// SET options.
  SessionOptions& get_config();

  /// A stream of insertions as a table: fields are columns (column_values.h lists the types), or what the schema says.
  /// Event time and watermarks get into the table only by the schema, as in Flink.
  /// @throws user errors 7120, 7121 for columns that do not fit the fields, 1xxx for expressions, 7129 for a stream of
  /// another environment
  template <class T>
  Table from_data_stream(const DataStream<T>& stream, const TableSchema& schema = {}) const {
    return anonymous(describe<T>(stream), schema);
  }
  /// The same under a name, as in SQL; it can be dropped by DROP TEMPORARY TABLE. @throws also 7130 for an empty name
  template <class T>
  void create_temporary_view(const std::string& path, const DataStream<T>& stream,
                             const TableSchema& schema = {}) const {
    register_stream(path, describe<T>(stream), schema);
  }
  /// A name for a query. @throws user error 7128 for a Table of another StreamTableEnvironment
  void create_temporary_view(const std::string& path, const Table& table) const;
  void drop_temporary_view(const std::string& path) const;
  /// A stream of changes as a table: of ChangelogRecord<T>, or of rows. With ChangelogMode::upsert() the schema needs
  /// a primary_key().
  template <class T>
  Table from_changelog_stream(const DataStream<T>& stream, const TableSchema& schema = {},
                              ChangelogMode mode = ChangelogMode::all()) const {
    static_assert(TableRecord<T>::kHasKind || std::is_same_v<T, Row>,
                  "Yeoul: from_changelog_stream() needs a stream of ChangelogRecord<T> or of Row");
    StreamTable table = describe_stream<T>(stream.shared_state(), stream.inputs());
    table.mode = mode;
    return anonymous(std::move(table), schema);
  }

  /// The rows of a query that only inserts. Columns go to the fields of their names (of a tuple: by place), numbers may
  /// be widened. A record's event time is that of the query's rowtime column, where it has one.
  /// @throws user error 1205 for a query that updates, 7122 and 7123 for columns and fields that do not fit
  template <class Out = Row>
  DataStream<Out> to_data_stream(const Table& table) const {
    static_assert(!TableRecord<Out>::kHasKind,
                  "Yeoul: to_data_stream() gives plain records; to_changelog_stream<T>() gives ChangelogRecord<T>");
    return {shared_state(), add_query(table, record_shape<Out>(), &make_to_records<Out>, ChangelogMode::insert_only())};
  }
  /// The changes that a query makes: a DataStream<ChangelogRecord<T>>, or a DataStream<Row> whose rows have kinds.
  /// @param mode  all(), or upsert(): without -U, for readers that know the query's key; each key's changes in order
  /// @throws user error 1205 for changes that the mode leaves out, 1207 for upserts of a query without a key
  template <class T = Row>
  auto to_changelog_stream(const Table& table, ChangelogMode mode = ChangelogMode::all()) const {
    using Out = std::conditional_t<std::is_same_v<T, Row>, Row, ChangelogRecord<T>>;
    return DataStream<Out>(shared_state(), add_query(table, record_shape<T>(), &make_to_records<Out>, mode));
  }

 private:
  using MakeToRecords = std::shared_ptr<const OperatorFactory> (*)(ToRecordsSpec);

  explicit StreamTableEnvironment(std::shared_ptr<TableProgram> program) : program_(std::move(program)) {}

  template <class T>
  static StreamTable describe(const DataStream<T>& stream) {
    static_assert(!TableRecord<T>::kHasKind,
                  "Yeoul: a stream of ChangelogRecord<T> becomes a table by from_changelog_stream()");
    return describe_stream<T>(stream.shared_state(), stream.inputs());
  }
  const std::shared_ptr<EnvironmentState>& shared_state() const;
  void register_stream(const std::string& path, StreamTable stream, const TableSchema& schema) const;
  Table anonymous(StreamTable stream, const TableSchema& schema) const;
  /// Returns the node of the records.
  int add_query(const Table& table, const RecordShape& shape, MakeToRecords make, ChangelogMode mode) const;

  std::shared_ptr<TableProgram> program_;
};

}  // namespace yeoul
