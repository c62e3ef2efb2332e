#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/engine/table_environment.h"

namespace yeoul {

using Cell = std::optional<std::string>;

/// A row as Flink's gateway shows it: its kind, and each cell cast to text.
struct AnswerRow {
  std::string op;
  std::vector<Cell> cells;
  auto operator<=>(const AnswerRow&) const = default;
};

/// What a statement that returns rows gave.
struct Answer {
  Schema schema;                     ///< of a query
  std::vector<std::string> columns;  ///< names, of any
  std::vector<AnswerRow> rows;
};

/// Connectors, formats and backends of the program.
std::shared_ptr<const Registries> program_registries();

/// Runs one statement to the end of its job; rows only of queries and of statements that list something.
/// @throws Error as the statement or its job does; user error 9101 when it takes longer than `timeout_ms`
std::optional<Answer> run_statement(TableEnvironment& session, const ScriptStatement& statement,
                                    int64_t timeout_ms = 10'000);

/// "+I [a, NULL]".
std::string to_text(const AnswerRow& row);

}  // namespace yeoul
