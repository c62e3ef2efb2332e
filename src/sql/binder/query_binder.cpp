#include "yeoul/sql/binder/query_binder.h"

#include <algorithm>

#include "yeoul/common/ascii.h"
#include "yeoul/sql/functions/evaluator.h"
#include "yeoul/sql/parser/parser.h"

namespace yeoul {
namespace {

/// Splits the positions of a bound select item: group keys and aggregates instead of input columns.
class GroupRewriter {
 public:
  GroupRewriter(const std::vector<ExpressionPtr>& keys, const Scope& scope, const Schema& output)
      : keys_(keys), scope_(scope), output_(output) {}

  ExpressionPtr rewrite(const ExpressionPtr& expression, const ast::SourcePosition& position) const {
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (same_expression(*expression, *keys_[i])) return output_ref(i);
    }
    if (expression->kind == Expression::Kind::kInputRef) {
      const size_t num_columns = scope_.columns.size();
      const auto index = static_cast<size_t>(expression->index);
      if (index >= num_columns) return output_ref(keys_.size() + index - num_columns);
      throw bind_error(1110, position, "expression '{}' is not being grouped", scope_.columns[index].name);
    }
    if (expression->arguments.empty()) return expression;
    auto copy = std::make_shared<Expression>(*expression);
    for (ExpressionPtr& argument : copy->arguments) argument = rewrite(argument, position);
    return copy;
  }

 private:
  ExpressionPtr output_ref(size_t i) const { return make_input_ref(static_cast<int>(i), output_[i].type); }

  const std::vector<ExpressionPtr>& keys_;
  const Scope& scope_;
  const Schema& output_;
};

std::string item_name(const ast::SelectItem& item, size_t index) {
  if (item.alias) return item.alias->name;
  if (const auto* column = item.expression->as<ast::ColumnReference>()) return column->parts.back().name;
  return fmt::format("EXPR${}", index);
}

Scope scope_of(const Schema& schema, const std::string& table) {
  Scope scope;
  for (const RowField& field : schema.fields()) scope.columns.push_back({table, field.name, field.type});
  return scope;
}

void rename(BoundRelation& relation, const ast::TableReference& reference) {
  if (!reference.column_aliases.empty() && reference.column_aliases.size() != relation.scope.columns.size()) {
    throw bind_error(1112, reference.position, "{} column aliases for {} columns", reference.column_aliases.size(),
                     relation.scope.columns.size());
  }
  for (size_t i = 0; i < relation.scope.columns.size(); ++i) {
    if (reference.alias) relation.scope.columns[i].table = reference.alias->name;
    if (!reference.column_aliases.empty()) relation.scope.columns[i].name = reference.column_aliases[i].name;
  }
}

void refuse_clauses(const ast::Query& query, const ast::Select& select) {
  if (select.qualify) throw bind_error(1199, query.position, "QUALIFY is not supported yet");
  if (!select.windows.empty()) throw bind_error(1199, query.position, "WINDOW is not supported yet");
  for (const ast::GroupingElement& element : select.group_by) {
    if (element.kind != ast::GroupingKind::kExpressions) {
      throw bind_error(1199, element.position, "GROUPING SETS, CUBE and ROLLUP are not supported yet");
    }
  }
}

bool aggregates(const ast::Select& select) {
  if (select.has_group_by || select.having) return true;
  return std::any_of(select.items.begin(), select.items.end(),
                     [](const ast::SelectItem& item) { return has_aggregate(*item.expression); });
}

/// SELECT list with its stars written out.
struct Output {
  std::vector<ExpressionPtr> expressions;
  std::vector<std::string> names;
  std::vector<ast::SourcePosition> positions;
};

void expand_star(const ast::Star& star, const ast::SourcePosition& position, const Scope& scope, Output& out) {
  bool found = star.qualifier.empty();
  for (size_t i = 0; i < scope.columns.size(); ++i) {
    const ScopeColumn& column = scope.columns[i];
    if (!star.qualifier.empty() && column.table != star.qualifier.back().name) continue;
    found = true;
    out.expressions.push_back(make_input_ref(static_cast<int>(i), column.type));
    out.names.push_back(column.name);
    out.positions.push_back(position);
  }
  if (!found) throw bind_error(1101, position, "table '{}' not found in FROM", star.qualifier.back().name);
}

Output bind_items(const ast::Select& select, const Scope& scope, ExpressionBinder& binder) {
  Output out;
  for (size_t i = 0; i < select.items.size(); ++i) {
    const ast::Expression& expression = *select.items[i].expression;
    if (const auto* star = expression.as<ast::Star>()) {
      expand_star(*star, expression.position, scope, out);
      continue;
    }
    out.expressions.push_back(binder.bind(expression));
    out.names.push_back(item_name(select.items[i], i));
    out.positions.push_back(expression.position);
  }
  return out;
}

/// Position of an expression in a list, appended where it is new.
int position_in(std::vector<ExpressionPtr>& list, const ExpressionPtr& expression) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (same_expression(*list[i], *expression)) return static_cast<int>(i);
  }
  list.push_back(expression);
  return static_cast<int>(list.size() - 1);
}

