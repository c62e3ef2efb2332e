#include "yeoul/sql/planner/planner.h"

#include <algorithm>
#include <set>

#include "yeoul/common/ascii.h"
#include "yeoul/common/error.h"
#include "yeoul/sql/binder/query_binder.h"
#include "yeoul/sql/planner/monotonicity.h"
#include "yeoul/sql/planner/run_time_null.h"

namespace yeoul {
namespace {

using NodePtr = std::shared_ptr<PhysicalNode>;

bool has_updates(ChangelogMode mode) {
  return mode.contains(RowKind::kUpdateAfter) || mode.contains(RowKind::kUpdateBefore);
}

/// The session sets `key` to `value`, whatever the case.
bool option_is(const OptionMap& session, std::string_view key, std::string_view value) {
  const auto it = session.find(key);
  return it != session.end() && equals_ignoring_case(it->second, value);
}

template <class T>
NodePtr make_node(T node, Schema schema, std::vector<PhysicalNodePtr> inputs) {
  auto out = std::make_shared<PhysicalNode>();
  out->node = std::move(node);
  out->schema = std::move(schema);
  if (!inputs.empty()) {
    out->mode = inputs[0]->mode;
    out->upsert_key = inputs[0]->upsert_key;
    out->distribution = inputs[0]->distribution;
    out->origins = inputs[0]->origins;
  }
  out->inputs = std::move(inputs);
  return out;
}

/// A chain of projections and filters over a node that is neither, as one Calc.
struct CalcChain {
  LogicalNodePtr input;
  ExpressionPtr condition;
  std::vector<ExpressionPtr> projections;
};

bool deterministic(const std::vector<ExpressionPtr>& expressions) {
  return std::all_of(expressions.begin(), expressions.end(), [](const ExpressionPtr& e) { return e->deterministic; });
}

CalcChain collect_calc(const LogicalNodePtr& top) {
  CalcChain chain{top, nullptr, identity_expressions(top->schema)};
  for (;;) {
    const LogicalNodePtr node = chain.input;
    if (const auto* filter = node->as<LogicalFilter>()) {
      chain.condition = chain.condition ? make_call("AND", {filter->condition, chain.condition}) : filter->condition;
    } else if (const auto* project = node->as<LogicalProject>()) {
      // What is not deterministic must be computed once: it stays where it is.
      if (!deterministic(project->expressions) && node != top) return chain;
      if (chain.condition) chain.condition = substitute(chain.condition, project->expressions);
      for (ExpressionPtr& expression : chain.projections) expression = substitute(expression, project->expressions);
      if (!deterministic(project->expressions)) {
        chain.input = node->inputs[0];
        return chain;
      }
    } else {
      return chain;
    }
    chain.input = node->inputs[0];
  }
}

/// The columns of `keys` behind projections that pass them on unchanged; nothing when one is lost.
std::optional<std::vector<int>> map_columns(const std::optional<std::vector<int>>& keys,
                                            const std::vector<ExpressionPtr>& projections) {
  if (!keys) return std::nullopt;
  std::vector<int> out;
  for (const int key : *keys) {
    const auto it = std::find_if(projections.begin(), projections.end(), [&](const ExpressionPtr& e) {
      const Expression* inner = e.get();
      // Widening a string keeps it distinct.
      while (inner->kind == Expression::Kind::kCast && inner->type.is_string() &&
             inner->arguments[0]->type.is_string() && inner->type.length() >= inner->arguments[0]->type.length() &&
             inner->type.is(TypeRoot::kVarchar)) {
        inner = inner->arguments[0].get();
      }
      return inner->kind == Expression::Kind::kInputRef && inner->index == key;
    });
    if (it == projections.end()) return std::nullopt;
    out.push_back(static_cast<int>(it - projections.begin()));
  }
  return out;
}

class Planner {
 public:
  explicit Planner(const OptionMap& session) : session_(session) {}

  /// @param need_update_before  the consumer cannot do without -U
  NodePtr plan(const LogicalNodePtr& node, bool need_update_before);
  NodePtr plan_sink(const LogicalNode& node, const LogicalSink& sink);
  NodePtr plan_collect(const LogicalNode& node, const LogicalCollect& collect);
  NodePtr key_upserts(NodePtr input);

