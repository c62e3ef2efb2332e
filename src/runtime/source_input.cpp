#include "yeoul/runtime/source_input.h"

#include <algorithm>

#include "yeoul/runtime/task_listener.h"

namespace yeoul {

SourceInput::SourceInput(const StreamNode& node, TaskContext& context, NodeMetrics& metrics,
                         std::function<void(bool)> set_idle)
    : node_(node),
      context_(context),
      metrics_(metrics),
      output_(node.name, metrics),
      pace_(context.config->batch_records_max, context.config->pace_batches) {
  if (node.watermarks) watermarks_.emplace(*node.watermarks, output_, std::move(set_idle), context.steady_ms());
  signal_ = std::make_shared<Signal>();
  signal_->mailbox = context.mailbox;
}

template <class Call>
auto SourceInput::enter(Call&& call) {
  /// Also on an exception; the name stays then, for whoever catches it.
  struct Switch {
    TaskContext& context;
    NodeMetrics* running;
    ~Switch() { context.switch_to(running); }
  };
  context_.current_node = &node_.name;
  const Switch back{context_, context_.switch_to(&metrics_)};
  return call();
}

SourceReaderContext SourceInput::reader_context() {
  const std::shared_ptr<Signal> signal = signal_;
  TaskListener* listener = context_.listener;
  const int vertex = context_.vertex;
  const int subtask = context_.subtask;
  return {.subtask = subtask,
          .parallelism = context_.parallelism,
          .wake_up = [signal] { signal->raise(); },
          .wake_up_at = [this](int64_t steady_ns) { wake_up_at((steady_ns + 999'999) / 1'000'000); },
          .fail =
              [this, signal](std::exception_ptr failure) {
                signal->mailbox->post([this, failure] { enter([&] { std::rethrow_exception(failure); }); });
              },
          .send_event_to_enumerator =
              [=](std::string event) { listener->on_source_event(vertex, subtask, std::move(event)); },
          .request_split = [=] { listener->on_split_request(vertex, subtask); },
          .clock = &context_.clock(),
          .io_pool = context_.io_pool,
          .metrics = &metrics_.source,
          .batch_records_max = [this] { return pace_.next(); }};
}

void SourceInput::open(RestoredNodeState& restored) {
  enter([&] { reader_ = node_.source->create_reader(reader_context()); });
  if (!restored.splits.empty()) add_splits(std::move(restored.splits));
  context_.listener->on_reader_registered(context_.vertex, context_.subtask);
  enter([&] { reader_->start(); });
  if (watermarks_) schedule_tick();
  if (aligned()) schedule_report();
}

void SourceInput::wake_up_at(int64_t steady_ms) {
  wake_at_ms_ = steady_ms;
  if (wake_timer_ms_ > steady_ms) schedule_wake_up();
}

void SourceInput::schedule_wake_up() {
  wake_timer_ms_ = wake_at_ms_;
  context_.steady_timers.add(wake_at_ms_, [this, at_ms = wake_at_ms_] {
    if (at_ms != wake_timer_ms_) return;  // an earlier one was set since
    wake_timer_ms_ = TimerQueue::kNever;
    if (wake_at_ms_ > at_ms) {
      schedule_wake_up();
    } else {
      signal_->raise();
    }
  });
}

void SourceInput::schedule_tick() {
  const int64_t interval_ms = context_.config->auto_watermark_interval_ms;
  const int64_t period_ms = interval_ms > 0 ? interval_ms : node_.watermarks->idle_timeout_ms;
  if (period_ms <= 0) return;
  context_.steady_timers.add(context_.steady_ms() + period_ms, [this] {
    // What woke the reader may be rows that found no room: until it was asked, no split counts as idle.
    const bool asked = !signal_->available.load();
    const bool periodic = context_.config->auto_watermark_interval_ms > 0;
    if (periodic) enter([&] { watermarks_->ask_generators(); });
    watermarks_->tick(context_.steady_ms(), periodic || node_.watermarks->on_event, asked);
    schedule_tick();
  });
}

void SourceInput::schedule_report() {
  const int64_t period_ms = std::max<int64_t>(1, node_.watermarks->alignment_update_interval_ms);
  context_.steady_timers.add(context_.steady_ms() + period_ms, [this] {
    report_watermark(watermarks_->alignment_watermark());
    align(true);
    schedule_report();
  });
}

void SourceInput::report_watermark(int64_t watermark) {
  reported_ = watermark;
  context_.listener->on_source_watermark(context_.vertex, context_.subtask, watermark);
}

void SourceInput::set_others_watermark(int64_t watermark) {
  if (!aligned()) return;
  watermarks_->set_others_watermark(watermark);
  align(true);
}

void SourceInput::align(bool resume) {
  // The group waits for the first event time of all; later ones are told every update interval.
  if (const int64_t watermark = watermarks_->alignment_watermark();
      reported_ == kMinWatermark && watermark != kMinWatermark) {
    report_watermark(watermark);
  }
  const SourceWatermarks::Alignment alignment = watermarks_->align(context_.steady_ms(), resume);
  if (alignment.empty()) return;
  enter([&] { reader_->pause_or_resume_splits(alignment.pause, alignment.resume); });
  signal_->available = true;
}

Step SourceInput::poll() {
  if (watermarks_ && watermarks_->all_paused()) return Step::kIdle;
  if (!signal_->available.exchange(false) && waiting_) return Step::kIdle;
  const PollResult result = enter([&] { return reader_->poll(*this); });
  const bool waited = std::exchange(waiting_, result == PollResult::kNothing);
  if (waiting_ != waited) metrics_.idle_since_ms.set(waiting_ ? context_.steady_ms() : -1);
  if (result == PollResult::kEnd) {
    if (aligned()) report_watermark(kMaxWatermark);
    return Step::kDone;
  }
  if (watermarks_ && watermarks_->needs_alignment()) align(false);
  return waiting_ ? Step::kIdle : Step::kProgress;
}

void SourceInput::add_splits(std::vector<SourceSplit> splits) {
  if (watermarks_) {
    for (const SourceSplit& split : splits) watermarks_->add_split(split.id, context_.steady_ms());
    // At once, so that the others wait for these from the start.
    if (aligned()) report_watermark(watermarks_->alignment_watermark());
  }
  enter([&] { reader_->add_splits(std::move(splits)); });
  signal_->available = true;
}

void SourceInput::notify_no_more_splits() {
  enter([&] { reader_->notify_no_more_splits(); });
  signal_->available = true;
}

void SourceInput::handle_event(const std::string& event) {
  enter([&] { reader_->handle_source_event(event); });
  signal_->available = true;
}

std::vector<SourceSplit> SourceInput::snapshot(int64_t checkpoint_id) {
  return enter([&] { return reader_->snapshot(checkpoint_id); });
}

void SourceInput::notify_checkpoint_complete(int64_t checkpoint_id) {
  enter([&] { reader_->notify_checkpoint_complete(checkpoint_id); });
}

void SourceInput::emit(BatchPtr batch, std::span<const SourceRun> runs) {
  if (const int64_t event_time_ms = metrics_.source.event_time_ms.value(); event_time_ms >= 0) {
    metrics_.emit_event_time_lag_ms.set(context_.clock().wall_ms() - event_time_ms);
  }
  const size_t records = batch->num_records();
  const int64_t started_ns = context_.clock().steady_ns();
  if (watermarks_) {
    watermarks_->emit(batch, runs, started_ns / 1'000'000);
  } else {
    output_.emit(std::move(batch));
  }
  pace_.on_batch(records, context_.clock().steady_ns() - started_ns);
}

void SourceInput::set_caught_up(std::string_view split_id, bool caught_up) {
  if (watermarks_) watermarks_->set_caught_up(split_id, caught_up, context_.steady_ms());
}

void SourceInput::finish_split(std::string_view split_id) {
  if (watermarks_) watermarks_->remove_split(split_id, context_.steady_ms());
}

}  // namespace yeoul
