#include <algorithm>
#include <set>

#include "yeoul/sql/binder/binder.h"
#include "yeoul/sql/binder/query_binder.h"
#include "yeoul/sql/parser/parser.h"

namespace yeoul {
namespace {

CatalogColumn bind_column(const ast::ColumnDefinition& definition) {
  CatalogColumn column;
  column.name = definition.name.name;
  column.comment = definition.comment.value_or("");
  switch (definition.kind) {
    case ast::ColumnKind::kPhysical:
      column.kind = CatalogColumn::Kind::kPhysical;
      break;
    case ast::ColumnKind::kMetadata:
      column.kind = CatalogColumn::Kind::kMetadata;
      column.metadata_key = definition.metadata_key.value_or(column.name);
      column.is_virtual = definition.is_virtual;
      break;
    case ast::ColumnKind::kComputed:
      column.kind = CatalogColumn::Kind::kComputed;
      column.expression = ast::to_sql(*definition.expression);
      break;
  }
  if (definition.type) column.type = bind_data_type(*definition.type);
  return column;
}

void bind_computed_columns(const BinderContext& context, const ast::CreateTableStatement& statement,
                           CatalogTable& table) {
  Scope base;
  for (const CatalogColumn& column : table.columns) {
    if (column.kind != CatalogColumn::Kind::kComputed) base.columns.push_back({"", column.name, column.type});
  }
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].kind != CatalogColumn::Kind::kComputed) continue;
    ExpressionBinder binder(context, base);
    table.columns[i].type = binder.bind(*statement.columns[i].expression)->type;
  }
}

void bind_primary_key(const ast::CreateTableStatement& statement, CatalogTable& table) {
  bool seen = false;
  for (const ast::KeyConstraint& key : statement.keys) {
    if (!key.primary)
      throw bind_error(1113, key.position, "UNIQUE constraints are not supported; use PRIMARY KEY … NOT ENFORCED");
    if (seen) throw bind_error(1113, key.position, "a table has at most one primary key");
    seen = true;
    if (key.enforcement != ast::KeyEnforcement::kNotEnforced) {
      throw bind_error(
          1113, key.position,
          "a primary key cannot be enforced, since the data is not held here: write PRIMARY KEY (…) NOT ENFORCED");
    }
    if (key.name) table.primary_key_name = key.name->name;
    for (const ast::Identifier& name : key.columns) {
      const int index = table.index_of(name.name);
      if (index < 0)
        throw bind_error(1102, name.position, "primary key column '{}' is not a column of the table", name.name);
      CatalogColumn& column = table.columns[static_cast<size_t>(index)];
      if (column.kind != CatalogColumn::Kind::kPhysical) {
        throw bind_error(1113, name.position, "primary key column '{}' must be a physical column", name.name);
      }
      column.type = column.type.not_null();
      table.primary_key.push_back(name.name);
    }
  }
}

void bind_watermark(const BinderContext& context, const ast::CreateTableStatement& statement, CatalogTable& table) {
  if (statement.watermarks.empty()) return;
  const ast::WatermarkDefinition& definition = statement.watermarks[0];
  if (statement.watermarks.size() > 1)
    throw bind_error(1114, statement.watermarks[1].position, "a table has at most one WATERMARK");
  if (!definition.column.simple())
    throw bind_error(1199, definition.position, "WATERMARK on a nested field is not supported yet");
  const std::string& name = definition.column.last();
  const int index = table.index_of(name);
  if (index < 0) throw bind_error(1102, definition.position, "WATERMARK FOR '{}': no such column", name);
  const LogicalType& type = table.columns[static_cast<size_t>(index)].type;
  if (!type.is_timestamp()) {
    throw bind_error(1114, definition.position,
                     "WATERMARK FOR '{}': the column must be TIMESTAMP(p) or TIMESTAMP_LTZ(p), not {}", name,
                     type.to_string());
  }
  if (!is_source_watermark(*definition.expression)) {
    Scope scope;
    for (const CatalogColumn& column : table.columns) scope.columns.push_back({"", column.name, column.type});
    ExpressionBinder binder(context, scope);
    const ExpressionPtr bound = binder.bind(*definition.expression);
    if (!bound->type.is_timestamp()) {
      throw bind_error(1114, definition.position, "WATERMARK FOR '{}': the expression must be a timestamp, not {}",
                       name, bound->type.to_string());
    }
  }
  table.watermark = CatalogWatermark{name, ast::to_sql(*definition.expression)};
}

