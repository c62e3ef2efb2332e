#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "yeoul/runtime/coordinator_context.h"
#include "yeoul/runtime/execution.h"

namespace yeoul {

/// Keeps the sources of an alignment group together (FLIP-182): takes what their readers report and tells each the
/// smallest of the others, every update interval; readers pause splits that are further ahead than their drift allows.
/// Of one attempt. Shared, since timers may come back late. Threads: the coordinator's.
class WatermarkAlignment : public std::enable_shared_from_this<WatermarkAlignment> {
 public:
  WatermarkAlignment(const JobGraph& graph, CoordinatorContext& context, Execution& execution)
      : graph_(graph), context_(context), execution_(execution) {}

  /// A reader's smallest watermark; kMaxWatermark: it holds nobody back. Its first one, and what makes the group's
  /// first event time, are passed on at once.
  void report(int vertex, int subtask, int64_t watermark);

 private:
  struct Group {
    int64_t update_interval_ms = 1000;                  ///< the shortest of its sources
    std::map<std::pair<int, int>, int64_t> watermarks;  ///< by (vertex, subtask)
    int64_t announced = kMinWatermark;
  };

  void schedule(const std::string& name);
  static int64_t smallest(const Group& group);
  void announce(Group& group);

  const JobGraph& graph_;
  CoordinatorContext& context_;
  Execution& execution_;
  std::map<std::string, Group> groups_;
};

}  // namespace yeoul