LogicalNodePtr distinct_rows(LogicalNodePtr input) {
  std::vector<int> keys;
  for (size_t i = 0; i < input->schema.size(); ++i) keys.push_back(static_cast<int>(i));
  return make_aggregate(std::move(input), std::move(keys), {});
}

}  // namespace

LogicalNodePtr QueryBinder::bind(const ast::Query& query) {
  const size_t outer = common_tables_.size();
  for (const ast::CommonTableExpression& table : query.with) {
    if (query.recursive) throw bind_error(1199, query.position, "WITH RECURSIVE is not supported yet");
    LogicalNodePtr plan = bind(*table.query);
    if (!table.columns.empty()) {
      if (table.columns.size() != plan->schema.size()) {
        throw bind_error(1112, table.name.position, "'{}' names {} columns, its query has {}", table.name.name,
                         table.columns.size(), plan->schema.size());
      }
      std::vector<std::string> names;
      for (const ast::Identifier& column : table.columns) names.push_back(column.name);
      plan = make_project(plan, identity_expressions(plan->schema), std::move(names));
    }
    common_tables_.emplace_back(table.name.name, std::move(plan));
  }
  LogicalNodePtr plan = bind_body(query);
  common_tables_.resize(outer);
  if (!query.order_by.empty() || query.offset || query.limit) {
    throw bind_error(1199, query.position, "ORDER BY, LIMIT and OFFSET are not supported yet");
  }
  return plan;
}

LogicalNodePtr QueryBinder::bind_body(const ast::Query& query) {
  if (const auto* select = std::get_if<ast::Select>(&query.body)) return bind_select(query, *select);
  if (const auto* values = std::get_if<ast::Values>(&query.body)) return bind_values(query, *values);
  if (const auto* operation = std::get_if<ast::SetOperation>(&query.body)) return bind_set_operation(query, *operation);
  if (const auto* nested = std::get_if<ast::NestedQuery>(&query.body)) return bind(*nested->query);
  ast::NamedTable table;
  for (const ast::Identifier& part : std::get<ast::ExplicitTable>(query.body).name.parts)
    table.name.parts.push_back(part);
  return bind_object(table, query.position);
}

LogicalNodePtr QueryBinder::bind_select(const ast::Query& query, const ast::Select& select) {
  refuse_clauses(query, select);
  for (const ast::Hint& hint : select.hints) {
    if (equals_ignoring_case(hint.name.name, "STATE_TTL")) {
      throw bind_error(1199, hint.name.position, "hint STATE_TTL: state time-to-live is not supported yet");
    }
  }
  BoundRelation input;
  if (select.from) {
    input = bind_from(*select.from);
  } else {
    input.plan = std::make_shared<LogicalNode>(LogicalNode{LogicalValues{{{}}}, Schema(), {}});
  }
  if (select.where) {
    ExpressionBinder binder(context_, input.scope);
    input.plan = make_filter(input.plan, binder.bind_condition(*select.where, "WHERE"));
  }
  LogicalNodePtr plan;
  if (aggregates(select)) {
    plan = bind_aggregation(query, select, std::move(input));
  } else {
    ExpressionBinder binder(context_, input.scope);
    Output out = bind_items(select, input.scope, binder);
    plan = make_project(input.plan, std::move(out.expressions), std::move(out.names));
  }
  return select.distinct ? distinct_rows(std::move(plan)) : plan;
}