std::vector<std::string> names_of(const ast::CompoundIdentifier& name) {
  std::vector<std::string> names;
  for (const ast::Identifier& part : name.parts) names.push_back(part.name);
  return names;
}

/// Positions of the persisted columns that an INSERT names; all of them when it names none.
std::vector<int> target_columns(const ast::InsertStatement& statement, const CatalogTable& table) {
  std::vector<int> targets;
  if (statement.columns.empty()) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].persisted()) targets.push_back(static_cast<int>(i));
    }
    return targets;
  }
  for (const ast::Identifier& name : statement.columns) {
    const int index = table.index_of(name.name);
    if (index < 0)
      throw bind_error(1102, name.position, "column '{}' is not in table '{}'", name.name, statement.table.last());
    if (!table.columns[static_cast<size_t>(index)].persisted()) {
      throw bind_error(1115, name.position, "column '{}' of '{}' is computed or VIRTUAL: it cannot be written",
                       name.name, statement.table.last());
    }
    if (std::find(targets.begin(), targets.end(), index) != targets.end()) {
      throw bind_error(1115, name.position, "column '{}' is named twice", name.name);
    }
    targets.push_back(index);
  }
  return targets;
}

/// The expression for one column of the sink: the query's, or NULL where the INSERT leaves it out.
ExpressionPtr sink_expression(const ast::InsertStatement& statement, const CatalogColumn& column, int index,
                              const std::vector<int>& targets, const Schema& query) {
  const auto it = std::find(targets.begin(), targets.end(), index);
  if (it == targets.end()) {
    if (!column.type.nullable()) {
      throw bind_error(1115, statement.table.position, "column '{}' of '{}' is NOT NULL and gets no value", column.name,
                       statement.table.last());
    }
    return make_literal(column.type, Value());
  }
  const auto position = static_cast<size_t>(it - targets.begin());
  try {
    return make_assignment_cast(make_input_ref(static_cast<int>(position), query[position].type), column.type);
  } catch (Error& error) {
    error.add_context(fmt::format("column '{}' of sink '{}', query schema {}", column.name, statement.table.last(),
                                  query.to_string()));
    add_position(error, statement.table.position);
    throw;
  }
}

/// A name that comes again gets a number behind it: a, a0, a1.
void number_repeated_names(std::vector<RowField>& fields) {
  std::set<std::string> used;
  for (RowField& field : fields) {
    std::string name = field.name;
    for (int attempt = 0; !used.insert(name).second; ++attempt) name = field.name + std::to_string(attempt);
    field.name = std::move(name);
  }
}

}  // namespace

CatalogTable bind_create_table(const BinderContext& context, const ast::CreateTableStatement& statement) {
  if (statement.like) throw bind_error(1199, statement.name.position, "CREATE TABLE … LIKE is not supported yet");
  if (statement.as_query) throw bind_error(1199, statement.name.position, "CREATE TABLE … AS is not supported yet");
  if (statement.distribution) throw bind_error(1199, statement.name.position, "DISTRIBUTED BY is not supported yet");
  CatalogTable table;
  table.comment = statement.comment.value_or("");
  std::set<std::string> names;
  for (const ast::ColumnDefinition& definition : statement.columns) {
    if (!names.insert(definition.name.name).second) {
      throw bind_error(1116, definition.name.position, "column '{}' is defined twice", definition.name.name);
    }
    table.columns.push_back(bind_column(definition));
  }
  bind_primary_key(statement, table);
  bind_computed_columns(context, statement, table);
  bind_watermark(context, statement, table);
  for (const ast::Identifier& name : statement.partitioned_by) {
    if (table.index_of(name.name) < 0)
      throw bind_error(1102, name.position, "partition column '{}' is not a column", name.name);
    table.partition_keys.push_back(name.name);
  }
  for (const ast::TableOption& option : statement.options) {
    if (!table.options.emplace(option.key, option.value).second) {
      throw bind_error(1116, option.position, "option '{}' is given twice", option.key);
    }
  }
  return table;
}

