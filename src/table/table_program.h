#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "yeoul/engine/table_environment.h"
#include "yeoul/table/stream_tables.h"
#include "yeoul/table/table.h"

namespace yeoul {

/// What an environment and its tables share. Threads: one.
struct TableProgram {
  explicit TableProgram(std::shared_ptr<EnvironmentState> state);

  /// The session, with the program's present settings.
  TableEnvironment& session();
  StatementResult execute(const std::string& sql);

  std::shared_ptr<EnvironmentState> state;
  std::shared_ptr<StreamTables> streams = std::make_shared<StreamTables>();
  std::unique_ptr<TableEnvironment> sql_session;
  TakenUids taken_uids;  ///< by what was made part of the program
  int num_anonymous = 0;
};

/// @param call  that takes the table. @throws user error 7128 for a Table of another program
void check_own_table(std::string_view call, const TableProgram& program, const Table& table);

/// The one statement of a text. @throws user error 1118 for several
ScriptStatement only_statement(const std::string& sql);

}  // namespace yeoul
