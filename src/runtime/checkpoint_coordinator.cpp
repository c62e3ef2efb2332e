#include "yeoul/runtime/checkpoint_coordinator.h"

#include <algorithm>

#include "yeoul/common/log.h"

namespace yeoul {

CheckpointCoordinator::CheckpointCoordinator(const JobGraph& graph, CoordinatorContext& context, Execution& execution,
                                             CompletedCheckpoints& completed, CommitCoordinator& commits,
                                             Listener& listener)
    : graph_(graph),
      context_(context),
      execution_(execution),
      completed_(completed),
      commits_(commits),
      listener_(listener) {}

void CheckpointCoordinator::start() {
  schedule(context_.steady_ms() + context_.config->checkpoint_interval_ms);
}

void CheckpointCoordinator::stop() {
  stopped_ = true;
  ++schedule_;
  if (pending_ && !pending_->writing) discard(pending_->checkpoint.id);
}

void CheckpointCoordinator::schedule(int64_t at_ms) {
  const int64_t number = ++schedule_;
  context_.timers.add(at_ms, [weak = weak_from_this(), number] {
    const auto self = weak.lock();
    if (self && self->schedule_ == number) self->begin();
  });
}

void CheckpointCoordinator::schedule_next(int64_t started_ms) {
  const int64_t now_ms = context_.steady_ms();
  schedule(std::max(started_ms + context_.config->checkpoint_interval_ms,
                    now_ms + context_.config->checkpoint_min_pause_ms));
}

void CheckpointCoordinator::on_flushed() {
  // The whole input has ended: the last checkpoint need not wait for its turn.
  if (!stopped_ && !pending_ && execution_.all_flushed()) begin();
}

void CheckpointCoordinator::begin() {
  if (stopped_ || pending_ || execution_.all_ended()) return;
  const int64_t id = completed_.take_id();
  pending_.emplace();
  context_.checkpoint_metrics->triggered.add(1);
  context_.checkpoint_metrics->in_progress.set(1);
  pending_->checkpoint.id = id;
  pending_->started_ms = context_.steady_ms();
  const auto self = shared_from_this();
  if (!watching_) watch();
  context_.run_io([storage = completed_.storage(), id] { storage->begin(id); },
                  [self, id](const std::exception_ptr& failure) {
                    if (!self->is_pending(id)) return;
                    failure ? self->fail(id, failure) : self->trigger(id);
                  });
}

void CheckpointCoordinator::watch() {
  watching_ = true;
  context_.timers.add(pending_->started_ms + context_.config->checkpoint_timeout_ms, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self) self->on_watch();
  });
}

void CheckpointCoordinator::on_watch() {
  watching_ = false;
  if (!pending_ || pending_->writing) return;
  if (pending_->started_ms + context_.config->checkpoint_timeout_ms > context_.steady_ms()) {
    watch();  // a later checkpoint than the one the timer was set for
  } else {
    on_timeout(pending_->checkpoint.id);
  }
}

void CheckpointCoordinator::on_timeout(int64_t id) {
  std::vector<std::string> missing;
  for (const auto& [vertex, subtask] : pending_->missing) missing.push_back(execution_.task(vertex, subtask).name());
  fail(id, std::make_exception_ptr(external_error(
               6021,
               "it was not complete after {} ms ('execution.checkpointing.timeout'); these tasks had not "
               "acknowledged it: {}",
               context_.config->checkpoint_timeout_ms, fmt::join(missing, ", "))));
}

void CheckpointCoordinator::trigger(int64_t id) {
  Pending& pending = *pending_;
  pending.checkpoint.path = completed_.storage()->path_of(id);
  pending.checkpoint.job_id = context_.config->job_id;
  pending.checkpoint.job_name = context_.config->name;
  pending.checkpoint.fingerprint = context_.config->fingerprint;
  pending.checkpoint.max_parallelism = graph_.max_parallelism();
  add_nodes(pending);
  // Enumerators first, on this thread: what they assign from here on is behind the trigger in the readers' mailboxes.
  for (const auto& [vertex, source] : execution_.sources()) {
    try {
      pending.checkpoint.nodes[static_cast<size_t>(source->node().id)].enumerator = source->snapshot(id);
    } catch (...) {
      context_.fail(std::current_exception());
      return;
    }
  }
  send_triggers(id);
}

