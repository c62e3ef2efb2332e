#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yeoul/connectors/api/table_factory.h"
#include "yeoul/sql/binder/logical_plan.h"
#include "yeoul/sql/catalog/catalog.h"
#include "yeoul/sql/parser/ast.h"

namespace yeoul {

/// What names and types are resolved against.
struct BinderContext {
  const Catalog* catalog = nullptr;
  const ConnectorRegistry* connectors = nullptr;
  const FormatRegistry* formats = nullptr;
  OptionMap session;  ///< SET options
  TimeZone zone;      ///< table.local-time-zone
  bool checkpointing = false;
};

/// CREATE TABLE's columns, keys, watermark and options resolved. @throws user errors 11xx with line and column.
CatalogTable bind_create_table(const BinderContext& context, const ast::CreateTableStatement& statement);
/// CREATE VIEW: its schema and text.
CatalogView bind_create_view(const BinderContext& context, const ast::CreateViewStatement& statement);
/// A SELECT whose rows go to the user: a LogicalCollect.
LogicalNodePtr bind_query(const BinderContext& context, const ast::Query& query);
/// An INSERT: a LogicalSink. @throws user errors 11xx (names, types), 1112 (column count), 20xx (the table's options).
LogicalNodePtr bind_insert(const BinderContext& context, const ast::InsertStatement& statement);

/// The logical type of a type as written. @throws user error 1120 for parameters out of range or types without columns.
LogicalType bind_data_type(const ast::DataTypeSyntax& syntax);

/// An error of the binder at a place in the SQL text: "line 3, column 8: …".
template <class... Args>
Error bind_error(int code, const ast::SourcePosition& position, fmt::format_string<Args...> format, Args&&... args) {
  return Error(ErrorFamily::kUser, code,
               fmt::format("line {}, column {}: {}", position.line, position.column,
                           fmt::format(format, std::forward<Args>(args)...)));
}

}  // namespace yeoul