LogicalNodePtr QueryBinder::bind_aggregation(const ast::Query&, const ast::Select& select, BoundRelation input) {
  ExpressionBinder key_binder(context_, input.scope);
  std::vector<ExpressionPtr> columns;  // of the projection below the aggregate
  std::vector<ExpressionPtr> keys;
  std::vector<int> key_columns;
  for (const ast::GroupingElement& element : select.group_by) {
    for (const ast::ExpressionPtr& expression : element.expressions) {
      const ExpressionPtr key = key_binder.bind(*expression);
      const auto before = keys.size();
      position_in(keys, key);
      if (keys.size() > before) key_columns.push_back(position_in(columns, key));
    }
  }
  std::vector<PendingAggregate> pending;
  ExpressionBinder binder(context_, input.scope);
  binder.collect_aggregates(pending, !keys.empty());
  Output out = bind_items(select, input.scope, binder);
  ExpressionPtr having;
  if (select.having) having = binder.bind_condition(*select.having, "HAVING");

  std::vector<AggregateCall> calls;
  for (size_t i = 0; i < pending.size(); ++i) {
    AggregateCall call = pending[i].call;
    for (const ExpressionPtr& argument : pending[i].arguments) call.arguments.push_back(position_in(columns, argument));
    if (pending[i].filter) call.filter = position_in(columns, pending[i].filter);
    call.name = fmt::format("EXPR${}", i);
    calls.push_back(std::move(call));
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool plain = columns[i]->kind == Expression::Kind::kInputRef;
    names.push_back(plain ? input.scope.columns[static_cast<size_t>(columns[i]->index)].name : fmt::format("$f{}", i));
  }
  LogicalNodePtr plan = make_project(input.plan, columns, std::move(names));
  plan = make_aggregate(plan, key_columns, std::move(calls));
  const GroupRewriter rewriter(keys, input.scope, plan->schema);
  const Schema aggregated = plan->schema;
  if (having) plan = make_filter(plan, rewriter.rewrite(having, select.having->position));
  for (size_t i = 0; i < out.expressions.size(); ++i) {
    out.expressions[i] = rewriter.rewrite(out.expressions[i], out.positions[i]);
  }
  return make_project(plan, std::move(out.expressions), std::move(out.names));
}

LogicalNodePtr QueryBinder::bind_values(const ast::Query& query, const ast::Values& values) {
  const Scope no_columns;
  ExpressionBinder binder(context_, no_columns);
  std::vector<std::vector<ExpressionPtr>> rows;
  for (const std::vector<ast::ExpressionPtr>& cells : values.rows) {
    std::vector<ExpressionPtr> row;
    for (const ast::ExpressionPtr& cell : cells) row.push_back(binder.bind(*cell));
    if (!rows.empty() && row.size() != rows[0].size()) {
      throw bind_error(1112, query.position, "VALUES: a row has {} cells, the first has {}", row.size(),
                       rows[0].size());
    }
    rows.push_back(std::move(row));
  }
  std::vector<RowField> fields;
  for (size_t column = 0; column < rows[0].size(); ++column) {
    std::vector<LogicalType> types;
    for (const auto& row : rows) types.push_back(row[column]->type);
    fields.push_back({fmt::format("EXPR${}", column), common_type(types)});
  }
  const Schema schema(std::move(fields));
  bool literal = true;
  LogicalValues literals;
  for (auto& row : rows) {
    std::vector<Value> cells;
    for (size_t column = 0; column < row.size(); ++column) {
      row[column] = fold_constants(make_cast(row[column], schema[column].type), {context_.zone});
      literal = literal && row[column]->kind == Expression::Kind::kLiteral;
      cells.push_back(row[column]->value);
    }
    literals.rows.push_back(std::move(cells));
  }
  if (literal) return std::make_shared<LogicalNode>(LogicalNode{std::move(literals), schema, {}});
  // A cell that cannot be folded (RAND(), or one that fails) is computed at run time, as Flink does it.
  std::vector<LogicalNodePtr> inputs;
  for (auto& row : rows) {
    auto one_row = std::make_shared<LogicalNode>(LogicalNode{LogicalValues{{{}}}, Schema(), {}});
    inputs.push_back(make_project(std::move(one_row), std::move(row), column_names(schema)));
  }
  return make_union(std::move(inputs));
}

