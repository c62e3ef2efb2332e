#include <set>

#include "yeoul/sql/planner/physical_plan.h"

namespace yeoul {
namespace {

void collect_tables(const PhysicalNode& node, std::set<std::string>& out) {
  if (const auto* scan = node.as<PhysicalScan>()) out.insert(scan->table);
  for (const PhysicalNodePtr& input : node.inputs) collect_tables(*input, out);
}

/// The operator's kind and, for keyed ones, where its keys come from.
std::string kind_and_keys(const PhysicalNode& node) {
  std::string text;
  if (const auto* aggregate = node.as<PhysicalGroupAggregate>()) {
    text = "GroupAggregate|";
    for (const int key : aggregate->keys) text += aggregate->input_origins[static_cast<size_t>(key)] + ",";
  } else if (const auto* normalize = node.as<PhysicalChangelogNormalize>()) {
    text = "ChangelogNormalize|";
    for (const int key : normalize->keys) text += node.origins[static_cast<size_t>(key)] + ",";
  } else {
    const std::string whole = describe(node);
    text = whole.substr(0, whole.find_first_of("([")) + "|";
  }
  return text;
}

void add(const PhysicalNode& node, const std::string& sink, std::map<std::string, int>& taken, NodeUids& out) {
  std::set<std::string> tables;
  collect_tables(node, tables);
  std::string uid = kind_and_keys(node);
  for (const std::string& table : tables) uid += "|" + table;
  uid += "|" + sink;
  if (const int count = ++taken[uid]; count > 1) uid += fmt::format("#{}", count);
  out[&node] = std::move(uid);
  for (const PhysicalNodePtr& input : node.inputs) add(*input, sink, taken, out);
}

}  // namespace

void add_uids(const PhysicalNode& plan, std::map<std::string, int>& taken, NodeUids& out) {
  const auto* sink = plan.as<PhysicalSink>();
  add(plan, sink != nullptr ? sink->table : "collect", taken, out);
}

}  // namespace yeoul
