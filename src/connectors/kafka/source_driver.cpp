#include "yeoul/connectors/kafka/source_driver.h"

#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/types/row_literal.h"

namespace yeoul {

SourceDriver::SourceDriver(std::shared_ptr<const Source> source, int parallelism, int64_t batch_records_max)
    : source_(std::move(source)),
      parallelism_(parallelism),
      batch_records_max_(batch_records_max),
      pool_(std::make_unique<ThreadPool>("test-io", 2)) {}

SourceDriver::~SourceDriver() {
  pool_.reset();
  readers_.clear();
}

void SourceDriver::make_readers() {
  for (int subtask = 0; subtask < parallelism_; ++subtask) {
    SourceReaderContext context;
    context.subtask = subtask;
    context.parallelism = parallelism_;
    context.wake_up = [this] { wake_.raise(); };
    context.fail = [this](std::exception_ptr error) { fail(std::move(error)); };
    context.clock = &system_clock();
    context.io_pool = pool_.get();
    context.metrics = &metrics_;
    context.batch_records_max = [this] { return batch_records_max_; };
    readers_.push_back(source_->create_reader(std::move(context)));
    readers_.back()->start();
  }
}

void SourceDriver::start() {
  make_readers();
  enumerator_ = source_->create_enumerator(*this, std::nullopt);
  enumerator_->start();
  for (int subtask = 0; subtask < parallelism_; ++subtask) enumerator_->add_reader(subtask);
}

void SourceDriver::restore(const Checkpoint& checkpoint) {
  make_readers();
  for (size_t i = 0; i < checkpoint.splits.size(); ++i) {
    readers_[i % readers_.size()]->add_splits({checkpoint.splits[i]});
  }
  enumerator_ = source_->create_enumerator(*this, checkpoint.enumerator);
  enumerator_->start();
  for (int subtask = 0; subtask < parallelism_; ++subtask) enumerator_->add_reader(subtask);
}

SourceDriver::Checkpoint SourceDriver::checkpoint(int64_t id) {
  Checkpoint result{enumerator_->snapshot(id), {}};
  for (const auto& reader : readers_) {
    for (SourceSplit& split : reader->snapshot(id)) result.splits.push_back(std::move(split));
  }
  return result;
}

void SourceDriver::complete_checkpoint(int64_t id) {
  enumerator_->notify_checkpoint_complete(id);
  for (const auto& reader : readers_) reader->notify_checkpoint_complete(id);
}

void SourceDriver::pause_or_resume(std::vector<std::string> pause, std::vector<std::string> resume) {
  for (const auto& reader : readers_) reader->pause_or_resume_splits(pause, resume);
}

void SourceDriver::fail(std::exception_ptr error) {
  {
    const std::scoped_lock lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  wake_.raise();
}

std::vector<int> SourceDriver::registered_readers() const {
  std::vector<int> readers;
  for (int subtask = 0; subtask < static_cast<int>(readers_.size()); ++subtask) readers.push_back(subtask);
  return readers;
}

void SourceDriver::assign_splits(int subtask, std::vector<SourceSplit> splits) {
  readers_[static_cast<size_t>(subtask)]->add_splits(std::move(splits));
}

void SourceDriver::signal_no_more_splits(int subtask) {
  readers_[static_cast<size_t>(subtask)]->notify_no_more_splits();
}

void SourceDriver::call_async(std::function<std::function<void()>()> io, int64_t period_ms) {
  pool_->post([this, io = std::move(io), period_ms] {
    std::function<void()> then;
    try {
      then = io();
    } catch (...) {
      fail(std::current_exception());
      return;
    }
    const std::scoped_lock lock(mutex_);
    coordinator_.push_back([this, io, period_ms, then = std::move(then)] {
      then();
      if (period_ms > 0) due_calls_.push_back({io, period_ms, system_clock().steady_ns() + period_ms * 1'000'000});
    });
    wake_.raise();
  });
}

void SourceDriver::run_due_calls() {
  const int64_t now = system_clock().steady_ns();
  std::vector<PeriodicCall> calls;
  std::swap(calls, due_calls_);
  for (PeriodicCall& call : calls) {
    if (call.due_ns <= now) {
      call_async(std::move(call.io), call.period_ms);
    } else {
      due_calls_.push_back(std::move(call));
    }
  }
}

/// One round; false when nothing happened.
bool SourceDriver::step() {
  std::deque<std::function<void()>> actions;
  {
    const std::scoped_lock lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    std::swap(actions, coordinator_);
  }
  for (const std::function<void()>& action : actions) action();
  run_due_calls();
  bool worked = !actions.empty();
  for (int subtask = 0; subtask < parallelism_; ++subtask) {
    if (ended_.contains(subtask)) continue;
    switch (readers_[static_cast<size_t>(subtask)]->poll(*this)) {
      case PollResult::kMore:
        worked = true;
        break;
      case PollResult::kNothing:
        break;
      case PollResult::kEnd:
        ended_.insert(subtask);
        worked = true;
        break;
    }
  }
  return worked;
}

void SourceDriver::run_until(const std::function<bool()>& condition, int64_t timeout_ms) {
  const int64_t deadline = system_clock().steady_ns() + timeout_ms * 1'000'000;
  while (!condition()) {
    if (step()) continue;
    if (system_clock().steady_ns() > deadline) throw internal_error(9000, "the condition did not come true in time");
    wake_.wait({}, 20);
  }
}

void SourceDriver::run_to_end() {
  run_until([this] { return static_cast<int>(ended_.size()) == parallelism_; });
}

std::vector<std::string> SourceDriver::sorted_rows() const {
  std::vector<std::string> sorted = rows_;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void SourceDriver::emit(BatchPtr batch, std::span<const SourceRun> runs) {
  uint32_t next = 0;
  for (const SourceRun& run : runs) {
    YEOUL_CHECK(run.first_row == next, "runs have a gap");
    next += run.num_rows;
    rows_of_split_[std::string(run.split_id)] += run.num_rows;
    caught_up_.erase(std::string(run.split_id));
  }
  YEOUL_CHECK(next == batch->num_records(), "runs do not cover the batch");
  for (std::string& line : row_lines(static_cast<const RowBatch&>(*batch))) rows_.push_back(std::move(line));
}

void SourceDriver::set_caught_up(std::string_view split_id, bool caught_up) {
  if (caught_up) {
    caught_up_.emplace(split_id);
  } else {
    caught_up_.erase(std::string(split_id));
  }
}

void SourceDriver::finish_split(std::string_view split_id) {
  caught_up_.erase(std::string(split_id));
}

}  // namespace yeoul