LogicalNodePtr QueryBinder::bind_set_operation(const ast::Query& query, const ast::SetOperation& operation) {
  if (operation.op != ast::SetOperator::kUnion) {
    throw bind_error(1199, query.position, "INTERSECT and EXCEPT are not supported yet");
  }
  std::vector<LogicalNodePtr> inputs{bind(*operation.left), bind(*operation.right)};
  if (inputs[0]->schema.size() != inputs[1]->schema.size()) {
    throw bind_error(1112, query.position, "UNION: the sides have {} and {} columns", inputs[0]->schema.size(),
                     inputs[1]->schema.size());
  }
  std::vector<LogicalType> types;
  for (size_t i = 0; i < inputs[0]->schema.size(); ++i) {
    const LogicalType pair[] = {inputs[0]->schema[i].type, inputs[1]->schema[i].type};
    try {
      types.push_back(common_type(pair));
    } catch (Error& error) {
      add_position(error.add_context(fmt::format("UNION: column {}", i + 1)), query.position);
      throw;
    }
  }
  for (LogicalNodePtr& input : inputs) {
    std::vector<ExpressionPtr> expressions = identity_expressions(input->schema);
    for (size_t i = 0; i < types.size(); ++i) expressions[i] = make_cast(expressions[i], types[i]);
    input = make_project(input, std::move(expressions), column_names(inputs[0]->schema));
  }
  LogicalNodePtr plan = make_union(std::move(inputs));
  return operation.all ? plan : distinct_rows(std::move(plan));
}

BoundRelation QueryBinder::bind_from(const ast::TableReference& reference) {
  BoundRelation relation;
  if (const auto* table = std::get_if<ast::NamedTable>(&reference.node)) {
    relation = bind_named_table(reference, *table);
  } else if (const auto* derived = std::get_if<ast::DerivedTable>(&reference.node)) {
    if (derived->lateral) throw bind_error(1199, reference.position, "LATERAL is not supported yet");
    relation.plan = bind(*derived->query);
    relation.scope = scope_of(relation.plan->schema, "");
  } else {
    static constexpr std::string_view kNames[] = {"",       "",       "a table function (windows among them)",
                                                  "UNNEST", "a join", "MATCH_RECOGNIZE"};
    throw bind_error(1199, reference.position, "{} in FROM is not supported yet", kNames[reference.node.index()]);
  }
  rename(relation, reference);
  return relation;
}

BoundRelation QueryBinder::bind_named_table(const ast::TableReference& reference, const ast::NamedTable& table) {
  if (table.system_time) throw bind_error(1199, reference.position, "FOR SYSTEM_TIME AS OF is not supported yet");
  BoundRelation relation;
  relation.plan = bind_object(table, reference.position);
  relation.scope = scope_of(relation.plan->schema, table.name.last());
  return relation;
}

