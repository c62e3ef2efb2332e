#include "yeoul/table/stream_table_environment.h"

#include <algorithm>

#include "yeoul/common/ascii.h"
#include "yeoul/table/table_program.h"

namespace yeoul {

namespace {

/// The query's columns in the order of the record's fields, in types that these can read.
std::vector<WantedColumn> choose(const RecordShape& shape, const Schema& schema) {
  std::vector<WantedColumn> wanted;
  const auto names = [](const auto& fields) {
    std::string out;
    for (const auto& field : fields) out += (out.empty() ? "" : ", ") + field.name;
    return out;
  };
  for (size_t i = 0; i < shape.fields.size(); ++i) {
    const RecordField& field = shape.fields[i];
    const int column = shape.by_name ? schema.index_of(field.name) : i < schema.size() ? static_cast<int>(i) : -1;
    if (column < 0) {
      throw user_error(7122, "field '{}' ({}) of {} has no column in the table, which has: {}", field.name,
                       field.cpp_name, shape.type, names(schema.fields()));
    }
    const RowField& from = schema[static_cast<size_t>(column)];
    const std::optional<LogicalType> target = field.target(from.type);
    if (!target) {
      throw user_error(7123, "column '{}' is {}, which field '{}' of {}, a {}, cannot be made of: CAST it in the query",
                       from.name, from.type.to_string(), field.name, shape.type, field.cpp_name);
    }
    wanted.push_back({column, from.name, *target});
  }
  for (size_t column = 0; column < schema.size(); ++column) {
    const bool read = std::any_of(wanted.begin(), wanted.end(),
                                  [&](const WantedColumn& w) { return w.column == static_cast<int>(column); });
    if (!read) {
      throw user_error(7122, "column '{}' ({}) has no field in {}, which has: {}; leave it out of the query",
                       schema[column].name, schema[column].type.to_string(), shape.type, names(shape.fields));
    }
  }
  return wanted;
}

void check_view_name(const std::string& path) {
  if (!trimmed(path).empty()) return;
  throw user_error(7130, "create_temporary_view(): the name is empty: give one by which queries name the view");
}

/// Whether a stream of such a changelog can hold what the query makes. -U of an upsert changelog becomes -D.
void check_mode(ChangelogMode query, ChangelogMode stream) {
  if (stream.is_insert_only() && !query.is_insert_only()) {
    throw user_error(1205,
                     "to_data_stream() gives rows that are only inserted, but this query also changes them ({}): use "
                     "to_changelog_stream(), which gives each row with its kind",
                     query.to_string());
  }
  for (const RowKind kind : {RowKind::kInsert, RowKind::kUpdateAfter, RowKind::kDelete}) {
    if (!query.contains(kind) || stream.contains(kind)) continue;
    throw user_error(1205, "the query makes {} changes ({}), which a changelog stream of {} leaves out",
                     short_name(kind), query.to_string(), stream.to_string());
  }
}

}  // namespace

StreamTableEnvironment StreamTableEnvironment::create(const StreamExecutionEnvironment& env) {
  return StreamTableEnvironment(std::make_shared<TableProgram>(env.shared_state()));
}

const std::shared_ptr<EnvironmentState>& StreamTableEnvironment::shared_state() const {
  return program_->state;
}

TableResult StreamTableEnvironment::execute_sql(const std::string& statement) {
  return TableResult(program_->execute(statement));
}

Table StreamTableEnvironment::sql_query(const std::string& query) const {
  const std::string text = only_statement(query).text;
  program_->session().plan_query(text, nullptr);
  return {program_, text};
}

Table StreamTableEnvironment::from_path(const std::string& path) const {
  return sql_query("SELECT * FROM " + path);
}

std::string StreamTableEnvironment::explain_sql(const std::string& statement) {
  return program_->session().explain(only_statement(statement));
}

SessionOptions& StreamTableEnvironment::get_config() {
  return program_->session().options();
}

void StreamTableEnvironment::create_temporary_view(const std::string& path, const Table& table) const {
  check_view_name(path);
  check_own_table("create_temporary_view()", *program_, table);
  program_->execute(fmt::format("CREATE TEMPORARY VIEW {} AS {}", path, table.query()));
}

void StreamTableEnvironment::drop_temporary_view(const std::string& path) const {
  const std::shared_ptr<const CatalogObject> object = program_->session().find_object(path);
  const bool is_view = object && std::holds_alternative<CatalogView>(*object);
  program_->execute(fmt::format("DROP TEMPORARY {} {}", is_view ? "VIEW" : "TABLE", path));
}

void StreamTableEnvironment::register_stream(const std::string& path, StreamTable stream,
                                             const TableSchema& schema) const {
  check_view_name(path);
  if (stream.state != program_->state) {
    throw user_error(7129,
                     "table {}: stream '{}' belongs to another StreamExecutionEnvironment than this "
                     "StreamTableEnvironment: give StreamTableEnvironment::create() the one that made the stream",
                     path, stream.state->plan.node(stream.inputs.front().node).name);
  }
  std::vector<std::string> lines;
  if (!schema.has_physical_columns()) {
    if (stream.fields.empty()) {
      throw user_error(7127,
                       "table {}: the columns of a stream of rows are not known: declare them with "
                       "TableSchema::new_builder().column(…)",
                       path);
    }
    for (const StreamField& field : stream.fields) {
      lines.push_back(TableSchema::column_line(field.name, field.type.to_string()));
    }
  }
  lines.insert(lines.end(), schema.lines().begin(), schema.lines().end());
  const std::string number = program_->streams->add(std::move(stream));
  try {
    program_->session().execute(
        {.text = fmt::format("CREATE TEMPORARY TABLE {} (\n  {}\n) WITH ('connector' = '{}', 'stream' = '{}')", path,
                             fmt::join(lines, ",\n  "), StreamTables::kConnector, number)});
  } catch (Error& error) {
    error.add_context(fmt::format("table {} of a stream", path));
    throw;
  }
  try {
    program_->session().plan_query("SELECT * FROM " + path, nullptr);
  } catch (Error& error) {
    program_->execute("DROP TEMPORARY TABLE " + path);
    error.add_context(fmt::format("table {} of a stream", path));
    throw;
  }
}

Table StreamTableEnvironment::anonymous(StreamTable stream, const TableSchema& schema) const {
  const std::string path = quoted_name(fmt::format("*anonymous_datastream_source${}*", ++program_->num_anonymous));
  register_stream(path, std::move(stream), schema);
  return {program_, "SELECT * FROM " + path};
}

int StreamTableEnvironment::add_query(const Table& table, const RecordShape& shape, MakeToRecords make,
                                      ChangelogMode mode) const {
  check_own_table("to_data_stream() or to_changelog_stream()", *program_, table);
  TableEnvironment& session = program_->session();
  ColumnChooser chooser;
  if (!shape.fields.empty()) {
    chooser = [&](const Schema& schema) { return choose(shape, schema); };
  }
  const bool upsert = !mode.contains(RowKind::kUpdateBefore) && !mode.is_insert_only();
  const PlannedQuery query = session.plan_query(table.query(), chooser, !upsert);
  check_mode(query.mode, mode);
  if (query.rowtimes.size() > 1) {
    std::string names;
    for (const int column : query.rowtimes) {
      names += (names.empty() ? "" : ", ") + query.schema[static_cast<size_t>(column)].name;
    }
    throw user_error(1206,
                     "the query has several rowtime columns ({}), but a record has one event time: CAST all but one to "
                     "another TIMESTAMP type",
                     names);
  }
  ToRecordsSpec spec{.upsert = upsert};
  if (!query.rowtimes.empty()) spec.rowtime = query.rowtimes[0];
  for (size_t i = 0; i < query.schema.size(); ++i) {
    const RowField& column = query.schema[i];
    spec.columns.push_back(shape.fields.empty()
                               ? fmt::format("column '{}'", column.name)
                               : fmt::format("column '{}' ({}), field '{}' of {}", column.name, column.type.to_string(),
                                             shape.fields[i].name, shape.type));
  }
  StreamPlan& plan = program_->state->plan;
  int last = -1;
  const std::string name = fmt::format("TableToDataStream(type={}, rowtime={})", shape.type, !query.rowtimes.empty());
  plan.want(plan.add_nodes([&](StreamGraph& graph) {
    last = session.add_query(query, make(std::move(spec)), program_->taken_uids, graph);
    graph.nodes()[static_cast<size_t>(last)].name = name;
  }));
  return last;
}

}  // namespace yeoul
