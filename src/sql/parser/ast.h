#pragma once

#include "yeoul/sql/parser/ast_query.h"

namespace yeoul::ast {

/// `'key' = 'value'` in WITH.
struct TableOption {
  SourcePosition position;
  std::string key, value;
};

enum class ColumnKind { kPhysical, kMetadata, kComputed };
struct ColumnDefinition {
  Identifier name;
  ColumnKind kind = ColumnKind::kPhysical;
  std::optional<DataTypeSyntax> type;       ///< Absent for computed columns, and for CREATE TABLE t (a, b) AS SELECT.
  std::optional<std::string> metadata_key;  ///< METADATA FROM 'key'; absent: the column's name.
  bool is_virtual = false;                  ///< METADATA … VIRTUAL
  ExpressionPtr expression;                 ///< kComputed only.
  bool primary_key = false;                 ///< `c INT PRIMARY KEY NOT ENFORCED`
  std::optional<std::string> comment;
};

struct WatermarkDefinition {
  SourcePosition position;
  CompoundIdentifier column;  ///< More than one part for a nested field.
  ExpressionPtr expression;
};

enum class KeyEnforcement { kUnspecified, kNotEnforced, kEnforced };
/// PRIMARY KEY or UNIQUE, of a table or of one column.
struct KeyConstraint {
  SourcePosition position;
  std::optional<Identifier> name;
  bool primary = true;  ///< false: UNIQUE
  std::vector<Identifier> columns;
  KeyEnforcement enforcement = KeyEnforcement::kUnspecified;
};

/// `LIKE t (INCLUDING ALL OVERWRITING OPTIONS)`
struct LikeClause {
  CompoundIdentifier source;
  struct Option {
    std::string merging;  ///< INCLUDING, EXCLUDING, OVERWRITING
    std::string feature;  ///< ALL, CONSTRAINTS, GENERATED, METADATA, OPTIONS, PARTITIONS, WATERMARKS, DISTRIBUTION
  };
  std::vector<Option> options;
};

/// `DISTRIBUTED [BY [HASH|RANGE] (a, b)] INTO n BUCKETS`
struct Distribution {
  std::string kind;  ///< HASH, RANGE or empty.
  std::vector<Identifier> columns;
  std::optional<int64_t> buckets;
};

struct CreateTableStatement {
  CompoundIdentifier name;
  bool temporary = false;
  bool if_not_exists = false;
  bool or_replace = false;
  std::vector<ColumnDefinition> columns;
  std::vector<WatermarkDefinition> watermarks;  ///< More than one is for the binder to refuse.
  std::vector<KeyConstraint> keys;              ///< Also those written at a column.
  std::optional<std::string> comment;
  std::optional<Distribution> distribution;
  std::vector<Identifier> partitioned_by;
  std::vector<TableOption> options;
  std::optional<LikeClause> like;
  QueryPtr as_query;  ///< CREATE TABLE AS; null otherwise.
};

struct CreateViewStatement {
  CompoundIdentifier name;
  bool temporary = false;
  bool if_not_exists = false;
  bool or_replace = false;
  std::vector<Identifier> columns;
  std::optional<std::string> comment;
  QueryPtr query;
};

/// CREATE and DROP of catalogs, databases, functions and the like, ALTER, and other statements of Flink that the parser
/// recognises by their first words only, so that the engine can say what is not supported.
struct UnsupportedStatement {
  std::string what;  ///< "CREATE FUNCTION", "ALTER TABLE", …
};

enum class ObjectKind { kTable, kView };
struct DropStatement {
  ObjectKind kind = ObjectKind::kTable;
  CompoundIdentifier name;
  bool temporary = false;
  bool if_exists = false;
};

struct InsertStatement {
  CompoundIdentifier table;
  std::vector<Hint> hints;
  bool overwrite = false;
  std::vector<Identifier> columns;  ///< Empty: all of the table.
  struct Partition {
    Identifier column;
    ExpressionPtr value;  ///< Null for a dynamic partition.
  };
  std::vector<Partition> partition;
  QueryPtr query;
};

struct StatementSet {
  SourcePosition position;
  std::vector<InsertStatement> inserts;
};

struct QueryStatement {
  QueryPtr query;
};

/// `SET 'k' = 'v'`; without key: bare SET, which lists the options.
struct SetStatement {
  std::optional<std::string> key;
  std::string value;
};
/// `RESET 'k'`; without key: all of them.
struct ResetStatement {
  std::optional<std::string> key;
};

enum class ShowKind {
  kTables,
  kViews,
  kDatabases,
  kCatalogs,
  kFunctions,
  kUserFunctions,
  kModules,
  kFullModules,
  kJobs,
  kJars,
  kColumns,
  kPartitions,
  kProcedures,
  kCurrentCatalog,
  kCurrentDatabase,
  kCreateTable,
  kCreateView,
  kCreateCatalog,
};
struct ShowStatement {
  ShowKind kind = ShowKind::kTables;
  CompoundIdentifier name;  ///< The object of SHOW CREATE …, or behind FROM / IN; may be empty.
  std::optional<std::string> like;
  bool not_like = false;
  bool ilike = false;
};

struct DescribeStatement {
  CompoundIdentifier name;
  bool extended = false;
};

enum class ExplainDetail { kEstimatedCost, kChangelogMode, kJsonExecutionPlan, kPlanAdvice };
struct ExplainStatement {
  std::vector<ExplainDetail> details;
  std::variant<QueryStatement, InsertStatement, StatementSet, CreateTableStatement> target;
};

enum class UseKind { kDatabase, kCatalog, kModules };
struct UseStatement {
  UseKind kind = UseKind::kDatabase;
  std::vector<CompoundIdentifier> names;  ///< One, but for modules.
};

using StatementNode = std::variant<CreateTableStatement, CreateViewStatement, DropStatement, InsertStatement,
                                   StatementSet, QueryStatement, SetStatement, ResetStatement, ShowStatement,
                                   DescribeStatement, ExplainStatement, UseStatement, UnsupportedStatement>;

/// One statement. EXECUTE in front of INSERT or SELECT leaves no trace.
struct Statement {
  SourcePosition position;
  StatementNode node;
};

/// SQL text in one line that parses to the same tree.
std::string to_sql(const Statement& statement);

}  // namespace yeoul::ast