LogicalNodePtr QueryBinder::bind_object(const ast::NamedTable& table, const ast::SourcePosition& position) {
  if (table.name.simple()) {
    const auto it = std::find_if(common_tables_.rbegin(), common_tables_.rend(),
                                 [&](const auto& entry) { return entry.first == table.name.last(); });
    if (it != common_tables_.rend()) return it->second;
  }
  std::vector<std::string> names;
  for (const ast::Identifier& part : table.name.parts) names.push_back(part.name);
  const ObjectPath path = context_.catalog->resolve(names);
  const std::shared_ptr<const CatalogObject> object = context_.catalog->find(path);
  if (!object) {
    const std::string near = context_.catalog->nearest(path);
    throw bind_error(1101, position, "object '{}' not found{}", table.name.last(),
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
  if (const auto* view = std::get_if<CatalogView>(object.get())) {
    if (!table.hints.empty()) {
      throw bind_error(1115, table.hints[0].name.position, "view '{}' takes no hints: only tables have options",
                       path.object);
    }
    if (std::find(views_.begin(), views_.end(), path) != views_.end()) {
      std::string way;
      for (const ObjectPath& outer : views_) way += fmt::format("'{}' reads ", outer.object);
      throw bind_error(1118, position, "view {}'{}': it reads itself; give one of them another name", way, path.object);
    }
    QueryBinder inner(context_);  // a view does not see the WITH clauses of its users
    inner.views_ = views_;
    inner.views_.push_back(path);
    LogicalNodePtr plan = inner.bind(*ast::parse_query(view->query));
    return make_project(plan, identity_expressions(plan->schema), column_names(view->schema));
  }
  return bind_table(path, std::get<CatalogTable>(*object), hint_options(table.hints)).plan;
}

BoundRelation QueryBinder::bind_table(const ObjectPath& path, const CatalogTable& table, const OptionMap& hints) {
  auto context = make_table_context(context_, path.object, table, hints);
  LogicalScan scan;
  scan.table = fmt::format("{}.{}.{}", path.catalog, path.database, path.object);
  scan.source = table_factory(context_, *context).create_table_source(*context);
  if (!scan.source) {
    throw user_error(2023, "table '{}': connector '{}' cannot be read", path.object, context->options.at("connector"));
  }
  std::vector<RowField> fields = context->physical.fields();
  for (size_t i = 0; i < fields.size(); ++i) scan.columns.push_back(static_cast<int>(i));
  scan.primary_key = context->primary_key;
  // Columns in DDL order over the scan's; computed columns see those that are not computed.
  const std::vector<MetadataColumn> metadata = scan.source->metadata();
  Scope base;
  std::vector<ExpressionPtr> base_expressions;
  int next_physical = 0;
  for (const CatalogColumn& column : table.columns) {
    if (column.kind == CatalogColumn::Kind::kComputed) continue;
    ExpressionPtr expression;
    if (column.kind == CatalogColumn::Kind::kPhysical) {
      expression = make_input_ref(next_physical++, column.type);
    } else {
      const auto it = std::find_if(metadata.begin(), metadata.end(),
                                   [&](const MetadataColumn& m) { return m.key == column.metadata_key && m.readable; });
      if (it == metadata.end()) {
        std::string known;
        for (const MetadataColumn& m : metadata) known += (known.empty() ? "" : ", ") + m.key;
        throw user_error(2024, "table '{}': column '{}': connector '{}' has no readable metadata '{}'; it has: {}",
                         path.object, column.name, context->options.at("connector"), column.metadata_key,
                         known.empty() ? "none" : known);
      }
      expression = make_cast(make_input_ref(static_cast<int>(fields.size()), it->type), column.type);
      scan.metadata.push_back(it->key);
      fields.push_back({fmt::format("$metadata${}", it->key), it->type});
    }
    base.columns.push_back({path.object, column.name, column.type});
    base_expressions.push_back(std::move(expression));
  }
  std::vector<ExpressionPtr> expressions;
  Scope scope;
  size_t next_base = 0;
  for (const CatalogColumn& column : table.columns) {
    if (column.kind == CatalogColumn::Kind::kComputed) {
      ExpressionBinder binder(context_, base);
      expressions.push_back(substitute(binder.bind(*ast::parse_expression(column.expression)), base_expressions));
    } else {
      expressions.push_back(base_expressions[next_base++]);
    }
    scope.columns.push_back({path.object, column.name, expressions.back()->type});
  }
  if (table.watermark) {
    ScanWatermark watermark;
    watermark.column = table.watermark->column;
    watermark.rowtime = expressions[static_cast<size_t>(table.index_of(watermark.column))];
    const ast::ExpressionPtr written = ast::parse_expression(table.watermark->expression);
    if (!is_source_watermark(*written)) {
      ExpressionBinder binder(context_, scope);
      watermark.expression = substitute(binder.bind(*written), expressions);
    } else if (!scan.source->supports_source_watermark()) {
      throw user_error(2025,
                       "table '{}': connector '{}' has no watermarks of its own, so SOURCE_WATERMARK() cannot be used: "
                       "write an expression such as {} - INTERVAL '5' SECOND",
                       path.object, context->options.at("connector"), watermark.column);
    }
    for (const auto& [key, text] : context->options) {
      if (key.starts_with("scan.watermark.")) watermark.options.emplace(key, text);
    }
    scan.watermark = std::move(watermark);
  }
  auto node = std::make_shared<LogicalNode>(LogicalNode{LogicalScan{}, Schema(std::move(fields)), {}});
  scan.context = std::move(context);
  node->node = std::move(scan);
  return {make_project(std::move(node), std::move(expressions), column_names(table.schema())), std::move(scope)};
}

}  // namespace yeoul
