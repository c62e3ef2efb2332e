#include "yeoul/runtime/exchange.h"

#include <algorithm>

#include "yeoul/state/api/key_groups.h"

namespace yeoul {

Exchange::Exchange(const StreamEdge& edge, int subtask, int max_parallelism, std::vector<Channel*> channels)
    : edge_(edge),
      max_parallelism_(max_parallelism),
      channels_(std::move(channels)),
      next_(static_cast<size_t>(subtask) % channels_.size()) {
  records_.resize(channels_.size());
  if (edge_.partitioning != Partitioning::kHash) return;
  for (int group = 0; group < max_parallelism; ++group) {
    const int target = subtask_of_group(group, max_parallelism, static_cast<int>(channels_.size()));
    subtask_of_group_.push_back(static_cast<uint32_t>(target));
  }
}

void Exchange::batch(const BatchPtr& batch) {
  const BatchPtr compacted = edge_.splitter ? edge_.splitter->compact(batch) : compact_any(batch);
  switch (edge_.partitioning) {
    case Partitioning::kForward:
      channels_[0]->push(compacted);
      return;
    case Partitioning::kHash:
      hash(compacted);
      return;
    case Partitioning::kRebalance:
      channels_[next_]->push(compacted);
      next_ = next_ + 1 == channels_.size() ? 0 : next_ + 1;
      return;
    case Partitioning::kBroadcast:
      broadcast(compacted);
      return;
    case Partitioning::kCustom:
      custom(compacted);
      return;
  }
}

void Exchange::hash(const BatchPtr& batch) {
  if (channels_.size() == 1) {
    channels_[0]->push(batch);
    return;
  }
  edge_.key_selector->key_groups(*batch, max_parallelism_, groups_);
  deal(batch, [&](uint32_t record) { return subtask_of_group_[groups_[record]]; });
}

void Exchange::custom(const BatchPtr& batch) {
  edge_.partitioner->partitions(*batch, static_cast<int>(channels_.size()), groups_);
  deal(batch, [&](uint32_t record) { return groups_[record]; });
}

template <class TargetOf>
void Exchange::deal(const BatchPtr& batch, const TargetOf& target_of) {
  for (std::vector<uint32_t>& records : records_) records.clear();
  for (uint32_t i = 0; i < groups_.size(); ++i) records_[target_of(i)].push_back(i);
  for (size_t target = 0; target < channels_.size(); ++target) {
    const std::vector<uint32_t>& records = records_[target];
    if (records.empty()) continue;
    const bool whole = records.size() == groups_.size();
    channels_[target]->push(whole ? batch : edge_.splitter->take(batch, records));
  }
}

bool Exchange::has_room() const {
  return std::all_of(channels_.begin(), channels_.end(), [](const Channel* channel) { return channel->has_room(); });
}

void Exchange::broadcast(const StreamElement& element) {
  for (Channel* channel : channels_) channel->push(element);
}

}  // namespace yeoul
