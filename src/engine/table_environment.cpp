#include "yeoul/engine/table_environment.h"

#include <algorithm>

#include "yeoul/common/ascii.h"
#include "yeoul/common/local_path.h"
#include "yeoul/common/log.h"
#include "yeoul/common/registry.h"
#include "yeoul/runtime/checkpoint_storage.h"
#include "yeoul/sql/binder/query_binder.h"
#include "yeoul/sql/functions/expression.h"
#include "yeoul/sql/parser/parser.h"
#include "yeoul/sql/planner/planner.h"
#include "yeoul/sql/planner/rowtime.h"
#include "yeoul/sql/translator/translator.h"

namespace yeoul {
namespace {

StatementResult ok(std::string note = "") {
  return {.kind = StatementResult::Kind::kOk, .note = std::move(note)};
}

StatementResult table(std::vector<std::string> columns, std::vector<std::vector<std::string>> rows) {
  StatementResult result{.kind = StatementResult::Kind::kTable};
  result.table = {std::move(columns), std::move(rows)};
  return result;
}

std::vector<std::string> names_of(const ast::CompoundIdentifier& name) {
  std::vector<std::string> names;
  for (const ast::Identifier& part : name.parts) names.push_back(part.name);
  return names;
}

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

/// CREATE TABLE text of a table, as SHOW CREATE TABLE prints it.
std::string create_table_text(const ObjectPath& path, const CatalogTable& t, bool temporary) {
  std::vector<std::string> lines;
  for (const CatalogColumn& column : t.columns) {
    std::string line = fmt::format("  `{}` ", column.name);
    if (column.kind == CatalogColumn::Kind::kComputed) {
      line += "AS " + column.expression;
    } else {
      line += column.type.to_string();
      if (column.kind == CatalogColumn::Kind::kMetadata) {
        line += column.metadata_key == column.name ? " METADATA"
                                                   : fmt::format(" METADATA FROM {}", quoted(column.metadata_key));
        if (column.is_virtual) line += " VIRTUAL";
      }
    }
    if (!column.comment.empty()) line += " COMMENT " + quoted(column.comment);
    lines.push_back(std::move(line));
  }
  if (t.watermark)
    lines.push_back(fmt::format("  WATERMARK FOR `{}` AS {}", t.watermark->column, t.watermark->expression));
  const auto list = [](const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += fmt::format("{}`{}`", out.empty() ? "" : ", ", name);
    return out;
  };
  if (!t.primary_key.empty()) lines.push_back(fmt::format("  PRIMARY KEY ({}) NOT ENFORCED", list(t.primary_key)));
  std::string text = fmt::format("CREATE {}TABLE {} (\n", temporary ? "TEMPORARY " : "", path.to_string());
  for (size_t i = 0; i < lines.size(); ++i) text += lines[i] + (i + 1 < lines.size() ? ",\n" : "\n");
  text += ")";
  if (!t.comment.empty()) text += "\nCOMMENT " + quoted(t.comment);
  if (!t.partition_keys.empty()) text += fmt::format("\nPARTITIONED BY ({})", list(t.partition_keys));
  text += " WITH (\n";
  size_t left = t.options.size();
  for (const auto& [key, value] : t.options) {
    text += fmt::format("  {} = {}{}\n", quoted(key), quoted(value), --left > 0 ? "," : "");
  }
  return text + ")";
}

/// DESCRIBE's rows: name, type, null, key, extras, watermark.
StatementResult describe_object(const CatalogObject& object) {
  const std::vector<std::string> columns{"name", "type", "null", "key", "extras", "watermark"};
  std::vector<std::vector<std::string>> rows;
  if (const auto* view = std::get_if<CatalogView>(&object)) {
    for (const RowField& field : view->schema.fields()) {
      rows.push_back({field.name, field.type.as_nullable().to_string(), field.type.nullable() ? "TRUE" : "FALSE",
                      "NULL", "NULL", "NULL"});
    }
    return table(columns, std::move(rows));
  }
  const auto& t = std::get<CatalogTable>(object);
  std::string key;
  for (const std::string& name : t.primary_key) key += (key.empty() ? "" : ", ") + name;
  for (const CatalogColumn& column : t.columns) {
    const bool rowtime = t.watermark && t.watermark->column == column.name;
    const bool in_key = std::find(t.primary_key.begin(), t.primary_key.end(), column.name) != t.primary_key.end();
    std::string extras = "NULL";
    if (column.kind == CatalogColumn::Kind::kComputed) extras = "AS " + column.expression;
    if (column.kind == CatalogColumn::Kind::kMetadata) {
      extras = column.metadata_key == column.name ? "METADATA" : fmt::format("METADATA FROM '{}'", column.metadata_key);
      if (column.is_virtual) extras += " VIRTUAL";
    }
    rows.push_back({column.name, column.type.as_nullable().to_string() + (rowtime ? " *ROWTIME*" : ""),
                    column.type.nullable() ? "TRUE" : "FALSE", in_key ? fmt::format("PRI({})", key) : "NULL", extras,
                    rowtime ? t.watermark->expression : "NULL"});
  }
  return table(columns, std::move(rows));
}

std::vector<std::vector<std::string>> one_column(std::vector<std::string> names) {
  std::vector<std::vector<std::string>> rows;
  for (std::string& name : names) rows.push_back({std::move(name)});
  return rows;
}

/// SQL LIKE over ASCII names: % and _.
bool like(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '%') {
    for (size_t i = 0; i <= text.size(); ++i) {
      if (like(text.substr(i), pattern.substr(1))) return true;
    }
    return false;
  }
  return !text.empty() && (pattern.front() == '_' || pattern.front() == text.front()) &&
         like(text.substr(1), pattern.substr(1));
}

ast::Statement parse(const ScriptStatement& statement) {
  return ast::parse_statement(statement.text,
                              {static_cast<int>(statement.line), static_cast<int>(statement.column), statement.offset});
}

/// The plans of a query, an INSERT or a statement set; none for other statements.
template <class Variant>
std::vector<LogicalNodePtr> bind_plans(const BinderContext& context, const Variant& statement) {
  std::vector<LogicalNodePtr> plans;
  if (const auto* query = std::get_if<ast::QueryStatement>(&statement)) {
    plans.push_back(bind_query(context, *query->query));
  } else if (const auto* insert = std::get_if<ast::InsertStatement>(&statement)) {
    plans.push_back(bind_insert(context, *insert));
  } else if (const auto* set = std::get_if<ast::StatementSet>(&statement)) {
    for (const ast::InsertStatement& one : set->inserts) plans.push_back(bind_insert(context, one));
  }
  return plans;
}

}  // namespace