CatalogView bind_create_view(const BinderContext& context, const ast::CreateViewStatement& statement) {
  QueryBinder binder(context);
  const LogicalNodePtr plan = binder.bind(*statement.query);
  if (!statement.columns.empty() && statement.columns.size() != plan->schema.size()) {
    throw bind_error(1112, statement.name.position, "view '{}' names {} columns, its query has {}",
                     statement.name.last(), statement.columns.size(), plan->schema.size());
  }
  std::vector<RowField> fields = plan->schema.fields();
  for (size_t i = 0; i < statement.columns.size(); ++i) fields[i].name = statement.columns[i].name;
  std::set<std::string> names;
  for (const RowField& field : fields) {
    if (!names.insert(field.name).second) {
      throw bind_error(1116, statement.name.position, "view '{}' has two columns '{}'; name one of them otherwise",
                       statement.name.last(), field.name);
    }
  }
  return {Schema(std::move(fields)), ast::to_sql(*statement.query), statement.comment.value_or("")};
}

LogicalNodePtr bind_query(const BinderContext& context, const ast::Query& query) {
  QueryBinder binder(context);
  LogicalNodePtr plan = binder.bind(query);
  std::vector<RowField> fields = plan->schema.fields();
  number_repeated_names(fields);
  Schema schema(std::move(fields));
  for (const RowField& field : schema.fields()) {
    if (field.type.is(TypeRoot::kNull))
      throw bind_error(1103, query.position, "column '{}': illegal use of NULL; write CAST(NULL AS type)", field.name);
  }
  return std::make_shared<LogicalNode>(LogicalNode{LogicalCollect{}, std::move(schema), {std::move(plan)}});
}

LogicalNodePtr bind_insert(const BinderContext& context, const ast::InsertStatement& statement) {
  if (statement.overwrite)
    throw bind_error(1199, statement.table.position, "INSERT OVERWRITE needs batch mode; use INSERT INTO");
  if (!statement.partition.empty())
    throw bind_error(1199, statement.table.position, "INSERT … PARTITION is not supported yet");
  const ObjectPath path = context.catalog->resolve(names_of(statement.table));
  const std::shared_ptr<const CatalogObject> object = context.catalog->find(path);
  const auto* table = object ? std::get_if<CatalogTable>(object.get()) : nullptr;
  if (table == nullptr) {
    const std::string near = context.catalog->nearest(path);
    throw bind_error(1101, statement.table.position, "sink {} {}{}", path.to_string(),
                     object ? "is a view" : "does not exist",
                     near.empty() || object ? "" : fmt::format("; did you mean '{}'?", near));
  }
  QueryBinder binder(context);
  LogicalNodePtr plan = binder.bind(*statement.query);
  const std::vector<int> targets = target_columns(statement, *table);
  if (targets.size() != plan->schema.size()) {
    throw bind_error(1112, statement.table.position, "sink '{}' takes {} columns, the query has {}: {}",
                     statement.table.last(), targets.size(), plan->schema.size(), plan->schema.to_string());
  }
  LogicalSink sink;
  sink.table = fmt::format("{}.{}.{}", path.catalog, path.database, path.object);
  const auto table_context = make_table_context(context, path.object, *table, hint_options(statement.hints));
  sink.context = table_context;
  sink.sink = table_factory(context, *table_context).create_table_sink(*table_context);
  if (!sink.sink)
    throw user_error(2023, "table '{}': connector '{}' cannot be written", path.object,
                     table_context->options.at("connector"));
  if (!table->partition_keys.empty() && !sink.sink->supports_partitioning()) {
    throw user_error(2023,
                     "table '{}' is PARTITIONED BY {}, but connector '{}' writes no partitions; remove the clause",
                     path.object, fmt::join(table->partition_keys, ", "), table_context->options.at("connector"));
  }

  std::vector<ExpressionPtr> expressions, metadata_expressions;
  std::vector<std::string> names, metadata_names;
  const std::vector<MetadataColumn> writable = sink.sink->metadata();
  for (size_t i = 0; i < table->columns.size(); ++i) {
    const CatalogColumn& column = table->columns[i];
    if (!column.persisted()) continue;
    ExpressionPtr expression = sink_expression(statement, column, static_cast<int>(i), targets, plan->schema);
    if (column.kind == CatalogColumn::Kind::kPhysical) {
      expressions.push_back(std::move(expression));
      names.push_back(column.name);
      continue;
    }
    const auto it = std::find_if(writable.begin(), writable.end(),
                                 [&](const MetadataColumn& m) { return m.key == column.metadata_key && m.writable; });
    if (it == writable.end()) {
      throw user_error(2024,
                       "table '{}': metadata '{}' of connector '{}' cannot be written; declare column '{}' VIRTUAL",
                       path.object, column.metadata_key, table_context->options.at("connector"), column.name);
    }
    sink.metadata.push_back(column.metadata_key);
    metadata_expressions.push_back(make_cast(std::move(expression), it->type.as_nullable(column.type.nullable())));
    metadata_names.push_back(column.name);
  }
  expressions.insert(expressions.end(), metadata_expressions.begin(), metadata_expressions.end());
  names.insert(names.end(), metadata_names.begin(), metadata_names.end());
  plan = make_project(std::move(plan), std::move(expressions), std::move(names));
  Schema schema = plan->schema;
  return std::make_shared<LogicalNode>(LogicalNode{std::move(sink), std::move(schema), {std::move(plan)}});
}

