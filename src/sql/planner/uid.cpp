#include <map>
#include <set>

#include "yeoul/common/hash.h"
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

/// Sixteen hexadecimal digits that stay the same in every version: they are stored.
std::string digest_of(const std::string& text) {
  return fmt::format("{:08x}{:08x}", murmur3_32(text), crc32_of(text));
}

class UidMaker {
 public:
  /// Returns a digest of all that leads to the node. @param way  a digest of all that it leads to
  std::string add(const PhysicalNode& node, const std::string& sink, const std::string& way) {
    std::set<std::string> tables;
    collect_tables(node, tables);
    std::string uid = kind_and_keys(node);
    for (const std::string& table : tables) uid += "|" + table;
    const size_t place = places_.size();
    places_.push_back({&node, uid + "|" + sink, {}});
    const std::string text = describe(node);
    const std::string my_way = digest_of(way + text);
    std::string below = text;
    for (const PhysicalNodePtr& input : node.inputs) below += add(*input, sink, my_way);
    below = digest_of(below);
    places_[place].whole = my_way + below;
    return below;
  }

  NodeUids uids(TakenUids& taken) const {
    std::map<std::string, int> count;
    for (const Place& place : places_) ++count[place.uid];
    NodeUids out;
    for (const Place& place : places_) {
      std::string uid = count[place.uid] == 1 ? place.uid : place.uid + "|" + place.whole;
      if (const int turn = ++taken[uid]; turn > 1) uid += fmt::format("#{}", turn);
      out[place.node] = std::move(uid);
    }
    return out;
  }

 private:
  struct Place {
    const PhysicalNode* node;
    std::string uid;
    std::string whole;  ///< digests of the plan around the node
  };
  std::vector<Place> places_;
};

}  // namespace

PlanIdentity identify(std::span<const PhysicalNodePtr> plans, TakenUids& taken) {
  UidMaker maker;
  std::string digests;
  for (const PhysicalNodePtr& plan : plans) {
    const auto* sink = plan->as<PhysicalSink>();
    digests += maker.add(*plan, sink != nullptr ? sink->table : "collect", "");
  }
  return {maker.uids(taken), digest_of(digests)};
}

}  // namespace yeoul