/// Runs one statement; one overload per kind.
struct StatementVisitor {
  TableEnvironment& session;
  const ast::SourcePosition& position;

  StatementResult operator()(const ast::CreateTableStatement& statement) const {
    const ObjectPath path = session.catalog_.resolve(names_of(statement.name));
    session.catalog_.create(path, bind_create_table(session.binder_context(), statement), statement.temporary,
                            statement.if_not_exists);
    return ok();
  }
  StatementResult operator()(const ast::CreateViewStatement& statement) const {
    const ObjectPath path = session.catalog_.resolve(names_of(statement.name));
    session.catalog_.create(path, bind_create_view(session.binder_context(), statement), statement.temporary,
                            statement.if_not_exists);
    return ok();
  }
  StatementResult operator()(const ast::DropStatement& statement) const {
    session.catalog_.drop(session.catalog_.resolve(names_of(statement.name)), statement.kind == ast::ObjectKind::kTable,
                          statement.temporary, statement.if_exists);
    return ok();
  }
  StatementResult operator()(const ast::InsertStatement& statement) const { return insert({&statement}); }
  StatementResult operator()(const ast::StatementSet& set) const {
    if (set.inserts.empty()) throw bind_error(1117, set.position, "a statement set needs at least one INSERT");
    std::vector<const ast::InsertStatement*> inserts;
    for (const ast::InsertStatement& one : set.inserts) inserts.push_back(&one);
    return insert(inserts);
  }
  StatementResult insert(const std::vector<const ast::InsertStatement*>& inserts) const {
    StatementResult result{.kind = StatementResult::Kind::kJob};
    result.job = session.start_inserts(inserts);
    return result;
  }
  StatementResult operator()(const ast::QueryStatement& statement) const {
    return session.start_query(*statement.query);
  }
  StatementResult operator()(const ast::SetStatement& statement) const {
    if (statement.key) return ok(session.options_.set(*statement.key, statement.value));
    std::vector<std::vector<std::string>> rows;
    for (const auto& [key, value] : session.options_.values()) rows.push_back({key, value});
    return table({"key", "value"}, std::move(rows));
  }
  StatementResult operator()(const ast::ResetStatement& statement) const {
    if (statement.key) {
      session.options_.reset(*statement.key);
    } else {
      session.options_.reset_all();
    }
    return ok();
  }
  StatementResult operator()(const ast::ShowStatement& statement) const;
  StatementResult operator()(const ast::DescribeStatement& statement) const {
    return describe_object(*find(statement.name));
  }
  StatementResult operator()(const ast::ExplainStatement& statement) const;
  StatementResult operator()(const ast::UseStatement& statement) const {
    for (const ast::CompoundIdentifier& name : statement.names) {
      if (statement.kind == ast::UseKind::kModules) throw bind_error(1199, position, "USE MODULES is not supported");
      if (statement.kind == ast::UseKind::kCatalog) {
        session.catalog_.use_catalog(name.last());
      } else {
        session.catalog_.use_database(name.simple() ? std::string(Catalog::kDefaultCatalog) : name.parts[0].name,
                                      name.last());
      }
    }
    return ok();
  }
  StatementResult operator()(const ast::UnsupportedStatement& statement) const {
    if (equals_ignoring_case(statement.what, "ADD JAR") || equals_ignoring_case(statement.what, "REMOVE JAR")) {
      return ok(statement.what + " has no effect: connectors and formats are part of the program");
    }
    throw bind_error(1199, position, "{} is not supported", statement.what);
  }

