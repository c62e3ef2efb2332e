#include "yeoul/sql/translator/translator.h"

#include "yeoul/sql/operators/calc.h"
#include "yeoul/sql/operators/changelog_normalize.h"
#include "yeoul/sql/operators/constraint_enforcer.h"
#include "yeoul/sql/operators/drop_update_before.h"
#include "yeoul/sql/operators/group_aggregate.h"
#include "yeoul/sql/operators/values_source.h"
#include "yeoul/sql/translator/sql_watermark_strategy.h"
#include "yeoul/sql/translator/stream_table_source.h"

namespace yeoul {
namespace {

/// Where a translated node's rows leave: graph nodes of equal parallelism (several for a union), and how the next node
/// must take them.
struct Outlet {
  std::vector<int> nodes;
  int parallelism = 1;
  bool exchange = false;  ///< the next edge deals rows out by `keys`
  std::vector<int> keys;  ///< with `exchange`; empty: all to one subtask
};

class Translator {
 public:
  Translator(const NodeUids& uids, const TranslationConfig& config, StreamGraph& graph)
      : uids_(uids), config_(config), graph_(graph) {}

  Outlet translate(const PhysicalNode& node) {
    return std::visit([&](const auto& one) { return add(node, one); }, node.node);
  }

 private:
  EvaluationConfig evaluation() const { return {config_.zone, config_.clock}; }
  const std::string& uid(const PhysicalNode& node) const { return uids_.at(&node); }

  /// Connects all of an outlet to input 0 of a node.
  void connect(const Outlet& from, int target, int target_parallelism) {
    for (const int source : from.nodes) {
      StreamEdge edge{.source = source, .target = target};
      const int source_parallelism = graph_.nodes()[static_cast<size_t>(source)].parallelism;
      if (source_parallelism == 1 && target_parallelism == 1) {
        // All rows of every key are in one subtask already: the nodes stay in one chain.
        edge.partitioning = Partitioning::kForward;
      } else if (from.exchange && !from.keys.empty()) {
        edge.partitioning = Partitioning::kHash;
        edge.key_selector = row_key_selector(from.keys);
      } else if (source_parallelism != target_parallelism) {
        edge.partitioning = Partitioning::kRebalance;
      }
      if (edge.partitioning != Partitioning::kForward) edge.splitter = row_batch_splitter();
      graph_.connect(std::move(edge));
    }
  }

  /// An operator behind the node's only input.
  Outlet add_operator(const PhysicalNode& node, std::shared_ptr<const OperatorFactory> factory) {
    const Outlet input = translate(*node.inputs[0]);
    const int parallelism = !input.exchange ? input.parallelism : input.keys.empty() ? 1 : config_.parallelism;
    const int id = graph_.add_operator(describe(node), uid(node), parallelism, 1, std::move(factory));
    connect(input, id, parallelism);
    return {{id}, parallelism};
  }

  Outlet add(const PhysicalNode& node, const PhysicalScan& scan) {
    std::shared_ptr<const SourceWatermarkStrategy> watermarks;
    const bool source_watermarks = scan.watermark && !scan.watermark->expression;
    if (scan.watermark && !source_watermarks) {
      watermarks = sql_watermark_strategy(*scan.watermark, config_.session, evaluation());
    }
    if (const auto* stream = dynamic_cast<const StreamTableSource*>(scan.source.get())) {
      const int id =
          stream->add_scan(graph_, {describe(node), uid(node), scan.request, std::move(watermarks), source_watermarks});
      return {{id}, graph_.nodes()[static_cast<size_t>(id)].parallelism};
    }
    const int parallelism = scan.source->parallelism().value_or(config_.parallelism);
    const int id = graph_.add_source(fmt::format("Source: {}", scan.context->name), uid(node), parallelism,
                                     scan.source->create_source(scan.request), std::move(watermarks));
    return {{id}, parallelism};
  }

  Outlet add(const PhysicalNode& node, const PhysicalValues& values) {
    const int id = graph_.add_source("Source: Values", uid(node), 1, make_values_source(node.schema, values.rows));
    return {{id}, 1};
  }