bool is_source_watermark(const ast::Expression& expression) {
  const auto* call = expression.as<ast::FunctionCall>();
  if (call == nullptr || !call->name.simple() || !call->arguments.empty() || call->niladic) return false;
  std::string name = call->name.last();
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name == "SOURCE_WATERMARK";
}

OptionMap hint_options(const std::vector<ast::Hint>& hints) {
  OptionMap options;
  for (const ast::Hint& hint : hints) {
    if (hint.name.name != "OPTIONS" && hint.name.name != "options") {
      throw bind_error(1199, hint.name.position, "hint {} is not supported yet; OPTIONS is", hint.name.name);
    }
    for (const ast::HintArgument& argument : hint.arguments) options[argument.key] = argument.value.value_or("");
  }
  return options;
}

std::shared_ptr<TableContext> make_table_context(const BinderContext& context, const std::string& name,
                                                 const CatalogTable& table, const OptionMap& hints) {
  auto out = std::make_shared<TableContext>();
  out->name = name;
  std::vector<RowField> fields;
  for (const CatalogColumn& column : table.columns) {
    if (column.kind != CatalogColumn::Kind::kPhysical) continue;
    if (std::find(table.primary_key.begin(), table.primary_key.end(), column.name) != table.primary_key.end()) {
      out->primary_key.push_back(static_cast<int>(fields.size()));
    }
    fields.push_back({column.name, column.type, column.comment});
  }
  out->physical = Schema(std::move(fields));
  out->partition_keys = table.partition_keys;
  out->options = table.options;
  for (const auto& [key, text] : hints) out->options[key] = text;
  if (!out->options.contains("connector")) {
    throw user_error(
        2022, "table '{}': option 'connector' is missing; WITH ('connector' = 'kafka', …) says where its data is",
        name);
  }
  out->formats = context.formats;
  out->zone = context.zone;
  out->session = context.session;
  out->checkpointing = context.checkpointing;
  return out;
}

const TableFactory& table_factory(const BinderContext& context, const TableContext& table) {
  try {
    return context.connectors->find(table.options.at("connector"));
  } catch (Error& error) {
    error.add_context(fmt::format("table '{}'", table.name));
    throw;
  }
}

}  // namespace yeoul
