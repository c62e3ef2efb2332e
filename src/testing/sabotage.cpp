#include "yeoul/testing/sabotage.h"

#include <utility>
#include <variant>

#include "yeoul/runtime/operator_node.h"

namespace yeoul {
namespace {

constexpr PlantedBugName kNames[] = {
    {PlantedBug::kBarrierOvertakes, "barrier-overtakes"},
    {PlantedBug::kDataOvertakes, "data-overtakes"},
    {PlantedBug::kWatermarkOvertakes, "watermark-overtakes"},
    {PlantedBug::kEndOvertakes, "end-overtakes"},
    {PlantedBug::kPositionTooEarly, "position-too-early"},
    {PlantedBug::kLostTimer, "lost-timer"},
    {PlantedBug::kGroupLost, "group-lost"},
    {PlantedBug::kGroupTwice, "group-twice"},
    {PlantedBug::kSnapshotNotFrozen, "snapshot-not-frozen"},
    {PlantedBug::kInputIgnored, "input-ignored"},
    {PlantedBug::kCursorDropped, "cursor-dropped"},
    {PlantedBug::kWakeUpLost, "wake-up-lost"},
    {PlantedBug::kAckNotAwaited, "ack-not-awaited"},
    {PlantedBug::kAckBeforeSync, "ack-before-sync"},
    {PlantedBug::kSinkNotFlushed, "sink-not-flushed"},
    {PlantedBug::kCommitForgotten, "commit-forgotten"},
    {PlantedBug::kAssignedForgotten, "assigned-forgotten"},
    {PlantedBug::kWaitingForgotten, "waiting-forgotten"},
    {PlantedBug::kCaughtUpForgotten, "caught-up-forgotten"},
    {PlantedBug::kStopCommits, "stop-commits"},
};

bool is_data(const StreamElement& element) {
  return std::holds_alternative<BatchPtr>(element);
}

/// Whether the bug lets the second of two neighbours in a channel pass the first.
bool overtakes(PlantedBug bug, const StreamElement& first, const StreamElement& second) {
  switch (bug) {
    case PlantedBug::kBarrierOvertakes:
      return is_data(first) && std::holds_alternative<Barrier>(second);
    case PlantedBug::kDataOvertakes:
      return std::holds_alternative<Barrier>(first) && is_data(second);
    case PlantedBug::kWatermarkOvertakes:
      return is_data(first) && std::holds_alternative<Watermark>(second);
    case PlantedBug::kEndOvertakes:
      // A watermark always stands between the two.
      return !std::holds_alternative<Barrier>(first) && std::holds_alternative<EndOfInput>(second);
    default:
      return false;
  }
}

}  // namespace

std::span<const PlantedBugName> planted_bugs() {
  return kNames;
}

void Sabotage::meddle(JobMaster& job) {
  if (bug_ == PlantedBug::kNone || job.execution() == nullptr || job.execution()->stopping()) return;
  switch (bug_) {
    case PlantedBug::kBarrierOvertakes:
    case PlantedBug::kDataOvertakes:
    case PlantedBug::kWatermarkOvertakes:
    case PlantedBug::kEndOvertakes:
      return swap_in_channels(*job.execution());
    case PlantedBug::kInputIgnored:
      return ignore_inputs(*job.execution());
    case PlantedBug::kCursorDropped:
      return drop_cursors(*job.execution());
    case PlantedBug::kAckNotAwaited:
      if (job.checkpoints_) hurry_checkpoint(*job.checkpoints_);
      return;
    case PlantedBug::kCommitForgotten:
      if (job.checkpoints_) forget_commit(*job.checkpoints_);
      return;
    default:
      return;
  }
}

void Sabotage::swap_in_channels(Execution& execution) {
  for (const auto& [key, channel] : execution.channels_) {
    for (auto* queue : {&channel->taken_, &channel->shared_}) {
      for (size_t i = 1; i < queue->size(); ++i) {
        if (!overtakes(bug_, (*queue)[i - 1].element, (*queue)[i].element) || !random_.chance(300)) continue;
        std::swap((*queue)[i - 1], (*queue)[i]);
      }
    }
  }
}

void Sabotage::ignore_inputs(Execution& execution) {
  for (const auto& task : execution.tasks()) {
    auto& channels = task->combiner_.channels_;
    if (channels.size() > 1) channels.front().idle = true;
  }
}

void Sabotage::drop_cursors(Execution& execution) {
  for (const auto& task : execution.tasks()) {
    if (!task->chain_) continue;
    for (const auto& node : task->chain_->nodes()) {
      auto* with_cursor = dynamic_cast<OperatorNode*>(node.get());
      if (with_cursor && with_cursor->open_ && !with_cursor->output_.targets_have_room()) with_cursor->open_ = false;
    }
  }
}

void Sabotage::hurry_checkpoint(CheckpointCoordinator& checkpoints) {
  auto& pending = checkpoints.pending_;
  if (!pending || pending->writing || pending->missing.size() != 1) return;
  pending->missing.clear();
  checkpoints.write();
}

void Sabotage::forget_commit(CheckpointCoordinator& checkpoints) {
  auto& pending = checkpoints.pending_;
  if (pending && !pending->writing && pending->missing.size() == 1) pending->committables.clear();
}

void Sabotage::before_stop(JobMaster& job) {
  if (bug_ != PlantedBug::kStopCommits || !job.checkpoints_ || !job.checkpoints_->pending_) return;
  job.commits_.commit(job.checkpoints_->pending_->committables, [](const std::exception_ptr&) {});
}

bool Sabotage::keeps_asleep(const Task& task, bool had_room) const {
  return bug_ == PlantedBug::kWakeUpLost && !had_room && has_room(task);
}

}  // namespace yeoul