  std::shared_ptr<const CatalogObject> find(const ast::CompoundIdentifier& name) const {
    const ObjectPath path = session.catalog_.resolve(names_of(name));
    std::shared_ptr<const CatalogObject> object = session.catalog_.find(path);
    if (!object) {
      const std::string near = session.catalog_.nearest(path);
      throw bind_error(1101, name.position, "table or view {} does not exist{}", path.to_string(),
                       near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
    }
    return object;
  }
};

StatementResult StatementVisitor::operator()(const ast::ShowStatement& statement) const {
  const auto filtered = [&](std::string column, std::vector<std::string> names) {
    if (statement.like) {
      std::erase_if(names, [&](const std::string& name) { return like(name, *statement.like) == statement.not_like; });
    }
    return table({std::move(column)}, one_column(std::move(names)));
  };
  switch (statement.kind) {
    case ast::ShowKind::kTables:
      return filtered("table name", session.catalog_.names(true, true));
    case ast::ShowKind::kViews:
      return filtered("view name", session.catalog_.names(false, true));
    case ast::ShowKind::kDatabases:
      return filtered("database name", {std::string(Catalog::kDefaultDatabase)});
    case ast::ShowKind::kCatalogs:
      return filtered("catalog name", {std::string(Catalog::kDefaultCatalog)});
    case ast::ShowKind::kFunctions:
      return filtered("function name", function_names());
    case ast::ShowKind::kCurrentCatalog:
      return table({"current catalog name"}, {{std::string(Catalog::kDefaultCatalog)}});
    case ast::ShowKind::kCurrentDatabase:
      return table({"current database name"}, {{std::string(Catalog::kDefaultDatabase)}});
    case ast::ShowKind::kColumns:
      return describe_object(*find(statement.name));
    case ast::ShowKind::kCreateTable:
    case ast::ShowKind::kCreateView: {
      const ObjectPath path = session.catalog_.resolve(names_of(statement.name));
      const std::shared_ptr<const CatalogObject> object = find(statement.name);
      const bool temporary = session.catalog_.is_temporary(path);
      const bool want_table = statement.kind == ast::ShowKind::kCreateTable;
      if (std::holds_alternative<CatalogTable>(*object) != want_table) {
        throw bind_error(1101, position, "{} is a {}", path.to_string(),
                         want_table ? "view: say SHOW CREATE VIEW" : "table: say SHOW CREATE TABLE");
      }
      StatementResult result{.kind = StatementResult::Kind::kText};
      if (want_table) {
        result.note = create_table_text(path, std::get<CatalogTable>(*object), temporary);
      } else {
        const auto& view = std::get<CatalogView>(*object);
        std::string columns;
        for (const RowField& field : view.schema.fields())
          columns += fmt::format("{}`{}`", columns.empty() ? "" : ", ", field.name);
        result.note = fmt::format("CREATE {}VIEW {}({}) AS\n{}", temporary ? "TEMPORARY " : "", path.to_string(),
                                  columns, view.query);
      }
      return result;
    }
    default:
      throw bind_error(1199, position, "this SHOW is not supported");
  }
}

StatementResult StatementVisitor::operator()(const ast::ExplainStatement& statement) const {
  const std::vector<LogicalNodePtr> plans = bind_plans(session.binder_context(), statement.target);
  if (plans.empty()) throw bind_error(1199, position, "EXPLAIN of CREATE TABLE is not supported");
  bool changelog_mode = false;
  for (const ast::ExplainDetail detail : statement.details) {
    if (detail != ast::ExplainDetail::kChangelogMode) {
      throw bind_error(1199, position, "of the details of EXPLAIN only CHANGELOG_MODE is supported");
    }
    changelog_mode = true;
  }
  StatementResult result{.kind = StatementResult::Kind::kText};
  result.note = session.explain_plans(plans, changelog_mode);
  return result;
}

std::vector<ScriptStatement> split_script(std::string_view sql) {
  std::vector<ScriptStatement> out;
  for (ast::StatementText& statement : ast::split_statements(sql)) {
    const ast::SourcePosition& at = statement.position;
    out.push_back({std::move(statement.text), static_cast<size_t>(at.line), static_cast<size_t>(at.column), at.offset});
  }
  return out;
}

TableEnvironment::TableEnvironment(std::shared_ptr<const Registries> registries, JobEnvironment environment)
    : registries_(std::move(registries)), environment_(environment) {
  make_graph_ = [](const std::function<void(StreamGraph&)>& add_plans) {
    StreamGraph graph;
    add_plans(graph);
    return graph;
  };
}

BinderContext TableEnvironment::binder_context() const {
  return {.catalog = &catalog_,
          .connectors = &registries_->connectors,
          .formats = &registries_->formats,
          .session = options_.values(),
          .zone = options_.zone(),
          .checkpointing = options_.checkpointing()};
}

StatementResult TableEnvironment::execute(const ScriptStatement& statement) {
  const ast::Statement parsed = parse(statement);
  return std::visit(StatementVisitor{*this, parsed.position}, parsed.node);
}

std::string TableEnvironment::explain(const ScriptStatement& statement) {
  const ast::Statement parsed = parse(statement);
  const std::vector<LogicalNodePtr> plans = bind_plans(binder_context(), parsed.node);
  if (!plans.empty()) return explain_plans(plans, false);
  return std::visit(StatementVisitor{*this, parsed.position}, parsed.node).note;
}

std::string TableEnvironment::explain_plans(const std::vector<LogicalNodePtr>& logical, bool changelog_mode) const {
  std::string text = "== Abstract Syntax Tree ==\n";
  for (const LogicalNodePtr& plan : logical) text += to_string(*plan) + "\n";
  text += "== Output Schema ==\n";
  for (const LogicalNodePtr& plan : logical) text += plan->schema.to_string() + "\n\n";
  text += "== Optimized Physical Plan ==\n";
  for (const LogicalNodePtr& plan : logical) {
    text += to_string(*make_physical_plan(plan, options_.values()), ExplainOptions{changelog_mode}) + "\n";
  }
  return text;
}

std::unique_ptr<Job> TableEnvironment::start_inserts(const std::vector<const ast::InsertStatement*>& inserts) {
  const BinderContext context = binder_context();
  std::vector<PhysicalNodePtr> plans;
  std::string name = "insert-into";
  for (const ast::InsertStatement* insert : inserts) {
    const LogicalNodePtr logical = bind_insert(context, *insert);
    name += "_" + logical->as<LogicalSink>()->table;
    plans.push_back(make_physical_plan(logical, options_.values()));
  }
  return start(plans, name, nullptr);
}

StatementResult TableEnvironment::start_query(const ast::Query& query) {
  const LogicalNodePtr logical = bind_query(binder_context(), query);
  StatementResult result{.kind = StatementResult::Kind::kQuery};
  result.schema = logical->schema;
  result.rows = std::make_shared<ResultStream>();
  result.job = start({make_physical_plan(logical, options_.values())}, "collect", collect_sink(result.rows));
  return result;
}

std::unique_ptr<Job> TableEnvironment::start(const std::vector<PhysicalNodePtr>& plans, const std::string& default_name,
                                             std::shared_ptr<const Sink> collect) {
  TranslationConfig translation = translation_config();
  translation.collect = std::move(collect);
  TakenUids taken;
  const PlanIdentity identity = identify(plans, taken);
  const StreamGraph graph = make_graph_([&](StreamGraph& to) {
    for (const PhysicalNodePtr& plan : plans) translate(*plan, identity.uids, translation, to);
  });
  JobConfig config = options_.job_config(default_name);
  config.fingerprint = identity.fingerprint;
  // Checkpoints lie by job name. Two INSERTs into one table, or all under one pipeline.name, must not start from one
  // another's, so each later one has a name of its own, the same in the next run.
  const std::string given_name = config.name;
  for (int n = 2; job_names_.contains(config.name); ++n) config.name = fmt::format("{}-{}", given_name, n);
  config.restore_path = restore_path(config, given_name, translation.collect != nullptr);
  JobEnvironment environment = environment_;
  const bool backend_chosen = options_.values().contains("state.backend.type");
  if (environment.state_backend == nullptr || backend_chosen) {
    const std::string backend = options_.text("state.backend.type");
    environment.state_backend = &find_registered(registries_->state_backends, 2013, "state backend", backend);
  }
  std::unique_ptr<Job> job = run_job(graph, config, environment);
  job_names_.insert(config.name);
  return job;
}

TranslationConfig TableEnvironment::translation_config() const {
  return {.parallelism = options_.parallelism(),
          .session = options_.values(),
          .zone = options_.zone(),
          .clock = environment_.clock};
}

PlannedQuery TableEnvironment::plan_query(const std::string& sql, const ColumnChooser& choose,
                                          bool update_before) const {
  const ast::QueryPtr query = ast::parse_query(sql);
  LogicalNodePtr logical = bind_query(binder_context(), *query);
  LogicalNodePtr rows = logical->inputs[0];
  Schema schema = logical->schema;
  if (choose) {
    std::vector<ExpressionPtr> expressions;
    std::vector<std::string> names;
    for (const WantedColumn& wanted : choose(schema)) {
      const RowField& field = schema[static_cast<size_t>(wanted.column)];
      const LogicalType type = wanted.type.as_nullable(field.type.nullable());
      expressions.push_back(make_assignment_cast(make_input_ref(wanted.column, field.type), type));
      names.push_back(wanted.name);
    }
    rows = make_project(rows, std::move(expressions), std::move(names));
    schema = rows->schema;
  }
  logical = std::make_shared<LogicalNode>(LogicalNode{LogicalCollect{update_before}, schema, {std::move(rows)}});
  PlannedQuery planned{.plan = make_physical_plan(logical, options_.values()), .schema = logical->schema};
  planned.mode = planned.plan->mode;
  const std::vector<bool> rowtimes = rowtime_columns(*planned.plan);
  for (size_t i = 0; i < rowtimes.size(); ++i) {
    if (rowtimes[i]) planned.rowtimes.push_back(static_cast<int>(i));
  }
  return planned;
}

int TableEnvironment::add_query(const PlannedQuery& query, std::shared_ptr<const OperatorFactory> convert,
                                TakenUids& taken, StreamGraph& graph) const {
  TranslationConfig translation = translation_config();
  translation.convert = std::move(convert);
  return translate(*query.plan, identify({&query.plan, 1}, taken).uids, translation, graph);
}

void TableEnvironment::add_inserts(const ScriptStatement& statement, TakenUids& taken, StreamGraph& graph) const {
  const ast::Statement parsed = parse(statement);
  std::vector<PhysicalNodePtr> plans;
  for (const LogicalNodePtr& logical : bind_plans(binder_context(), parsed.node)) {
    plans.push_back(make_physical_plan(logical, options_.values()));
  }
  const PlanIdentity identity = identify(plans, taken);
  for (const PhysicalNodePtr& plan : plans) translate(*plan, identity.uids, translation_config(), graph);
}

std::shared_ptr<const CatalogObject> TableEnvironment::find_object(const std::string& name) const {
  const ast::QueryPtr query = ast::parse_query("TABLE " + name);
  const auto* table = std::get_if<ast::ExplicitTable>(&query->body);
  return table == nullptr ? nullptr : catalog_.find(catalog_.resolve(names_of(table->name)));
}

void TableEnvironment::set_restore(const std::vector<std::string>& restores) {
  for (const std::string& restore : restores) {
    if (restore == "latest") {
      restore_latest_ = true;
      continue;
    }
    Checkpoint checkpoint = read_checkpoint(*environment_.files, local_path("--restore", restore));
    for (const Checkpoint& other : restores_) {
      if (other.job_name != checkpoint.job_name) continue;
      throw user_error(6012, "--restore '{}' and --restore '{}' are checkpoints of the same job '{}'; give one",
                       other.path, checkpoint.path, checkpoint.job_name);
    }
    restores_.push_back(std::move(checkpoint));
  }
}

namespace {

/// Restoring a statement that was changed is allowed (D12), but not in silence.
std::string restored_from(const Checkpoint& checkpoint, const JobConfig& config) {
  if (checkpoint.fingerprint != config.fingerprint) {
    log(LogLevel::kWarn, "checkpoint", "job '{}' goes on from '{}', which another form of its statement made",
        config.name, checkpoint.path);
  }
  return checkpoint.path;
}

/// The newest checkpoint of this very statement, whatever its job was called then, or else of the job's name, where no
/// other job had to share the name.
std::string latest_checkpoint(FileSystem& files, const JobConfig& config, const std::string& given_name) {
  const std::vector<Checkpoint> found = find_latest_checkpoints(files, config.checkpoint_directory, given_name);
  const Checkpoint* same = nullptr;
  const Checkpoint* own = nullptr;
  for (const Checkpoint& checkpoint : found) {
    if (checkpoint.job_name == config.name) own = &checkpoint;
    if (checkpoint.fingerprint != config.fingerprint) continue;
    if (same == nullptr || same->completed_at_ms < checkpoint.completed_at_ms) same = &checkpoint;
  }
  if (same != nullptr) return same->path;
  if (own == nullptr) {
    throw user_error(
        6012,
        "--restore latest: there is no complete checkpoint of job '{}' below '{}'; without --restore it starts afresh",
        config.name, config.checkpoint_directory);
  }
  if (found.size() == 1) return restored_from(*own, config);
  std::vector<std::string> paths;
  for (const Checkpoint& checkpoint : found) paths.push_back("'" + checkpoint.path + "'");
  throw user_error(
      6012,
      "--restore latest: {} jobs have shared the name '{}', and the statement of job '{}' is none of theirs; "
      "say by --restore PATH which each goes on from: {}",
      found.size(), given_name, config.name, fmt::join(paths, ", "));
}

}  // namespace

/// The checkpoint a job starts from; empty: afresh.
std::string TableEnvironment::restore_path(const JobConfig& config, const std::string& given_name, bool is_query) {
  auto own = std::find_if(restores_.begin(), restores_.end(),
                          [&](const Checkpoint& given) { return given.fingerprint == config.fingerprint; });
  if (own == restores_.end()) {
    own = std::find_if(restores_.begin(), restores_.end(),
                       [&](const Checkpoint& given) { return given.job_name == config.name; });
  }
  if (own != restores_.end()) {
    std::string path = restored_from(*own, config);
    restores_.erase(own);
    restored_some_ = true;
    return path;
  }
  if (!config.restore_path.empty() || is_query) return config.restore_path;
  if (restore_latest_) return latest_checkpoint(*environment_.files, config, given_name);
  if (restores_.empty() && !restored_some_) return "";
  std::vector<std::string> given;
  for (const Checkpoint& other : restores_) given.push_back(fmt::format("'{}' ('{}')", other.path, other.job_name));
  throw user_error(6012,
                   "no checkpoint that --restore names is one of job '{}'; left are: {}; give one of each job's (or "
                   "'latest'), or, when this job is meant to go on from another name's, SET "
                   "'execution.state-recovery.path'",
                   config.name, given.empty() ? "none" : fmt::format("{}", fmt::join(given, ", ")));
}

}  // namespace yeoul
