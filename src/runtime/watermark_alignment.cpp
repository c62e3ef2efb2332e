#include "yeoul/runtime/watermark_alignment.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace yeoul {

void WatermarkAlignment::report(int vertex, int subtask, int64_t watermark) {
  const SourceWatermarkStrategy& strategy = *graph_.node(graph_.vertex(vertex).nodes.front()).watermarks;
  const int64_t interval_ms = std::max<int64_t>(1, strategy.alignment_update_interval_ms);
  const auto [it, is_new_group] = groups_.try_emplace(strategy.alignment_group);
  Group& group = it->second;
  group.update_interval_ms = is_new_group ? interval_ms : std::min(group.update_interval_ms, interval_ms);
  const bool is_first = !group.watermarks.contains({vertex, subtask});
  group.watermarks[{vertex, subtask}] = watermark;
  if (is_first || (group.announced == kMinWatermark && smallest(group) != kMinWatermark)) announce(group);
  if (is_new_group) schedule(it->first);
}

void WatermarkAlignment::schedule(const std::string& name) {
  context_.timers.add(context_.steady_ms() + groups_.at(name).update_interval_ms, [weak = weak_from_this(), name] {
    const auto self = weak.lock();
    if (!self) return;
    self->announce(self->groups_.at(name));
    self->schedule(name);
  });
}

int64_t WatermarkAlignment::smallest(const Group& group) {
  int64_t smallest = kMaxWatermark;
  for (const auto& [reader, watermark] : group.watermarks) smallest = std::min(smallest, watermark);
  return smallest;
}

void WatermarkAlignment::announce(Group& group) {
  group.announced = smallest(group);
  // What all but one of the smallest are told is the smallest; that one is told the next.
  std::multiset<int64_t> watermarks;
  for (const auto& [reader, watermark] : group.watermarks) watermarks.insert(watermark);
  const int64_t second = watermarks.size() < 2 ? kMaxWatermark : *std::next(watermarks.begin());
  for (const auto& [reader, watermark] : group.watermarks) {
    if (execution_.state(reader.first, reader.second) != Execution::TaskState::kRunning) continue;
    execution_.task(reader.first, reader.second)
        .set_others_watermark(watermark == group.announced ? second : group.announced);
  }
}

}  // namespace yeoul
