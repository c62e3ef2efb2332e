#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "yeoul/sql/binder/logical_plan.h"

namespace yeoul {

struct PhysicalNode;
using PhysicalNodePtr = std::shared_ptr<const PhysicalNode>;

/// Reads a table: only the columns and metadata in use (D16).
struct PhysicalScan {
  std::string table;
  std::shared_ptr<const TableContext> context;
  std::shared_ptr<const TableSource> source;
  ScanRequest request;
  std::optional<ScanWatermark> watermark;  ///< over the columns produced
};

struct PhysicalValues {
  std::vector<std::vector<Value>> rows;
};

/// Filters (when there is a condition), then projects.
struct PhysicalCalc {
  ExpressionPtr condition;
  std::vector<ExpressionPtr> projections;
};

/// Deals rows out by key; without keys all to one subtask.
struct PhysicalExchange {
  std::vector<int> keys;
};

struct PhysicalGroupAggregate {
  std::vector<int> keys;
  std::vector<AggregateCall> calls;
  bool input_retracts = false;
  bool generate_update_before = true;
  AggregateEmission emission = AggregateEmission::kFold;
  int64_t mini_batch_latency_ms = 0;
  int64_t mini_batch_rows = 0;
  /// Names of the input's columns by origin, free of positions and aliases: the names of states (D12).
  std::vector<std::string> input_origins;
};

/// Makes a full changelog of an upsert stream: keeps the last row of each key (Flink's ChangelogNormalize).
struct PhysicalChangelogNormalize {
  std::vector<int> keys;
  bool generate_update_before = true;
};

/// Drops -U rows that nobody needs.
struct PhysicalDropUpdateBefore {};

struct PhysicalUnion {};

/// Holds rows to the sink's column types: NULLs (table.exec.sink.not-null-enforcer) and lengths of CHAR, VARCHAR,
/// BINARY and VARBINARY (table.exec.sink.type-length-enforcer).
struct PhysicalConstraintEnforcer {
  enum class Length : uint8_t { kIgnore, kTrimPad, kThrow };
  Schema columns;  ///< of the sink
  std::vector<int> not_null;
  bool drop_nulls = false;
  Length length = Length::kIgnore;
};

struct PhysicalSink {
  std::string table;
  std::shared_ptr<const TableContext> context;
  std::shared_ptr<const TableSink> sink;
  std::vector<std::string> metadata;
};

struct PhysicalCollect {};

/// One node of a physical plan: plain, printable data (docs/architecture.md, D14). No operator lives here.
struct PhysicalNode {
  std::variant<PhysicalScan, PhysicalValues, PhysicalCalc, PhysicalExchange, PhysicalGroupAggregate,
               PhysicalChangelogNormalize, PhysicalDropUpdateBefore, PhysicalUnion, PhysicalConstraintEnforcer,
               PhysicalSink, PhysicalCollect>
      node;
  Schema schema;
  std::vector<PhysicalNodePtr> inputs;
  ChangelogMode mode = ChangelogMode::insert_only();  ///< row kinds that leave the node
  /// Columns that identify a row of the changelog; nothing when unknown, empty when there is at most one row.
  std::optional<std::vector<int>> upsert_key;
  /// Columns by which rows are dealt out over subtasks; nothing when by no key.
  std::optional<std::vector<int>> distribution;
  /// For each column where its value comes from, free of aliases and positions; constants start with '='.
  std::vector<std::string> origins;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

/// Identities of the nodes' states (D12): made of kind, input tables, keys and sink, never of a position or the whole
/// plan.
using NodeUids = std::map<const PhysicalNode*, std::string>;
/// How often each uid was given out in a job.
using TakenUids = std::map<std::string, int>;
/// What tells a job and its operators from others.
struct PlanIdentity {
  NodeUids uids;
  std::string fingerprint;  ///< digest of all plans: the same for the same statements
};
/// Of the plans of one job. Operators of one kind, tables, keys and sink (two INSERTs, or branches of a UNION, that
/// differ in a filter) also carry a digest of the plan around them, so that neither can take the other's state when
/// they change places or one goes away.
/// @param taken  what was given out in the same job before; grows
PlanIdentity identify(std::span<const PhysicalNodePtr> plans, TakenUids& taken);

struct ExplainOptions {
  bool changelog_mode = false;
};

/// The plan as an indented tree in Flink's form, "== Optimized Physical Plan ==".
std::string to_string(const PhysicalNode& plan, const ExplainOptions& options = {});
/// "GroupAggregate(groupBy=[user_region], select=[…])": one node, also the name of its operator.
std::string describe(const PhysicalNode& node);

}  // namespace yeoul