 private:
  NodePtr plan_calc(const LogicalNodePtr& top, bool need_update_before);
  NodePtr plan_scan(const LogicalNode& node, const LogicalScan& scan, CalcChain* calc, bool need_update_before);
  NodePtr plan_values(const LogicalNode& node, const LogicalValues& values);
  NodePtr plan_aggregate(const LogicalNode& node, const LogicalAggregate& aggregate, bool need_update_before);
  NodePtr plan_union(const LogicalNode& node, bool need_update_before);
  NodePtr exchange(NodePtr input, std::vector<int> keys);
  NodePtr enforce_constraints(NodePtr input, const LogicalSink& sink);
  void check_sink_key(const PhysicalNode& input, const LogicalSink& sink);

  const OptionMap& session_;
};

NodePtr Planner::plan(const LogicalNodePtr& node, bool need_update_before) {
  if (node->as<LogicalProject>() || node->as<LogicalFilter>()) return plan_calc(node, need_update_before);
  if (const auto* scan = node->as<LogicalScan>()) return plan_scan(*node, *scan, nullptr, need_update_before);
  if (const auto* values = node->as<LogicalValues>()) return plan_values(*node, *values);
  if (const auto* aggregate = node->as<LogicalAggregate>())
    return plan_aggregate(*node, *aggregate, need_update_before);
  if (node->as<LogicalUnion>()) return plan_union(*node, need_update_before);
  throw internal_error(9004, "a sink inside a query");
}

NodePtr Planner::plan_calc(const LogicalNodePtr& top, bool need_update_before) {
  CalcChain chain = collect_calc(top);
  // A filter lets the old row pass and not the new one: without -U the old one would stay (as Flink plans it).
  const bool need = need_update_before || chain.condition != nullptr;
  NodePtr input;
  if (const auto* scan = chain.input->as<LogicalScan>()) {
    input = plan_scan(*chain.input, *scan, &chain, need);
  } else {
    input = plan(chain.input, need);
  }
  const std::vector<ExpressionPtr> identity = identity_expressions(input->schema);
  bool unchanged = !chain.condition && identity.size() == chain.projections.size();
  for (size_t i = 0; unchanged && i < identity.size(); ++i)
    unchanged = same_expression(*identity[i], *chain.projections[i]);
  if (unchanged) {
    input->schema = top->schema;
    return input;
  }
  for (ExpressionPtr& projection : chain.projections) projection = with_element_default(projection);
  std::vector<std::string> origins;
  for (const ExpressionPtr& expression : chain.projections) {
    const bool constant = input_columns(std::vector{expression}).empty() && expression->deterministic;
    origins.push_back((constant ? "=" : "") + expression->to_string(input->origins));
  }
  NodePtr out = make_node(PhysicalCalc{chain.condition, chain.projections}, top->schema, {input});
  out->upsert_key = map_columns(input->upsert_key, chain.projections);
  out->distribution = map_columns(input->distribution, chain.projections);
  out->origins = std::move(origins);
  return out;
}

/// @param calc  the Calc above, whose input refs are moved to the pruned columns; null: all columns are read
NodePtr Planner::plan_scan(const LogicalNode& node, const LogicalScan& scan, CalcChain* calc, bool need_update_before) {
  const bool upsert = scan.source->is_upsert();
  const bool duplicates = option_is(session_, "table.exec.source.cdc-events-duplicate", "true") &&
                          !scan.source->changelog_mode().is_insert_only();
  const bool normalize = upsert || duplicates;
  if (normalize && scan.primary_key.empty()) {
    throw user_error(1203, "table '{}' gives an upsert changelog and needs a PRIMARY KEY (…) NOT ENFORCED",
                     scan.context->name);
  }
  std::set<int> used;
  if (calc != nullptr) {
    std::vector<ExpressionPtr> all = calc->projections;
    if (calc->condition) all.push_back(calc->condition);
    if (scan.watermark && scan.watermark->expression) all.push_back(scan.watermark->expression);
    for (const int column : input_columns(all)) used.insert(column);
  } else {
    for (size_t i = 0; i < node.schema.size(); ++i) used.insert(static_cast<int>(i));
  }
  if (normalize) used.insert(scan.primary_key.begin(), scan.primary_key.end());
  PhysicalScan out{scan.table, scan.context, scan.source, {}, scan.watermark};
  std::vector<ExpressionPtr> moved(node.schema.size());
  std::vector<RowField> fields;
  std::vector<std::string> origins;
  for (const int column : used) {
    const auto index = static_cast<size_t>(column);
    moved[index] = make_input_ref(static_cast<int>(fields.size()), node.schema[index].type);
    fields.push_back(node.schema[index]);
    origins.push_back(node.schema[index].name);
    if (index < scan.columns.size()) {
      out.request.columns.push_back(scan.columns[index]);
    } else {
      out.request.metadata.push_back(scan.metadata[index - scan.columns.size()]);
    }
  }
  if (calc != nullptr) {
    if (calc->condition) calc->condition = substitute(calc->condition, moved);
    for (ExpressionPtr& expression : calc->projections) expression = substitute(expression, moved);
  }
  if (out.watermark) {
    ScanWatermark& watermark = *out.watermark;
    if (watermark.expression) watermark.expression = substitute(watermark.expression, moved);
    const std::vector<int> rowtime = input_columns(std::vector{watermark.rowtime});
    const bool read = std::all_of(rowtime.begin(), rowtime.end(), [&](int column) { return used.contains(column); });
    watermark.rowtime = read ? substitute(watermark.rowtime, moved) : nullptr;
  }
  std::vector<int> key;
  for (const int column : scan.primary_key) {
    if (moved[static_cast<size_t>(column)]) key.push_back(moved[static_cast<size_t>(column)]->index);
  }
  NodePtr plan = make_node(std::move(out), Schema(std::move(fields)), {});
  plan->mode = scan.source->changelog_mode();
  plan->origins = std::move(origins);
  if (!key.empty() && key.size() == scan.primary_key.size()) plan->upsert_key = key;
  const auto drop_update_before = [&plan] {
    plan = make_node(PhysicalDropUpdateBefore{}, plan->schema, {plan});
    plan->mode = plan->mode.without(RowKind::kUpdateBefore);
  };
  const bool has_update_before = plan->mode.contains(RowKind::kUpdateBefore);
  if (normalize) {
    if (has_update_before) drop_update_before();  // what was before is in the state
    plan = exchange(std::move(plan), key);
    plan = make_node(PhysicalChangelogNormalize{key, need_update_before}, plan->schema, {plan});
    plan->mode = need_update_before ? ChangelogMode::all() : ChangelogMode::upsert();
  } else if (!need_update_before && has_update_before && plan->upsert_key) {
    drop_update_before();
  }
  return plan;
}

NodePtr Planner::plan_values(const LogicalNode& node, const LogicalValues& values) {
  NodePtr out = make_node(PhysicalValues{values.rows}, node.schema, {});
  for (const RowField& field : node.schema.fields()) out->origins.push_back(field.name);
  return out;
}

NodePtr Planner::plan_aggregate(const LogicalNode& node, const LogicalAggregate& aggregate, bool need_update_before) {
  NodePtr input = plan(node.inputs[0], true);
  PhysicalGroupAggregate out;
  out.keys = aggregate.keys;
  out.calls = aggregate.calls;
  mark_calls_ignoring_retractions(*input, out.keys, out.calls);
  out.input_retracts = !input->mode.is_insert_only();
  out.generate_update_before = need_update_before;
  if (option_is(session_, "table.exec.mini-batch.enabled", "true")) {
    out.emission = AggregateEmission::kMiniBatch;
    const auto latency = session_.find("table.exec.mini-batch.allow-latency");
    const auto size = session_.find("table.exec.mini-batch.size");
    if (latency != session_.end()) out.mini_batch_latency_ms = parse_duration_ms(latency->first, latency->second);
    if (size != session_.end()) out.mini_batch_rows = parse_integer(size->first, size->second);
    if (out.mini_batch_latency_ms <= 0 || out.mini_batch_rows <= 0) {
      throw user_error(1204,
                       "table.exec.mini-batch.enabled = true needs table.exec.mini-batch.allow-latency and "
                       "table.exec.mini-batch.size, both above 0");
    }
  } else if (option_is(session_, "table.exec.mini-batch.enabled", "false")) {
    out.emission = AggregateEmission::kPerRow;
  }
  const bool insert_only = aggregate.calls.empty() && !out.input_retracts;
  const bool retracts = out.input_retracts;
  out.input_origins = input->origins;
  std::vector<std::string> origins;
  std::vector<int> key_positions;
  for (size_t i = 0; i < aggregate.keys.size(); ++i) {
    origins.push_back(input->origins[static_cast<size_t>(aggregate.keys[i])]);
    key_positions.push_back(static_cast<int>(i));
  }
  for (const AggregateCall& call : aggregate.calls) origins.push_back(call.to_string(input->origins));
  input = exchange(std::move(input), aggregate.keys);
  NodePtr plan = make_node(std::move(out), node.schema, {input});
  plan->mode = insert_only ? ChangelogMode::insert_only() : ChangelogMode::insert_only().with(RowKind::kUpdateAfter);
  if (need_update_before && !insert_only) plan->mode = plan->mode.with(RowKind::kUpdateBefore);
  if (retracts) plan->mode = plan->mode.with(RowKind::kDelete);
  plan->upsert_key = key_positions;
  plan->distribution = key_positions;
  plan->origins = std::move(origins);
  return plan;
}

NodePtr Planner::plan_union(const LogicalNode& node, bool need_update_before) {
  std::vector<PhysicalNodePtr> inputs;
  ChangelogMode mode;
  for (const LogicalNodePtr& input : node.inputs) {
    inputs.push_back(plan(input, need_update_before));
    mode = mode | inputs.back()->mode;
  }
  NodePtr out = make_node(PhysicalUnion{}, node.schema, std::move(inputs));
  out->mode = mode;
  out->upsert_key.reset();
  out->distribution.reset();
  return out;
}

NodePtr Planner::exchange(NodePtr input, std::vector<int> keys) {
  NodePtr out = make_node(PhysicalExchange{keys}, input->schema, {input});
  out->distribution = std::move(keys);
  return out;
}

NodePtr Planner::enforce_constraints(NodePtr input, const LogicalSink& sink) {
  using Length = PhysicalConstraintEnforcer::Length;
  PhysicalConstraintEnforcer enforcer;
  std::vector<RowField> fields = input->schema.fields();
  bool has_lengths = false;
  for (size_t i = 0; i < sink.context->physical.size(); ++i) {
    const LogicalType& type = sink.context->physical[i].type;
    const auto column = static_cast<int>(i);
    const bool may_be_null = input->schema[i].type.nullable() || may_break_not_null(*input, column);
    if (!type.nullable() && may_be_null) enforcer.not_null.push_back(column);
    has_lengths = has_lengths || ((type.is_string() || type.is_binary()) && type.length() != LogicalType::kMaxLength);
    fields[i].type = type;
  }
  if (has_lengths) {
    if (option_is(session_, "table.exec.sink.type-length-enforcer", "trim_pad")) enforcer.length = Length::kTrimPad;
    if (option_is(session_, "table.exec.sink.type-length-enforcer", "error")) enforcer.length = Length::kThrow;
  }
  if (enforcer.not_null.empty() && enforcer.length == Length::kIgnore) return input;
  enforcer.drop_nulls = option_is(session_, "table.exec.sink.not-null-enforcer", "drop");
  enforcer.columns = Schema(std::move(fields));
  Schema schema = input->schema;
  return make_node(std::move(enforcer), std::move(schema), {std::move(input)});
}

/// An upsert sink keeps one row per primary key; that is right only where the query changes rows by that key.
void Planner::check_sink_key(const PhysicalNode& input, const LogicalSink& sink) {
  const std::vector<int>& primary = sink.context->primary_key;
  const auto names = [&](const std::vector<int>& columns) {
    std::string out;
    for (const int column : columns) out += (out.empty() ? "" : ", ") + input.schema[static_cast<size_t>(column)].name;
    return out;
  };
  bool same = input.upsert_key.has_value();
  if (same) {
    for (const int column : *input.upsert_key)
      same = same && std::find(primary.begin(), primary.end(), column) != primary.end();
    for (const int column : primary) {
      const bool in_key =
          std::find(input.upsert_key->begin(), input.upsert_key->end(), column) != input.upsert_key->end();
      same = same && (in_key || input.origins[static_cast<size_t>(column)].starts_with("="));
    }
  }
  if (same) return;
  throw user_error(
      1202,
      "sink '{}' has the primary key ({}), but the query's rows change by {}: an update could overwrite another row. "
      "Make the primary key the columns that the query groups by",
      sink.context->name, names(primary),
      !input.upsert_key           ? std::string("no key known")
      : input.upsert_key->empty() ? std::string("one row in all")
                                  : fmt::format("the key ({})", names(*input.upsert_key)));
}

NodePtr Planner::plan_sink(const LogicalNode& node, const LogicalSink& sink) {
  // First as if -U were not needed: what the query then emits decides what the sink says.
  NodePtr input = plan(node.inputs[0], false);
  // A sink that takes whatever comes is to get -U too, as Flink's print does: the query could give them.
  const ChangelogMode offered = has_updates(input->mode) ? input->mode.with(RowKind::kUpdateBefore) : input->mode;
  ChangelogMode accepted = sink.sink->accepted_mode(offered);
  if (has_updates(input->mode) && accepted.contains(RowKind::kUpdateBefore)) {
    input = plan(node.inputs[0], true);
    accepted = sink.sink->accepted_mode(input->mode);
  }
  for (const RowKind kind : {RowKind::kInsert, RowKind::kUpdateAfter, RowKind::kDelete}) {
    if (input->mode.contains(kind) && !accepted.contains(kind)) {
      throw user_error(1201,
                       "table sink '{}' (connector '{}') does not take {} changes, which the query makes ({}). Use a "
                       "sink for changelogs, such as "
                       "'upsert-kafka' with a primary key, or a query without aggregation",
                       sink.context->name, sink.context->options.at("connector"),
                       kind == RowKind::kDelete ? "delete" : "update", input->mode.to_string());
    }
  }
  const std::vector<int>& primary = sink.context->primary_key;
  const bool upsert = accepted.contains(RowKind::kUpdateAfter) && !accepted.contains(RowKind::kUpdateBefore);
  if (upsert && !primary.empty()) {
    if (!input->mode.is_insert_only()) check_sink_key(*input, sink);
    // All rows of a key go through one writer, in order (UK-017).
    if (!input->distribution || *input->distribution != primary) input = exchange(std::move(input), primary);
  }
  input = enforce_constraints(std::move(input), sink);
  Schema schema = input->schema;
  return make_node(PhysicalSink{sink.table, sink.context, sink.sink, sink.metadata}, std::move(schema),
                   {std::move(input)});
}

/// Changes without -U need a key by which their reader knows the row, and come in order for each key.
NodePtr Planner::key_upserts(NodePtr input) {
  if (input->mode.is_insert_only()) return input;
  if (!input->upsert_key) {
    throw user_error(1207,
                     "an upsert changelog is asked of a query whose rows have no key that is known ({}): group by the "
                     "columns that are the key, or take the full changelog",
                     input->mode.to_string());
  }
  if (input->distribution == input->upsert_key) return input;
  std::vector<int> key = *input->upsert_key;
  return exchange(std::move(input), std::move(key));
}

/// The rows that a SELECT shows are held to NOT NULL as a table's are.
NodePtr Planner::plan_collect(const LogicalNode& node, const LogicalCollect& collect) {
  NodePtr input = plan(node.inputs[0], collect.update_before);
  if (!collect.update_before) input = key_upserts(std::move(input));
  PhysicalConstraintEnforcer enforcer;
  for (size_t i = 0; i < node.schema.size(); ++i) {
    const auto column = static_cast<int>(i);
    if (!node.schema[i].type.nullable() && may_break_not_null(*input, column)) enforcer.not_null.push_back(column);
  }
  if (!enforcer.not_null.empty()) {
    enforcer.drop_nulls = option_is(session_, "table.exec.sink.not-null-enforcer", "drop");
    enforcer.columns = node.schema;
    Schema schema = input->schema;
    input = make_node(std::move(enforcer), std::move(schema), {std::move(input)});
  }
  return make_node(PhysicalCollect{}, node.schema, {std::move(input)});
}

}  // namespace

PhysicalNodePtr make_physical_plan(const LogicalNodePtr& plan, const OptionMap& session) {
  Planner planner(session);
  if (const auto* sink = plan->as<LogicalSink>()) return planner.plan_sink(*plan, *sink);
  return planner.plan_collect(*plan, *plan->as<LogicalCollect>());
}

}  // namespace yeoul
