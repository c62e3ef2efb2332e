#include "yeoul/runtime/source_coordinator.h"

namespace yeoul {

void SourceCoordinator::guard(const std::function<void()>& call) {
  if (closed_) return;
  try {
    call();
  } catch (Error& error) {
    error.add_context(fmt::format("'{}'", node_.name));
    context_.fail(std::make_exception_ptr(error));
  } catch (const std::exception& error) {
    context_.fail(std::make_exception_ptr(internal_error(9001, "'{}': {}", node_.name, error.what())));
  } catch (...) {  // a program's own function throws what it likes
    context_.fail(std::make_exception_ptr(internal_error(9001, "'{}': an unknown failure", node_.name)));
  }
}

void SourceCoordinator::start(const std::optional<std::string>& restored) {
  guard([&] {
    enumerator_ = node_.source->create_enumerator(*this, restored);
    enumerator_->start();
  });
}

void SourceCoordinator::add_reader(int subtask) {
  readers_.insert(subtask);
  guard([&] { enumerator_->add_reader(subtask); });
}

void SourceCoordinator::handle_split_request(int subtask) {
  guard([&] { enumerator_->handle_split_request(subtask); });
}

void SourceCoordinator::handle_event(int subtask, const std::string& event) {
  guard([&] { enumerator_->handle_source_event(subtask, event); });
}

void SourceCoordinator::notify_checkpoint_complete(int64_t checkpoint_id) {
  guard([&] { enumerator_->notify_checkpoint_complete(checkpoint_id); });
}

void SourceCoordinator::close() {
  if (closed_) return;
  guard([&] {
    if (enumerator_) enumerator_->close();
  });
  closed_ = true;
}

Task& SourceCoordinator::task(int subtask) {
  YEOUL_CHECK(subtask >= 0 && subtask < parallelism(), "'{}' has no subtask {}", node_.name, subtask);
  return *tasks_[static_cast<size_t>(subtask)];
}

void SourceCoordinator::assign_splits(int subtask, std::vector<SourceSplit> splits) {
  task(subtask).add_splits(std::move(splits));
}

void SourceCoordinator::signal_no_more_splits(int subtask) {
  task(subtask).notify_no_more_splits();
}

void SourceCoordinator::send_event_to_reader(int subtask, std::string event) {
  task(subtask).handle_source_event(std::move(event));
}

void SourceCoordinator::call_async(std::function<std::function<void()>()> io, int64_t period_ms) {
  const auto result = std::make_shared<std::function<void()>>();
  const auto self = shared_from_this();
  context_.run_io([self, io, result] { *result = io(); },
                  [self, io, result, period_ms](const std::exception_ptr& failure) {
                    self->guard([&] {
                      if (failure) std::rethrow_exception(failure);
                      if (*result) (*result)();
                    });
                    if (self->closed_ || period_ms <= 0) return;
                    const std::weak_ptr<SourceCoordinator> weak = self;
                    self->context_.timers.add(self->context_.steady_ms() + period_ms, [weak, io, period_ms] {
                      const auto again = weak.lock();
                      if (again && !again->closed_) again->call_async(io, period_ms);
                    });
                  });
}

}  // namespace yeoul
