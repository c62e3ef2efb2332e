#pragma once

#include <memory>
#include <string>
#include <utility>

#include "yeoul/table/table_result.h"

namespace yeoul {

struct TableProgram;

/// A query, not run yet (Flink's Table). Its names are looked up when it is used. Threads: one.
class Table {
 public:
  Table(std::shared_ptr<TableProgram> program, std::string query)
      : program_(std::move(program)), query_(std::move(query)) {}

  /// SQL text.
  const std::string& query() const { return query_; }
  /// Names and types of its columns.
  Schema get_schema() const;
  /// Starts a job whose rows come to the program.
  TableResult execute() const;
  /// Starts a job that writes the rows to a table. @param path  its name, as in SQL
  TableResult execute_insert(const std::string& path) const;
  /// Its plan.
  std::string explain() const;

  // For StreamTableEnvironment:
  const std::shared_ptr<TableProgram>& program() const { return program_; }

 private:
  std::shared_ptr<TableProgram> program_;
  std::string query_;
};

/// INSERTs that become one job (Flink's StreamStatementSet). Threads: one.
class StatementSet {
 public:
  explicit StatementSet(std::shared_ptr<TableProgram> program) : program_(std::move(program)) {}

  StatementSet& add_insert_sql(const std::string& insert);
  StatementSet& add_insert(const std::string& path, const Table& table);
  /// Starts the job. The set is empty then.
  TableResult execute();
  /// Makes the INSERTs part of the program: the next execute() of its StreamExecutionEnvironment runs them too.
  void attach_as_data_stream();

 private:
  std::string statement();

  std::shared_ptr<TableProgram> program_;
  std::string inserts_;
};

}  // namespace yeoul
