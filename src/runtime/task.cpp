#include "yeoul/runtime/task.h"

#include <algorithm>

#include "yeoul/common/log.h"
#include "yeoul/runtime/keyed_state_writer.h"

namespace yeoul {

Task::Task(TaskSetup setup)
    : graph_(*setup.graph),
      vertex_(setup.graph->vertex(setup.vertex)),
      name_(fmt::format("{} ({}/{})", vertex_.name, setup.subtask + 1, vertex_.parallelism)),
      storage_(std::move(setup.storage)),
      times_(setup.times),
      nodes_(std::move(setup.nodes)),
      gate_(setup.inputs),
      combiner_(setup.inputs.size()),
      restored_finished_(setup.finished) {
  context_.vertex = setup.vertex;
  context_.subtask = setup.subtask;
  context_.parallelism = vertex_.parallelism;
  context_.max_parallelism = graph_.max_parallelism();
  context_.config = setup.config;
  context_.environment = setup.environment;
  context_.executor = setup.executor;
  context_.io_pool = setup.io_pool;
  context_.listener = setup.listener;
  context_.mailbox = std::move(setup.mailbox);
  chain_ = std::make_unique<Chain>(graph_, vertex_, context_, nodes_, std::move(setup.exchanges));
}

Task::~Task() = default;

Step Task::step() {
  if (done_) return Step::kDone;
  heeds_timers_ = false;
  if (!opened_) {
    open();
    return Step::kProgress;
  }
  if (std::optional<Mailbox::Mail> mail = context_.mailbox->take()) {
    (*mail)();
    return Step::kProgress;
  }
  if (!chain_->clear()) return chain_->continue_work() ? Step::kProgress : idle(true);
  blocked_ = false;
  // A flush is whole or not begun in a checkpoint.
  if (phase_ == Phase::kFlushing) return step_flush();
  if (!barriers_.empty()) return step_barrier();
  if (phase_ == Phase::kEnding) return step_ending();
  if (phase_ == Phase::kFlushed) return step_input();
  if (!chain_->has_room()) return idle(true);
  heeds_timers_ = true;
  if (fire_timer()) return Step::kProgress;
  return step_input();
}

Step Task::guarded_step() {
  try {
    return step();
  } catch (...) {
    done_ = true;
    failed_ = true;
    context_.listener->on_failed(context_.vertex, context_.subtask, with_context(std::current_exception()));
    return Step::kDone;
  }
}

std::exception_ptr Task::with_context(std::exception_ptr failure) const {
  const std::string& node = context_.current_node ? *context_.current_node : vertex_.name;
  const std::string where = fmt::format("'{}' (subtask {}/{})", node, context_.subtask + 1, context_.parallelism);
  try {
    std::rethrow_exception(failure);
  } catch (Error& error) {
    Error copy = error;
    copy.add_context(where);
    return std::make_exception_ptr(copy);
  } catch (const std::exception& error) {
    return std::make_exception_ptr(internal_error(9001, "{}: {}", where, error.what()));
  } catch (...) {
    return std::make_exception_ptr(internal_error(9001, "{}: an unknown failure", where));
  }
}

bool Task::close() {
  if (closed_) return false;
  closed_ = true;
  context_.mailbox->close();
  chain_.reset();
  context_.listener->on_stopped(context_.vertex, context_.subtask, done_ && !failed_);
  return true;
}

int64_t Task::wait_ms() const {
  if (!heeds_timers_) return -1;
  int64_t wait = -1;
  const auto consider = [&](const TimerQueue& timers, int64_t now_ms) {
    if (timers.empty()) return;
    const int64_t left = std::max<int64_t>(0, timers.next_at() - now_ms);
    if (wait < 0 || left < wait) wait = left;
  };
  consider(context_.steady_timers, context_.steady_ms());
  consider(context_.wall_timers, context_.clock().wall_ms());
  return wait;
}

void Task::open() {
  opened_ = true;
  if (restored_finished_) {
    open_finished();
    return;
  }
  chain_->open(nodes_);
  nodes_.clear();
}

void Task::open_finished() {
  chain_->broadcast(Watermark{kMaxWatermark});
  chain_->broadcast(EndOfInput{});
  phase_ = Phase::kFlushed;
  finish();
}

bool Task::fire_timer() {
  TimerQueue* due = nullptr;
  if (!context_.steady_timers.empty() && context_.steady_timers.next_at() <= context_.steady_ms()) {
    due = &context_.steady_timers;
  } else if (!context_.wall_timers.empty() && context_.wall_timers.next_at() <= context_.clock().wall_ms()) {
    due = &context_.wall_timers;
  }
  if (due == nullptr) return false;
  due->take()();
  return true;
}

Step Task::step_input() {
  if (SourceInput* source = chain_->source()) {
    if (phase_ == Phase::kFlushed) return Step::kIdle;
    const Step step = source->poll();
    if (step != Step::kDone) return step;
    source->node_output().emit_watermark(kMaxWatermark);
    begin_flush(0);
    return Step::kProgress;
  }
  const int channel = gate_.next();
  if (channel < 0) return Step::kIdle;
  handle(static_cast<size_t>(channel), gate_.pop(static_cast<size_t>(channel)));
  return Step::kProgress;
}

void Task::handle(size_t channel, StreamElement element) {
  switch (element.index()) {
    case 0:
      chain_->head().process_batch(gate_.input_of(channel), std::get<BatchPtr>(element));
      return;
    case 1:
      if (combiner_.set_watermark(channel, std::get<Watermark>(element).timestamp)) {
        chain_->head().process_watermark(combiner_.watermark());
      }
      return;
    case 2:
      handle_status(channel, std::get<StreamStatus>(element).idle);
      return;
    case 3: {
      const int64_t id = std::get<Barrier>(element).checkpoint_id;
      if (gate_.on_barrier(channel, id)) begin_barrier({.checkpoint_id = id});
      return;
    }
    case 4:
      if (!gate_.on_end_of_input(channel)) return;
      chain_->head().end_input(gate_.input_of(channel));
      if (gate_.all_ended()) begin_flush(1);
      return;
    default:
      if (gate_.on_closed(channel)) {
        begin_barrier({.checkpoint_id = gate_.aligning()});
      } else if (self_trigger_ != 0 && gate_.all_closed()) {
        begin_barrier({.checkpoint_id = std::exchange(self_trigger_, 0)});
      }
  }
}

void Task::handle_status(size_t channel, bool idle) {
  const bool was_idle = combiner_.idle();
  const int64_t before = combiner_.watermark();
  if (!combiner_.set_idle(channel, idle)) return;
  if (was_idle && !combiner_.idle()) chain_->broadcast(StreamStatus{false});
  if (combiner_.watermark() > before) chain_->head().process_watermark(combiner_.watermark());
  if (!was_idle && combiner_.idle()) chain_->broadcast(StreamStatus{true});
}

// --- Checkpoints -------------------------------------------------------------------------------------------------

void Task::trigger_checkpoint(int64_t checkpoint_id) {
  context_.mailbox->post([this, checkpoint_id] { begin_trigger(checkpoint_id); });
}

void Task::abort_checkpoint(int64_t checkpoint_id) {
  context_.mailbox->post([this, checkpoint_id] {
    gate_.abort(checkpoint_id);
    if (self_trigger_ <= checkpoint_id) self_trigger_ = 0;
  });
}

void Task::notify_checkpoint_complete(int64_t checkpoint_id) {
  context_.mailbox->post([this, checkpoint_id] { complete(checkpoint_id); });
}

void Task::begin_trigger(int64_t checkpoint_id) {
  if (SourceInput* source = chain_->source()) {
    begin_barrier({.checkpoint_id = checkpoint_id, .splits = source->snapshot(checkpoint_id)});
  } else if (gate_.all_closed()) {
    begin_barrier({.checkpoint_id = checkpoint_id});
  } else {
    self_trigger_ = checkpoint_id;
  }
}

void Task::begin_barrier(PendingBarrier barrier) {
  barriers_.push_back(std::move(barrier));
}

Step Task::step_barrier() {
  PendingBarrier& barrier = barriers_.front();
  const auto& nodes = chain_->nodes();
  if (barrier.num_prepared < nodes.size()) {
    // One node a step: what it flushes must be through the rest of the chain before the next one prepares.
    if (phase_ == Phase::kRunning) nodes[barrier.num_prepared]->prepare_barrier();
    ++barrier.num_prepared;
    return Step::kProgress;
  }
  if (!barrier.emitted) {
    barrier.emitted = true;
    chain_->broadcast(Barrier{barrier.checkpoint_id});
    begin_sinks(barrier.checkpoint_id);
    return Step::kProgress;
  }
  if (!sinks_prepared()) return Step::kIdle;
  snapshot();
  barriers_.pop_front();
  gate_.release();
  return Step::kProgress;
}

void Task::begin_sinks(int64_t checkpoint_id) {
  for (const auto& node : chain_->nodes()) node->begin_prepare(checkpoint_id, phase_ != Phase::kRunning);
}

bool Task::sinks_prepared() const {
  const auto& nodes = chain_->nodes();
  return std::all_of(nodes.begin(), nodes.end(), [](const auto& node) { return node->prepared(); });
}

void Task::snapshot() {
  const int64_t started_ns = context_.clock().steady_ns();
  PendingBarrier& barrier = barriers_.front();
  TaskAck ack{.vertex = context_.vertex,
              .subtask = context_.subtask,
              .checkpoint_id = barrier.checkpoint_id,
              .finished = phase_ == Phase::kFlushed};
  std::vector<NodeCapture> captures;
  if (SourceInput* source = chain_->source()) {
    captures.push_back({.ack = {.node = source->node().id}});
    captures.back().ack.state.splits = std::move(barrier.splits);
  }
  for (const auto& node : chain_->nodes()) captures.push_back(node->capture(barrier.checkpoint_id));
  if (ack.finished) {
    if (finished_in_ == 0) finished_in_ = barrier.checkpoint_id;
    for (NodeCapture& capture : captures) {
      capture.keyed.reset();
      capture.ack.state = {.finished = true};
    }
  }
  ack.synchronous_ms = (context_.clock().steady_ns() - started_ns) / 1'000'000;
  write_snapshot(std::move(ack), std::move(captures));
}

void Task::write_snapshot(TaskAck ack, std::vector<NodeCapture> captures) {
  // Shared, since a std::function is copyable; only the job that runs touches it.
  auto parts = std::make_shared<std::pair<TaskAck, std::vector<NodeCapture>>>(std::move(ack), std::move(captures));
  context_.executor->post([parts, storage = storage_, listener = context_.listener, name = name_] {
    auto& [task_ack, node_captures] = *parts;
    try {
      for (NodeCapture& capture : node_captures) {
        task_ack.bytes += write_keyed_state(*storage, task_ack.checkpoint_id, task_ack.subtask, capture);
        task_ack.nodes.push_back(std::move(capture.ack));
      }
      listener->on_acknowledged(std::move(task_ack));
    } catch (Error& error) {
      error.add_context(fmt::format("the snapshot of {}", name));
      listener->on_declined(task_ack.vertex, task_ack.subtask, task_ack.checkpoint_id, std::make_exception_ptr(error));
    } catch (...) {
      listener->on_declined(task_ack.vertex, task_ack.subtask, task_ack.checkpoint_id, std::current_exception());
    }
  });
}

void Task::complete(int64_t checkpoint_id) {
  if (done_) return;
  if (SourceInput* source = chain_->source()) source->notify_checkpoint_complete(checkpoint_id);
  for (const auto& node : chain_->nodes()) node->notify_checkpoint_complete(checkpoint_id);
  if (finished_in_ != 0 && checkpoint_id >= finished_in_) finish();
}

// --- The end of input --------------------------------------------------------------------------------------------

void Task::begin_flush(size_t first) {
  phase_ = Phase::kFlushing;
  flushed_nodes_ = first;  // nodes before it have been told that their input ended
}

Step Task::step_flush() {
  const auto& nodes = chain_->nodes();
  if (flushed_nodes_ < nodes.size()) {
    nodes[flushed_nodes_++]->end_input(0);
    return Step::kProgress;
  }
  end_flush();
  return Step::kProgress;
}

void Task::end_flush() {
  chain_->broadcast(EndOfInput{});
  context_.steady_timers = {};
  context_.wall_timers = {};
  if (storage_) {
    phase_ = Phase::kFlushed;
    context_.listener->on_flushed(context_.vertex, context_.subtask);
    return;
  }
  phase_ = Phase::kEnding;
  begin_sinks(0);
}

Step Task::step_ending() {
  if (!sinks_prepared()) return Step::kIdle;
  std::vector<NodeAck> acks;
  for (const auto& node : chain_->nodes()) {
    if (node->node().sink) acks.push_back(node->capture(0).ack);
  }
  context_.listener->on_final_committables(std::move(acks));
  phase_ = Phase::kFlushed;
  finish();
  return Step::kProgress;
}

void Task::finish() {
  chain_->broadcast(EndOfChannel{});
  done_ = true;
}

// --- Splits ------------------------------------------------------------------------------------------------------

void Task::add_splits(std::vector<SourceSplit> splits) {
  context_.mailbox->post(
      [this, splits = std::move(splits)]() mutable { chain_->source()->add_splits(std::move(splits)); });
}

void Task::notify_no_more_splits() {
  context_.mailbox->post([this] { chain_->source()->notify_no_more_splits(); });
}

void Task::handle_source_event(std::string event) {
  context_.mailbox->post([this, event = std::move(event)] { chain_->source()->handle_event(event); });
}

void Task::set_others_watermark(int64_t watermark) {
  context_.mailbox->post([this, watermark] {
    if (phase_ == Phase::kRunning) chain_->source()->set_others_watermark(watermark);
  });
}

void run_on_thread(Task& task, std::stop_token stop) {
  task.note_use(TaskTimes::kBusy);
  while (!stop.stop_requested()) {
    const Step step = task.guarded_step();
    if (step == Step::kDone) break;
    if (step != Step::kIdle) continue;
    task.note_use(task.blocked() ? TaskTimes::kBackpressured : TaskTimes::kIdle);
    task.mailbox().wake_up().wait(stop, task.wait_ms());
    task.note_use(TaskTimes::kBusy);
  }
  task.note_use(TaskTimes::kStopped);
  task.close();
}

}  // namespace yeoul
