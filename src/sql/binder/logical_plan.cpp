#include "yeoul/sql/binder/logical_plan.h"

#include "yeoul/sql/binder/query_binder.h"

namespace yeoul {
namespace {

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

struct Describe {
  const LogicalNode& node;
  std::vector<std::string> input_names() const { return column_names(node.inputs[0]->schema); }

  std::string operator()(const LogicalScan& scan) const {
    return fmt::format("LogicalTableScan(table=[[{}]])", scan.table);
  }
  std::string operator()(const LogicalValues& values) const {
    return fmt::format("LogicalValues(rows=[{}])", values.rows.size());
  }
  std::string operator()(const LogicalProject& project) const {
    std::vector<std::string> parts;
    const std::vector<std::string> names = input_names();
    for (size_t i = 0; i < project.expressions.size(); ++i) {
      parts.push_back(fmt::format("{}=[{}]", node.schema[i].name, project.expressions[i]->to_string(names)));
    }
    return fmt::format("LogicalProject({})", join(parts));
  }
  std::string operator()(const LogicalFilter& filter) const {
    return fmt::format("LogicalFilter(condition=[{}])", filter.condition->to_string(input_names()));
  }
  std::string operator()(const LogicalAggregate& aggregate) const {
    const std::vector<std::string> names = input_names();
    std::vector<std::string> keys, calls;
    for (const int key : aggregate.keys) keys.push_back(names[static_cast<size_t>(key)]);
    for (const AggregateCall& call : aggregate.calls)
      calls.push_back(fmt::format("{}=[{}]", call.name, call.to_string(names)));
    return fmt::format("LogicalAggregate(group=[{{{}}}]{}{})", join(keys), calls.empty() ? "" : ", ", join(calls));
  }
  std::string operator()(const LogicalUnion&) const { return "LogicalUnion(all=[true])"; }
  std::string operator()(const LogicalSink& sink) const {
    return fmt::format("LogicalSink(table=[{}], fields=[{}])", sink.table, join(column_names(node.schema)));
  }
  std::string operator()(const LogicalCollect&) const { return "LogicalCollect()"; }
};

void print(const LogicalNode& node, int depth, std::string& out) {
  // A SELECT's collecting node is ours, not the user's.
  if (node.as<LogicalCollect>()) return print(*node.inputs[0], depth, out);
  out += std::string(static_cast<size_t>(depth) * 3, ' ');
  out += std::visit(Describe{node}, node.node) + "\n";
  for (const LogicalNodePtr& input : node.inputs) {
    print(*input, depth + 1, out);
  }
}

}  // namespace

std::string to_string(const LogicalNode& plan) {
  std::string out;
  print(plan, 0, out);
  return out;
}

std::vector<ExpressionPtr> identity_expressions(const Schema& schema) {
  std::vector<ExpressionPtr> out;
  for (size_t i = 0; i < schema.size(); ++i) out.push_back(make_input_ref(static_cast<int>(i), schema[i].type));
  return out;
}

std::vector<std::string> column_names(const Schema& schema) {
  std::vector<std::string> out;
  for (const RowField& field : schema.fields()) out.push_back(field.name);
  return out;
}

LogicalNodePtr make_project(LogicalNodePtr input, std::vector<ExpressionPtr> expressions,
                            std::vector<std::string> names) {
  std::vector<RowField> fields;
  bool identity = expressions.size() == input->schema.size();
  for (size_t i = 0; i < expressions.size(); ++i) {
    fields.push_back({names[i], expressions[i]->type});
    identity = identity && expressions[i]->kind == Expression::Kind::kInputRef &&
               expressions[i]->index == static_cast<int>(i) && names[i] == input->schema[i].name;
  }
  if (identity) return input;
  return std::make_shared<LogicalNode>(
      LogicalNode{LogicalProject{std::move(expressions)}, Schema(std::move(fields)), {std::move(input)}});
}

LogicalNodePtr make_filter(LogicalNodePtr input, ExpressionPtr condition) {
  Schema schema = input->schema;
  return std::make_shared<LogicalNode>(
      LogicalNode{LogicalFilter{std::move(condition)}, std::move(schema), {std::move(input)}});
}

LogicalNodePtr make_aggregate(LogicalNodePtr input, std::vector<int> keys, std::vector<AggregateCall> calls) {
  std::vector<RowField> fields;
  for (const int key : keys) fields.push_back(input->schema[static_cast<size_t>(key)]);
  for (const AggregateCall& call : calls) fields.push_back({call.name, call.type});
  return std::make_shared<LogicalNode>(
      LogicalNode{LogicalAggregate{std::move(keys), std::move(calls)}, Schema(std::move(fields)), {std::move(input)}});
}

LogicalNodePtr make_union(std::vector<LogicalNodePtr> inputs) {
  Schema schema = inputs[0]->schema;
  return std::make_shared<LogicalNode>(LogicalNode{LogicalUnion{}, std::move(schema), std::move(inputs)});
}

}  // namespace yeoul
