#pragma once

#include <vector>

#include "yeoul/runtime/channel.h"
#include "yeoul/runtime/output_target.h"
#include "yeoul/runtime/stream_graph.h"

namespace yeoul {

/// Deals batches out over the channels of one edge, from one upstream subtask. Threads: the task's.
class Exchange final : public OutputTarget {
 public:
  /// @param channels  to the target's subtasks, in order; forward: the one to the same subtask
  Exchange(const StreamEdge& edge, int subtask, int max_parallelism, std::vector<Channel*> channels);

  void batch(const BatchPtr& batch) override;
  void watermark(int64_t watermark) override { broadcast(Watermark{watermark}); }
  bool has_room() const override;
  /// A control element, to every channel.
  void broadcast(const StreamElement& element);

 private:
  void hash(const BatchPtr& batch);
  void custom(const BatchPtr& batch);
  /// Hands each record to the channel `target_of(record)`.
  template <class TargetOf>
  void deal(const BatchPtr& batch, const TargetOf& target_of);

  const StreamEdge& edge_;
  int max_parallelism_;
  std::vector<Channel*> channels_;
  size_t next_;                                 ///< kRebalance: whose turn it is
  std::vector<uint32_t> subtask_of_group_;      ///< kHash
  std::vector<uint32_t> groups_;                ///< kHash, kCustom (partitions): of the batch in hand
  std::vector<std::vector<uint32_t>> records_;  ///< the same: of the batch in hand, by subtask
};

}  // namespace yeoul
