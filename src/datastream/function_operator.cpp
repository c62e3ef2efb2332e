#include "yeoul/datastream/function_operator.h"

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

/// Keeps a key as long as it has timers.
class TimersHandle final : public KeyedStateHandle {
 public:
  explicit TimersHandle(TimerService& timers) : timers_(timers) {}
  bool empty(size_t record, Slot slot) override {
    (void)record;
    return timers_.empty(slot);
  }

 private:
  TimerService& timers_;
};

}  // namespace

void FunctionTimerService::note(TimeDomain domain, bool add, int64_t time, std::string_view name_space) {
  if (scope_ == nullptr || scope_->keys().size() == 0) {
    throw user_error(7113, "a timer is set where there is no key: call key_by() before process()");
  }
  changes_.push_back({domain, add, static_cast<uint32_t>(scope_->current()), time,
                      static_cast<uint32_t>(namespaces_.size()), static_cast<uint32_t>(name_space.size())});
  namespaces_ += name_space;
  if (!add && firing_ != nullptr) delete_from_firing(domain, time, name_space);
}

void FunctionTimerService::delete_from_firing(TimeDomain domain, int64_t time, std::string_view name_space) {
  const DueTimers& due = firing_->timers;
  if (firing_->domain != domain || time < due.times_ms[firing_->next - 1]) return;
  // Most often it is the very timer that fires.
  if (time == due.times_ms[firing_->next - 1] && name_space == due.namespaces[firing_->next - 1]) return;
  for (size_t i = firing_->next; i < due.size() && due.times_ms[i] <= time; ++i) {
    if (due.times_ms[i] == time && due.namespaces[i] == name_space && due.keys[i] == scope_->current_key()) {
      firing_->deleted[i] = true;
    }
  }
}

void FunctionTimerService::apply(TimerService& event_timers, TimerService& processing_timers) {
  std::vector<std::string_view> keys;
  std::vector<Slot> slots;
  std::vector<int64_t> times;
  std::vector<std::string_view> names;
  for (size_t first = 0; first < changes_.size();) {
    const Change& like = changes_[first];
    keys.clear(), slots.clear(), times.clear(), names.clear();
    size_t i = first;
    for (; i < changes_.size() && changes_[i].domain == like.domain && changes_[i].add == like.add; ++i) {
      keys.push_back(scope_->keys()[changes_[i].record]);
      slots.push_back(scope_->slots()[changes_[i].record]);
      times.push_back(changes_[i].time);
      names.push_back(std::string_view(namespaces_).substr(changes_[i].first, changes_[i].size));
    }
    TimerService& service = like.domain == TimeDomain::kEventTime ? event_timers : processing_timers;
    if (like.add) {
      service.add(keys, slots, times, names);
    } else {
      service.remove(keys, slots, times, names);
    }
    first = i;
  }
  changes_.clear();
  namespaces_.clear();
}

void FunctionOperator::open(OperatorContext& context) {
  context_ = &context;
  records_max_ = static_cast<size_t>(context.batch_records_max());
  timers_.clock_ = &context.clock();
  if (traits_.keyed) {
    scope_.open(context.keyed_state());
    timers_.scope_ = &scope_;
  }
  RuntimeContext runtime(context, scope_or_null());
  open_functions(context, runtime);
  if (!traits_.keyed) return;
  event_timers_.emplace(scope_.backend(), std::string(ReservedStates::kEventTimers), traits_.namespaced_timers);
  processing_timers_.emplace(scope_.backend(), std::string(ReservedStates::kProcessingTimers),
                             traits_.namespaced_timers);
  scope_.watch(std::make_shared<TimersHandle>(*event_timers_));
  scope_.watch(std::make_shared<TimersHandle>(*processing_timers_));
  // Timers of a checkpoint are there only after open(): the first wake-up looks for them.
  context.register_processing_timer(context.clock().wall_ms(), [this] {
    wake_up_pending_ = true;
    run(context_->output());
  });
}

void FunctionOperator::process_batch(int input, const BatchPtr& batch, OperatorOutput& output) {
  scope_.begin(begin_batch(input, batch));
  work_ = Work::kBatch;
  next_ = 0;
  end_ = batch->num_records();
  run(output);
}

void FunctionOperator::process_watermark(int64_t watermark, OperatorOutput& output) {
  timers_.watermark_ = watermark;
  watermark_pending_ = true;
  run(output);
}

void FunctionOperator::flush(OperatorOutput& output) {
  flush_collected(output);
  sides_.flush(output);
}

bool FunctionOperator::run(OperatorOutput& output) {
  while (true) {
    while (work_ != Work::kNone) {
      go_on();
      flush(output);
      if (next_ == end_) {
        finish_work();
      } else if (!output.has_room()) {
        return false;
      }
    }
    if (!watermark_pending_ && !wake_up_pending_) return true;
    if (traits_.keyed && !output.has_room()) return false;
    if (next_timers()) continue;
    if (std::exchange(watermark_pending_, false)) output.emit_watermark(timers_.current_watermark());
  }
}

void FunctionOperator::go_on() {
  if (work_ == Work::kBatch) {
    process_records(next_, end_);
    return;
  }
  while (next_ < end_ && !is_full()) {
    const size_t timer = next_++;
    firing_.next = next_;
    if (firing_.deleted[timer]) continue;
    scope_.set_current(timer);
    on_timer(firing_.domain, firing_.timers.times_ms[timer], firing_.timers.namespaces[timer]);
  }
}

void FunctionOperator::finish_work() {
  const Work ended = std::exchange(work_, Work::kNone);
  if (ended == Work::kBatch) end_batch();
  timers_.firing_ = nullptr;
  if (!traits_.keyed) return;
  if (ended == Work::kTimers) scope_.slots();  // so that end() sees keys that held nothing but their timer
  const bool changed = !timers_.changes_.empty();
  if (changed) timers_.apply(*event_timers_, *processing_timers_);
  scope_.end();
  if (changed) schedule_wake_up();
}

/// Begins to fire timers that are due. False: none is.
bool FunctionOperator::next_timers() {
  if (!traits_.keyed) return wake_up_pending_ = false;
  if (watermark_pending_) return take_timers(TimeDomain::kEventTime, *event_timers_, timers_.watermark_);
  if (take_timers(TimeDomain::kProcessingTime, *processing_timers_, context_->clock().wall_ms())) return true;
  wake_up_pending_ = false;
  schedule_wake_up();
  return false;
}

bool FunctionOperator::take_timers(TimeDomain domain, TimerService& service, int64_t until_ms) {
  while (!service.empty() && service.next_ms() <= until_ms) {
    firing_.timers = service.take_due(traits_.one_time_at_once ? service.next_ms() : until_ms, records_max_);
    if (firing_.timers.size() == 0) continue;
    firing_.domain = domain;
    firing_.deleted.assign(firing_.timers.size(), false);
    firing_.next = 0;
    timers_.firing_ = &firing_;
    scope_.begin(firing_.timers.keys);
    work_ = Work::kTimers;
    next_ = 0;
    end_ = firing_.timers.size();
    return true;
  }
  return false;
}

void FunctionOperator::schedule_wake_up() {
  const int64_t next_ms = processing_timers_->next_ms();
  if (next_ms >= wake_up_at_ms_) return;
  wake_up_at_ms_ = next_ms;
  context_->register_processing_timer(next_ms, [this, next_ms] {
    if (wake_up_at_ms_ == next_ms) wake_up_at_ms_ = TimerService::kNever;
    wake_up_pending_ = true;
    run(context_->output());
  });
}

}  // namespace yeoul
