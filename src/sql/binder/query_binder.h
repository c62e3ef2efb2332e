#pragma once

#include <map>
#include <string>
#include <vector>

#include "yeoul/sql/binder/binder.h"
#include "yeoul/sql/binder/expression_binder.h"

namespace yeoul {

/// A plan and the names its columns have for the clause around it.
struct BoundRelation {
  LogicalNodePtr plan;
  Scope scope;
};

/// Binds queries to logical plans: one node per clause, nothing moved. Threads: one.
class QueryBinder {
 public:
  explicit QueryBinder(const BinderContext& context) : context_(context) {}

  LogicalNodePtr bind(const ast::Query& query);
  /// A catalog table as a scan, with its computed columns, under `table.<name>` of the scope.
  BoundRelation bind_table(const ObjectPath& path, const CatalogTable& table, const OptionMap& hint_options);

 private:
  LogicalNodePtr bind_body(const ast::Query& query);
  LogicalNodePtr bind_select(const ast::Query& query, const ast::Select& select);
  LogicalNodePtr bind_aggregation(const ast::Query& query, const ast::Select& select, BoundRelation input);
  LogicalNodePtr bind_values(const ast::Query& query, const ast::Values& values);
  LogicalNodePtr bind_set_operation(const ast::Query& query, const ast::SetOperation& operation);
  BoundRelation bind_from(const ast::TableReference& reference);
  BoundRelation bind_named_table(const ast::TableReference& reference, const ast::NamedTable& table);
  LogicalNodePtr bind_object(const ast::NamedTable& table, const ast::SourcePosition& position);

  const BinderContext& context_;
  /// Names of WITH clauses around, innermost last.
  std::vector<std::pair<std::string, LogicalNodePtr>> common_tables_;
  std::vector<ObjectPath> views_;  ///< whose queries are being bound, outermost first
};

/// Plan nodes; a projection that changes nothing is left out.
LogicalNodePtr make_project(LogicalNodePtr input, std::vector<ExpressionPtr> expressions,
                            std::vector<std::string> names);
LogicalNodePtr make_filter(LogicalNodePtr input, ExpressionPtr condition);
LogicalNodePtr make_aggregate(LogicalNodePtr input, std::vector<int> keys, std::vector<AggregateCall> calls);
LogicalNodePtr make_union(std::vector<LogicalNodePtr> inputs);
/// An input ref to every column.
std::vector<ExpressionPtr> identity_expressions(const Schema& schema);
std::vector<std::string> column_names(const Schema& schema);

/// The context that a table's factory gets. @throws user error 2022 when the table has no 'connector'.
std::shared_ptr<TableContext> make_table_context(const BinderContext& context, const std::string& name,
                                                 const CatalogTable& table, const OptionMap& hint_options);
/// The table's factory. @throws user error 2021.
const TableFactory& table_factory(const BinderContext& context, const TableContext& table);
/// True for SOURCE_WATERMARK() as the expression of a WATERMARK: the watermarks of the connector itself.
bool is_source_watermark(const ast::Expression& expression);
/// `OPTIONS('k'='v')` of a table's hints.
OptionMap hint_options(const std::vector<ast::Hint>& hints);

}  // namespace yeoul
