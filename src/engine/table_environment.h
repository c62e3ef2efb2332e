#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/connectors/api/table_factory.h"
#include "yeoul/engine/collect.h"
#include "yeoul/engine/session_options.h"
#include "yeoul/runtime/checkpoint.h"
#include "yeoul/runtime/job.h"
#include "yeoul/sql/binder/binder.h"
#include "yeoul/sql/catalog/catalog.h"
#include "yeoul/sql/parser/ast.h"
#include "yeoul/sql/planner/physical_plan.h"

namespace yeoul {

struct TranslationConfig;

/// The connectors, formats and state backends of a program; filled by `builtins`.
struct Registries {
  ConnectorRegistry connectors;
  FormatRegistry formats;
  std::map<std::string, std::unique_ptr<StateBackendFactory>, std::less<>> state_backends;
};

/// A small table of text, as SHOW, DESCRIBE and EXPLAIN answer.
struct TextTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< "NULL" written out
};

/// What a statement gave.
struct StatementResult {
  enum class Kind : uint8_t {
    kOk,     ///< done; `note` may say something
    kTable,  ///< `table`
    kText,   ///< `note` is the answer (EXPLAIN, SHOW CREATE)
    kJob,    ///< INSERT or a statement set: `job` runs
    kQuery,  ///< SELECT: `job` runs, its rows come through `rows`
  };
  Kind kind = Kind::kOk;
  std::string note;
  TextTable table;
  std::unique_ptr<Job> job;
  std::shared_ptr<ResultStream> rows;
  Schema schema;  ///< kQuery
};

/// One statement of a script and where it starts; line and column count from 1.
struct ScriptStatement {
  std::string text;
  size_t line = 1;
  size_t column = 1;
  size_t offset = 0;
};
/// Cuts a script at its semicolons. @throws user error 1001 for an unterminated string, name or comment.
std::vector<ScriptStatement> split_script(std::string_view sql);

/// A query that is bound and planned, for those who make it part of a graph of their own.
struct PlannedQuery {
  PhysicalNodePtr plan;
  Schema schema;
  ChangelogMode mode;
  std::vector<int> rowtimes;  ///< columns that are rowtime attributes
};

/// A column of a query as its reader wants it.
struct WantedColumn {
  int column = -1;   ///< of the query
  std::string name;  ///< in the result
  LogicalType type;  ///< the column is cast to it by the rules of INSERT
};
/// Chooses the columns of a query with this schema.
using ColumnChooser = std::function<std::vector<WantedColumn>(const Schema&)>;

/// A session: catalog, options, statements (Flink's TableEnvironment). CLI, gateway and Python all go through it.
/// Threads: one at a time.
class TableEnvironment {
 public:
  explicit TableEnvironment(std::shared_ptr<const Registries> registries, JobEnvironment environment = {});

  SessionOptions& options() { return options_; }
  const SessionOptions& options() const { return options_; }
  /// Where the INSERT jobs start from: checkpoints, each for the job that made it, or "latest", the newest of each
  /// job's name. A query starts from its own checkpoint when that is among them, otherwise afresh.
  /// @throws user error 6003 or 6012, external error 6002: a path is no complete checkpoint, or two are of one job
  void set_restore(const std::vector<std::string>& restores);

  /// Runs one statement. Jobs are started, not waited for.
  /// @throws Error; nothing has started then.
  StatementResult execute(const ScriptStatement& statement);
  /// The plan of a query, INSERT or statement set, as EXPLAIN prints it; other statements are run.
  std::string explain(const ScriptStatement& statement);

  // For a session within a program that describes streams (StreamTableEnvironment):

  /// Makes the graph of a job from what `add_plans` adds to it.
  using GraphMaker = std::function<StreamGraph(const std::function<void(StreamGraph&)>& add_plans)>;
  /// Jobs get their graph from there, since their tables may be streams.
  void set_graph_maker(GraphMaker maker) { make_graph_ = std::move(maker); }
  void set_environment(const JobEnvironment& environment) { environment_ = environment; }
  /// @param sql            a query
  /// @param choose         null: all columns as they are
  /// @param update_before  false: an upsert changelog, in order by the query's key
  PlannedQuery plan_query(const std::string& sql, const ColumnChooser& choose, bool update_before = true) const;
  /// Adds a query with the operator `convert` behind it, which is returned.
  int add_query(const PlannedQuery& query, std::shared_ptr<const OperatorFactory> convert, TakenUids& taken,
                StreamGraph& graph) const;
  /// Adds an INSERT or a statement set.
  void add_inserts(const ScriptStatement& statement, TakenUids& taken, StreamGraph& graph) const;
  /// Whether a table or view of that name exists; null: none. @param name  as in SQL
  std::shared_ptr<const CatalogObject> find_object(const std::string& name) const;

 private:
  friend struct StatementVisitor;

  BinderContext binder_context() const;
  /// Binds, plans and starts one job for all inserts.
  std::unique_ptr<Job> start_inserts(const std::vector<const ast::InsertStatement*>& inserts);
  StatementResult start_query(const ast::Query& query);
  std::unique_ptr<Job> start(const std::vector<PhysicalNodePtr>& plans, const std::string& default_name,
                             std::shared_ptr<const Sink> collect);
  TranslationConfig translation_config() const;
  std::string restore_path(const JobConfig& config, const std::string& given_name, bool is_query);
  std::string explain_plans(const std::vector<LogicalNodePtr>& logical, bool changelog_mode) const;

  std::shared_ptr<const Registries> registries_;
  JobEnvironment environment_;
  GraphMaker make_graph_;
  SessionOptions options_;
  Catalog catalog_;
  bool restore_latest_ = false;
  std::vector<Checkpoint> restores_;  ///< given, and no job's yet
  bool restored_some_ = false;        ///< a job has started from one of them
  std::set<std::string> job_names_;   ///< of the jobs that were started
};

}  // namespace yeoul