void CheckpointCoordinator::add_nodes(Pending& pending) const {
  for (const StreamNode& node : graph_.stream_graph().nodes()) {
    NodeCheckpoint stored{.uid = node.uid, .name = node.name};
    stored.subtasks.resize(static_cast<size_t>(node.parallelism));
    const int vertex = graph_.vertex_of_node(node.id);
    for (int subtask = 0; subtask < node.parallelism; ++subtask) {
      const bool ended = execution_.state(vertex, subtask) == Execution::TaskState::kEnded;
      stored.subtasks[static_cast<size_t>(subtask)].finished = ended;
    }
    pending.checkpoint.nodes.push_back(std::move(stored));
  }
}

void CheckpointCoordinator::send_triggers(int64_t id) {
  std::vector<Task*> first;
  for (const auto& task : execution_.tasks()) {
    if (execution_.state(task->vertex(), task->subtask()) == Execution::TaskState::kEnded) continue;
    pending_->missing.emplace(task->vertex(), task->subtask());
    const std::vector<int> upstream = graph_.upstream(task->vertex());
    const bool fed = std::any_of(upstream.begin(), upstream.end(), [&](int v) { return !execution_.vertex_ended(v); });
    if (!fed) first.push_back(task.get());
  }
  for (Task* task : first) task->trigger_checkpoint(id);
}

void CheckpointCoordinator::on_acknowledged(TaskAck ack) {
  if (!is_pending(ack.checkpoint_id) || pending_->writing) return;
  Pending& pending = *pending_;
  if (pending.missing.erase({ack.vertex, ack.subtask}) == 0) return;
  pending.bytes += ack.bytes;
  pending.synchronous_ms_max = std::max(pending.synchronous_ms_max, ack.synchronous_ms);
  if (ack.finished) pending.finished.emplace(ack.vertex, ack.subtask);
  for (NodeAck& node : ack.nodes) {
    NodeCheckpoint& stored = pending.checkpoint.nodes[static_cast<size_t>(node.node)];
    stored.subtasks[static_cast<size_t>(ack.subtask)] = std::move(node.state);
    std::vector<std::string>& committables = pending.committables[node.node];
    for (std::string& committable : node.committables) committables.push_back(std::move(committable));
  }
  if (pending.missing.empty()) write();
}

void CheckpointCoordinator::on_declined(int64_t checkpoint_id, const std::exception_ptr& reason) {
  if (is_pending(checkpoint_id) && !pending_->writing) fail(checkpoint_id, reason);
}

void CheckpointCoordinator::write() {
  Pending& pending = *pending_;
  pending.writing = true;
  const auto hold = [&](const CommittablesByNode& committables) {
    for (const auto& [node, list] : committables) {
      std::vector<std::string>& stored = pending.checkpoint.nodes[static_cast<size_t>(node)].committables;
      stored.insert(stored.end(), list.begin(), list.end());
    }
  };
  hold(commits_.unconfirmed());
  hold(pending.committables);
  pending.checkpoint.completed_at_ms = context_.clock().wall_ms();
  const auto checkpoint = std::make_shared<const Checkpoint>(pending.checkpoint);
  const auto bytes = std::make_shared<int64_t>(0);
  const auto self = shared_from_this();
  context_.run_io(
      [storage = completed_.storage(), checkpoint, bytes] { *bytes = storage->complete(*checkpoint); },
      [self, id = checkpoint->id, bytes](const std::exception_ptr& failure) { self->on_written(id, *bytes, failure); });
}

void CheckpointCoordinator::on_written(int64_t id, int64_t bytes, const std::exception_ptr& failure) {
  pending_->writing = false;
  if (failure && stopped_) {
    discard(id);
  } else if (failure) {
    fail(id, failure);
  } else {
    pending_->bytes += bytes;
    complete();
  }
  if (stopped_) listener_.on_settled();
}

