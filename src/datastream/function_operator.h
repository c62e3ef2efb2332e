#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "yeoul/datastream/function_context.h"
#include "yeoul/datastream/runtime_context.h"

namespace yeoul {

/// How a FunctionOperator is to behave.
struct FunctionOperatorTraits {
  bool keyed = false;
  bool namespaced_timers = false;
  /// Timers of different times are never taken together, since firing one may set or change a later one.
  bool one_time_at_once = true;
};

/// Base of the operators that call functions of the user's with a context: walks batches and due timers, stops between
/// two records when there is no room, fires timers in order before it forwards a watermark. Threads: the task's.
class FunctionOperator : public Operator {
 public:
  explicit FunctionOperator(FunctionOperatorTraits traits, std::shared_ptr<const ConnectedTags> tags)
      : traits_(traits), sides_(std::move(tags)) {}

  void open(OperatorContext& context) final;
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) final;
  void process_watermark(int64_t watermark, OperatorOutput& output) final;
  bool resume(OperatorOutput& output) final { return run(output); }

 protected:
  /// Opens the function, which registers its states.
  virtual void open_functions(OperatorContext& context, RuntimeContext& runtime) = 0;
  /// A batch begins. @return the keys of its records; none where the input has none
  virtual CanonicalKeys begin_batch(int input, const BatchPtr& batch) = 0;
  /// Processes records from `next` on, until the end or until the collector is full; moves `next`.
  virtual void process_records(size_t& next, size_t end) = 0;
  virtual void end_batch() = 0;
  /// The timer of the current key fires.
  virtual void on_timer(TimeDomain domain, int64_t time, std::string_view name_space) = 0;
  virtual size_t num_collected() const = 0;
  virtual void flush_collected(OperatorOutput& output) = 0;

  bool is_full() const { return num_collected() >= records_max_; }
  KeyedScope& scope() { return scope_; }
  FunctionTimerService& timers() { return timers_; }
  SideOutputs& sides() { return sides_; }
  /// Null for an operator without keys.
  KeyedScope* scope_or_null() { return traits_.keyed ? &scope_ : nullptr; }

 private:
  enum class Work : uint8_t { kNone, kBatch, kTimers };

  bool run(OperatorOutput& output);
  void go_on();
  void finish_work();
  bool next_timers();
  bool take_timers(TimeDomain domain, TimerService& service, int64_t until_ms);
  void schedule_wake_up();
  void flush(OperatorOutput& output);

  FunctionOperatorTraits traits_;
  SideOutputs sides_;
  OperatorContext* context_ = nullptr;
  KeyedScope scope_;
  FunctionTimerService timers_;
  std::optional<TimerService> event_timers_;
  std::optional<TimerService> processing_timers_;
  size_t records_max_ = 0;

  Work work_ = Work::kNone;
  size_t next_ = 0;
  size_t end_ = 0;
  FunctionTimerService::Firing firing_;
  bool watermark_pending_ = false;
  bool wake_up_pending_ = false;
  int64_t wake_up_at_ms_ = TimerService::kNever;
};

}  // namespace yeoul
