#include "yeoul/sql/planner/physical_plan.h"

#include "yeoul/sql/binder/query_binder.h"

namespace yeoul {
namespace {

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::string names_of(const Schema& schema, const std::vector<int>& columns) {
  std::vector<std::string> out;
  for (const int column : columns) out.push_back(schema[static_cast<size_t>(column)].name);
  return join(out);
}

struct Describe {
  const PhysicalNode& node;
  const Schema& input() const { return node.inputs[0]->schema; }
  std::string fields() const { return join(column_names(node.schema)); }

  std::string operator()(const PhysicalScan& scan) const {
    std::string metadata =
        scan.request.metadata.empty() ? "" : fmt::format(", metadata=[{}]", join(scan.request.metadata));
    std::string watermark;
    if (scan.watermark) {
      const ExpressionPtr& expression = scan.watermark->expression;
      watermark = fmt::format(", watermark=[{}]",
                              expression ? expression->to_string(column_names(node.schema)) : "SOURCE_WATERMARK()");
    }
    return fmt::format("TableSourceScan(table=[[{}]], fields=[{}]{}{})", scan.table, fields(), metadata, watermark);
  }
  std::string operator()(const PhysicalValues& values) const {
    return fmt::format("Values(fields=[{}], rows=[{}])", fields(), values.rows.size());
  }
  std::string operator()(const PhysicalCalc& calc) const {
    const std::vector<std::string> names = column_names(input());
    std::vector<std::string> parts;
    for (size_t i = 0; i < calc.projections.size(); ++i) {
      const std::string text = calc.projections[i]->to_string(names);
      parts.push_back(text == node.schema[i].name ? text : fmt::format("{} AS {}", text, node.schema[i].name));
    }
    std::string where = calc.condition ? fmt::format(", where=[{}]", calc.condition->to_string(names)) : "";
    return fmt::format("Calc(select=[{}]{})", join(parts), where);
  }
  std::string operator()(const PhysicalExchange& exchange) const {
    return exchange.keys.empty()
               ? "Exchange(distribution=[single])"
               : fmt::format("Exchange(distribution=[hash[{}]])", names_of(node.schema, exchange.keys));
  }
  std::string operator()(const PhysicalGroupAggregate& aggregate) const {
    const std::vector<std::string> names = column_names(input());
    std::vector<std::string> parts;
    for (const int key : aggregate.keys) parts.push_back(names[static_cast<size_t>(key)]);
    for (const AggregateCall& call : aggregate.calls)
      parts.push_back(fmt::format("{} AS {}", call.to_string(names), call.name));
    const std::string group =
        aggregate.keys.empty() ? "" : fmt::format("groupBy=[{}], ", names_of(input(), aggregate.keys));
    static constexpr std::string_view kEmission[] = {"per batch", "per row", "mini-batch"};
    return fmt::format("GroupAggregate({}select=[{}], emit=[{}])", group, join(parts),
                       kEmission[static_cast<int>(aggregate.emission)]);
  }
  std::string operator()(const PhysicalChangelogNormalize& normalize) const {
    return fmt::format("ChangelogNormalize(key=[{}])", names_of(node.schema, normalize.keys));
  }
  std::string operator()(const PhysicalDropUpdateBefore&) const { return "DropUpdateBefore"; }
  std::string operator()(const PhysicalUnion&) const { return fmt::format("Union(all=[true], union=[{}])", fields()); }
  std::string operator()(const PhysicalConstraintEnforcer& enforcer) const {
    return fmt::format("ConstraintEnforcer(notNull=[{}]{})", names_of(node.schema, enforcer.not_null),
                       enforcer.length == PhysicalConstraintEnforcer::Length::kIgnore ? "" : ", lengths=[true]");
  }
  std::string operator()(const PhysicalSink& sink) const {
    return fmt::format("Sink(table=[{}], fields=[{}])", sink.table, fields());
  }
  std::string operator()(const PhysicalCollect&) const { return fmt::format("Collect(fields=[{}])", fields()); }
};

void print(const PhysicalNode& node, const ExplainOptions& options, const std::string& first, const std::string& rest,
           std::string& out) {
  out += first + describe(node);
  if (options.changelog_mode)
    out += fmt::format(", changelogMode=[{}]", node.mode.to_string().substr(1, node.mode.to_string().size() - 2));
  out += "\n";
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const bool last = i + 1 == node.inputs.size();
    print(*node.inputs[i], options, rest + (last ? "+- " : ":- "), rest + (last ? "   " : ":  "), out);
  }
}

}  // namespace

std::string describe(const PhysicalNode& node) {
  return std::visit(Describe{node}, node.node);
}

std::string to_string(const PhysicalNode& plan, const ExplainOptions& options) {
  std::string out;
  // What collects a SELECT's rows is ours, not the user's.
  const PhysicalNode* top = &plan;
  if (top->as<PhysicalCollect>()) {
    top = top->inputs[0].get();
    if (top->as<PhysicalConstraintEnforcer>()) top = top->inputs[0].get();
  }
  print(*top, options, "", "", out);
  return out;
}

}  // namespace yeoul