  Outlet add(const PhysicalNode& node, const PhysicalCalc& calc) {
    return add_operator(node, make_calc({calc.condition, calc.projections, evaluation()}));
  }

  Outlet add(const PhysicalNode& node, const PhysicalExchange& exchange) {
    Outlet out = translate(*node.inputs[0]);
    out.exchange = true;
    out.keys = exchange.keys;
    return out;
  }

  Outlet add(const PhysicalNode& node, const PhysicalGroupAggregate& aggregate) {
    GroupAggregateSpec spec;
    // States are named by where columns come from, not by how the query calls them (D12).
    std::vector<RowField> fields = node.inputs[0]->schema.fields();
    for (size_t i = 0; i < fields.size(); ++i) fields[i].name = aggregate.input_origins[i];
    spec.input = Schema(std::move(fields));
    spec.keys = aggregate.keys;
    spec.calls = aggregate.calls;
    spec.input_retracts = aggregate.input_retracts;
    spec.generate_update_before = aggregate.generate_update_before;
    spec.emission = aggregate.emission;
    spec.mini_batch_size = aggregate.mini_batch_rows;
    spec.mini_batch_latency_ms = aggregate.mini_batch_latency_ms;
    return add_operator(node, make_group_aggregate(std::move(spec)));
  }

  Outlet add(const PhysicalNode& node, const PhysicalChangelogNormalize& normalize) {
    return add_operator(node,
                        make_changelog_normalize({node.schema, normalize.keys, normalize.generate_update_before}));
  }

  Outlet add(const PhysicalNode& node, const PhysicalDropUpdateBefore&) {
    return add_operator(node, make_drop_update_before());
  }

  Outlet add(const PhysicalNode& node, const PhysicalUnion&) {
    Outlet out;
    out.parallelism = 0;
    std::vector<Outlet> inputs;
    for (const PhysicalNodePtr& input : node.inputs) {
      inputs.push_back(translate(*input));
      out.parallelism = std::max(out.parallelism, inputs.back().parallelism);
    }
    for (const Outlet& input : inputs) out.nodes.insert(out.nodes.end(), input.nodes.begin(), input.nodes.end());
    return out;
  }

  Outlet add(const PhysicalNode& node, const PhysicalConstraintEnforcer& enforcer) {
    using Length = PhysicalConstraintEnforcer::Length;
    ConstraintEnforcerSpec spec{
        .columns = enforcer.columns, .not_null = enforcer.not_null, .drop_nulls = enforcer.drop_nulls};
    if (enforcer.length == Length::kTrimPad) spec.length = ConstraintEnforcerSpec::Length::kTrimPad;
    if (enforcer.length == Length::kThrow) spec.length = ConstraintEnforcerSpec::Length::kThrow;
    return add_operator(node, make_constraint_enforcer(std::move(spec)));
  }

  Outlet add(const PhysicalNode& node, const PhysicalSink& sink) {
    const Outlet input = translate(*node.inputs[0]);
    const int natural = !input.exchange ? input.parallelism : input.keys.empty() ? 1 : config_.parallelism;
    const int parallelism = sink.sink->parallelism().value_or(natural);
    const int id = graph_.add_sink(fmt::format("Sink: {}", sink.context->name), uid(node), parallelism,
                                   sink.sink->create_sink(sink.metadata));
    connect(input, id, parallelism);
    return {{id}, parallelism};
  }

  Outlet add(const PhysicalNode& node, const PhysicalCollect&) {
    if (config_.convert) return add_operator(node, config_.convert);
    const Outlet input = translate(*node.inputs[0]);
    const int id = graph_.add_sink("Sink: collect", uid(node), 1, config_.collect);
    connect(input, id, 1);
    return {{id}, 1};
  }

  const NodeUids& uids_;
  const TranslationConfig& config_;
  StreamGraph& graph_;
};

}  // namespace

int translate(const PhysicalNode& plan, const NodeUids& uids, const TranslationConfig& config, StreamGraph& graph) {
  return Translator(uids, config, graph).translate(plan).nodes.back();
}

}  // namespace yeoul