void CheckpointCoordinator::complete() {
  const Pending done = std::move(*pending_);
  pending_.reset();
  num_failed_ = 0;
  const int64_t id = done.checkpoint.id;
  const CheckpointInfo info{.id = id,
                            .path = done.checkpoint.path,
                            .completed_at_ms = done.checkpoint.completed_at_ms,
                            .duration_ms = context_.steady_ms() - done.started_ms,
                            .bytes = done.bytes,
                            .synchronous_ms_max = done.synchronous_ms_max};
  CheckpointMetrics& metrics = *context_.checkpoint_metrics;
  metrics.completed.add(1);
  metrics.in_progress.set(0);
  metrics.last_id.set(id);
  metrics.last_duration_ms.set(info.duration_ms);
  metrics.last_bytes.set(info.bytes);
  log(LogLevel::kInfo, "checkpoint", "{} of job '{}' completed in {} ms, {} bytes", id, context_.config->name,
      info.duration_ms, info.bytes);
  const std::vector<int64_t> surplus = completed_.add(done.checkpoint);
  commits_.commit(done.committables, [this, self = shared_from_this(), id](const std::exception_ptr& failure) {
    if (!failure) log(LogLevel::kDebug, "checkpoint", "{} committed", id);
    listener_.on_committed(abandoned_ ? nullptr : failure);
  });
  context_.executor->post([storage = completed_.storage(), surplus, id] {
    try {
      for (const int64_t old : surplus) storage->remove(old);
    } catch (const Error& error) {
      log(LogLevel::kWarn, "checkpoint", "an old checkpoint stays behind: {}", error.to_string());
    }
    storage->remove_unfinished(id);
  });
  listener_.on_completed(info);
  if (stopped_) return;
  notify(done);
  schedule_next(done.started_ms);
  if (execution_.all_flushed() && !execution_.all_ended()) begin();
}

void CheckpointCoordinator::notify(const Pending& done) {
  for (const auto& [vertex, source] : execution_.sources()) {
    source->notify_checkpoint_complete(done.checkpoint.id);
  }
  for (const auto& task : execution_.tasks()) {
    if (execution_.state(task->vertex(), task->subtask()) != Execution::TaskState::kEnded) {
      task->notify_checkpoint_complete(done.checkpoint.id);
    }
  }
  for (const auto& [vertex, subtask] : done.finished) {
    execution_.set_state(vertex, subtask, Execution::TaskState::kEnded);
  }
}

void CheckpointCoordinator::fail(int64_t id, const std::exception_ptr& reason) {
  const int64_t started_ms = pending_->started_ms;
  for (const auto& task : execution_.tasks()) task->abort_checkpoint(id);
  discard(id);
  context_.checkpoint_metrics->failed.add(1);
  std::string why = "unknown failure";
  ErrorFamily family = ErrorFamily::kInternal;
  try {
    std::rethrow_exception(reason);
  } catch (const Error& error) {
    why = error.to_string();
    family = error.family();
  } catch (const std::exception& error) {
    why = error.what();
  }
  const int tolerable = context_.config->tolerable_failed_checkpoints;
  if (++num_failed_ > tolerable) {
    context_.fail(std::make_exception_ptr(
        Error(family, 6020,
              fmt::format("checkpoint {} failed: {}; no more than {} failed checkpoints in a row are tolerated: free "
                          "what it needs, or raise 'execution.checkpointing.tolerable-failed-checkpoints'",
                          id, why, tolerable))));
    return;
  }
  log(LogLevel::kWarn, "checkpoint", "checkpoint {} of job '{}' failed ({} of {} tolerable in a row): {}", id,
      context_.config->name, num_failed_, tolerable, why);
  schedule_next(started_ms);
}

void CheckpointCoordinator::discard(int64_t id) {
  pending_.reset();
  context_.checkpoint_metrics->in_progress.set(0);
  context_.executor->post([storage = completed_.storage(), id] {
    try {
      storage->remove(id);
    } catch (const Error& error) {
      log(LogLevel::kWarn, "checkpoint", "a failed checkpoint stays behind: {}", error.to_string());
    }
  });
}

}  // namespace yeoul
