#include <fmt/format.h>

#include "yeoul/sql/parser/sql_writer.h"

namespace yeoul::ast {

void SqlWriter::statement(const Statement& statement) {
  std::visit(*this, statement.node);
}

void SqlWriter::column(const ColumnDefinition& column) {
  name(column.name);
  if (column.type) {
    text(" ");
    type(*column.type);
  }
  if (column.kind == ColumnKind::kMetadata) {
    text(" METADATA");
    if (column.metadata_key) {
      text(" FROM ");
      string(*column.metadata_key);
    }
    if (column.is_virtual) text(" VIRTUAL");
  }
  if (column.expression != nullptr) {
    text(" AS ");
    expression(*column.expression);
  }
  if (!column.comment) return;
  text(" COMMENT ");
  string(*column.comment);
}

void SqlWriter::key(const KeyConstraint& key) {
  if (key.name) {
    text("CONSTRAINT ");
    name(*key.name);
    text(" ");
  }
  text(key.primary ? "PRIMARY KEY " : "UNIQUE ");
  names(key.columns);
  if (key.enforcement == KeyEnforcement::kNotEnforced) text(" NOT ENFORCED");
  if (key.enforcement == KeyEnforcement::kEnforced) text(" ENFORCED");
}

void SqlWriter::operator()(const CreateTableStatement& node) {
  text("CREATE ");
  if (node.or_replace) text("OR REPLACE ");
  if (node.temporary) text("TEMPORARY ");
  text("TABLE ");
  if (node.if_not_exists) text("IF NOT EXISTS ");
  compound(node.name.parts);
  std::string_view separator = " (";
  auto separate = [&] {
    text(separator);
    separator = ", ";
  };
  for (const ColumnDefinition& each : node.columns) {
    separate();
    column(each);
  }
  for (const WatermarkDefinition& watermark : node.watermarks) {
    separate();
    text("WATERMARK FOR ");
    compound(watermark.column.parts);
    text(" AS ");
    expression(*watermark.expression);
  }
  for (const KeyConstraint& each : node.keys) {
    separate();
    key(each);
  }
  if (separator == ", ") text(")");
  create_table_tail(node);
}

void SqlWriter::create_table_tail(const CreateTableStatement& node) {
  if (node.comment) {
    text(" COMMENT ");
    string(*node.comment);
  }
  if (node.distribution) {
    const Distribution& distribution = *node.distribution;
    text(" DISTRIBUTED");
    if (!distribution.columns.empty()) {
      text(distribution.kind.empty() ? " BY " : fmt::format(" BY {} ", distribution.kind));
      names(distribution.columns);
    }
    if (distribution.buckets) text(fmt::format(" INTO {} BUCKETS", *distribution.buckets));
  }
  if (!node.partitioned_by.empty()) {
    text(" PARTITIONED BY ");
    names(node.partitioned_by);
  }
  if (!node.options.empty()) {
    text(" WITH (");
    list(node.options, [&](const TableOption& option) {
      string(option.key);
      text(" = ");
      string(option.value);
    });
    text(")");
  }
  if (node.like) {
    text(" LIKE ");
    compound(node.like->source.parts);
    if (!node.like->options.empty()) {
      text(" (");
      list(
          node.like->options, [&](const LikeClause::Option& option) { text(option.merging + " " + option.feature); },
          " ");
      text(")");
    }
  }
  if (node.as_query == nullptr) return;
  text(" AS ");
  query(*node.as_query);
}

void SqlWriter::operator()(const CreateViewStatement& node) {
  text("CREATE ");
  if (node.or_replace) text("OR REPLACE ");
  if (node.temporary) text("TEMPORARY ");
  text("VIEW ");
  if (node.if_not_exists) text("IF NOT EXISTS ");
  compound(node.name.parts);
  if (!node.columns.empty()) {
    text(" ");
    names(node.columns);
  }
  if (node.comment) {
    text(" COMMENT ");
    string(*node.comment);
  }
  text(" AS ");
  query(*node.query);
}

void SqlWriter::operator()(const DropStatement& node) {
  text("DROP ");
  if (node.temporary) text("TEMPORARY ");
  text(node.kind == ObjectKind::kView ? "VIEW " : "TABLE ");
  if (node.if_exists) text("IF EXISTS ");
  compound(node.name.parts);
}

void SqlWriter::operator()(const InsertStatement& node) {
  text(node.overwrite ? "INSERT OVERWRITE " : "INSERT INTO ");
  compound(node.table.parts);
  hints(node.hints);
  if (!node.partition.empty()) {
    text(" PARTITION (");
    list(node.partition, [&](const InsertStatement::Partition& partition) {
      name(partition.column);
      if (partition.value == nullptr) return;
      text(" = ");
      expression(*partition.value);
    });
    text(")");
  }
  if (!node.columns.empty()) {
    text(" ");
    names(node.columns);
  }
  text(" ");
  query(*node.query);
}

void SqlWriter::operator()(const StatementSet& node) {
  text("STATEMENT SET BEGIN ");
  for (const InsertStatement& insert : node.inserts) {
    (*this)(insert);
    text("; ");
  }
  text("END");
}

void SqlWriter::operator()(const QueryStatement& node) {
  query(*node.query);
}

void SqlWriter::operator()(const SetStatement& node) {
  text("SET");
  if (!node.key) return;
  text(" ");
  string(*node.key);
  text(" = ");
  string(node.value);
}

void SqlWriter::operator()(const ResetStatement& node) {
  text("RESET");
  if (!node.key) return;
  text(" ");
  string(*node.key);
}

void SqlWriter::operator()(const ShowStatement& node) {
  constexpr std::string_view kWords[] = {"TABLES",       "VIEWS",           "DATABASES",
                                         "CATALOGS",     "FUNCTIONS",       "USER FUNCTIONS",
                                         "MODULES",      "FULL MODULES",    "JOBS",
                                         "JARS",         "COLUMNS",         "PARTITIONS",
                                         "PROCEDURES",   "CURRENT CATALOG", "CURRENT DATABASE",
                                         "CREATE TABLE", "CREATE VIEW",     "CREATE CATALOG"};
  text("SHOW ");
  text(kWords[static_cast<size_t>(node.kind)]);
  bool direct = node.kind == ShowKind::kPartitions || node.kind >= ShowKind::kCreateTable;
  if (!node.name.parts.empty()) {
    text(direct ? " " : " FROM ");
    compound(node.name.parts);
  }
  if (!node.like) return;
  if (node.not_like) text(" NOT");
  text(node.ilike ? " ILIKE " : " LIKE ");
  string(*node.like);
}

void SqlWriter::operator()(const DescribeStatement& node) {
  text(node.extended ? "DESCRIBE EXTENDED " : "DESCRIBE ");
  compound(node.name.parts);
}

void SqlWriter::operator()(const ExplainStatement& node) {
  constexpr std::string_view kWords[] = {"ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE"};
  text("EXPLAIN ");
  if (node.details.empty()) text("PLAN FOR ");
  list(node.details, [&](ExplainDetail detail) { text(kWords[static_cast<size_t>(detail)]); });
  if (!node.details.empty()) text(" ");
  std::visit(*this, node.target);
}

void SqlWriter::operator()(const UseStatement& node) {
  text(node.kind == UseKind::kCatalog ? "USE CATALOG " : node.kind == UseKind::kModules ? "USE MODULES " : "USE ");
  list(node.names, [&](const CompoundIdentifier& each) { compound(each.parts); });
}

void SqlWriter::operator()(const UnsupportedStatement& node) {
  text(node.what);
}

std::string to_sql(const Statement& statement) {
  SqlWriter writer;
  if (std::holds_alternative<StatementSet>(statement.node)) writer.text("EXECUTE ");
  writer.statement(statement);
  return writer.take();
}

}  // namespace yeoul::ast
