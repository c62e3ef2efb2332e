#include "yeoul/connectors/base/split_fetcher.h"

#include <utility>

namespace yeoul {

SplitFetcher::SplitFetcher(const std::string& thread_name, size_t queue_bytes_max, Hooks hooks)
    : queue_bytes_max_(queue_bytes_max), hooks_(std::move(hooks)), reader_(hooks_.create_reader()) {
  thread_ = start_thread(thread_name, [this](std::stop_token stop) { run(std::move(stop)); });
}

SplitFetcher::~SplitFetcher() {
  thread_.request_stop();
  reader_->wake_up();
  if (thread_.joinable()) thread_.join();
}

void SplitFetcher::add_splits(std::vector<SourceSplit> splits) {
  post([this, added = std::move(splits)](const std::stop_token& stop) { reader_->add_splits(added, stop); });
}

void SplitFetcher::pause_or_resume(std::vector<std::string> pause, std::vector<std::string> resume) {
  post([this, paused = std::move(pause), resumed = std::move(resume)](const std::stop_token&) {
    reader_->pause_or_resume(paused, resumed);
  });
}

void SplitFetcher::post(Command command) {
  {
    const std::scoped_lock lock(mutex_);
    commands_.push_back(std::move(command));
  }
  wake_.raise();
  reader_->wake_up();
}

std::unique_ptr<FetchedBatch> SplitFetcher::take() {
  std::unique_ptr<FetchedBatch> batch;
  bool drained = false;
  {
    const std::scoped_lock lock(mutex_);
    if (queue_.empty()) return nullptr;
    batch = std::move(queue_.front());
    queue_.pop_front();
    queue_bytes_ -= batch->num_bytes;
    // Half empty, so that the thread is not woken for each batch.
    if (waits_for_room_ && queue_bytes_ <= queue_bytes_max_ / 2) {
      waits_for_room_ = false;
      drained = true;
    }
  }
  if (drained) wake_.raise();
  return batch;
}

bool SplitFetcher::is_full() {
  const std::scoped_lock lock(mutex_);
  if (queue_bytes_ < queue_bytes_max_) waits_for_room_ = false;
  if (!waits_for_room_ && queue_bytes_ >= queue_bytes_max_) waits_for_room_ = true;
  return waits_for_room_;
}

void SplitFetcher::run_commands(const std::stop_token& stop) {
  std::vector<Command> commands;
  {
    const std::scoped_lock lock(mutex_);
    commands.swap(commands_);
  }
  for (const Command& command : commands) {
    if (!stop.stop_requested()) command(stop);
  }
}

void SplitFetcher::hand_over(std::vector<std::unique_ptr<FetchedBatch>> batches) {
  if (batches.empty()) return;
  bool was_empty = false;
  {
    const std::scoped_lock lock(mutex_);
    was_empty = queue_.empty();
    for (std::unique_ptr<FetchedBatch>& batch : batches) {
      queue_bytes_ += batch->num_bytes;
      queue_.push_back(std::move(batch));
    }
  }
  if (was_empty) hooks_.fetched();
}

void SplitFetcher::run(std::stop_token stop) {
  try {
    while (!stop.stop_requested()) {
      run_commands(stop);
      if (is_full()) {
        wake_.wait(stop, -1);
        continue;
      }
      hand_over(reader_->fetch(stop));
    }
  } catch (...) {
    if (stop.stop_requested()) return;  // it gave up what it waited for
    hooks_.fail(std::current_exception());
  }
}

}  // namespace yeoul
