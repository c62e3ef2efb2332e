#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "yeoul/common/threads.h"
#include "yeoul/connectors/base/split_reader.h"

namespace yeoul {

/// The one thread of a source reader that waits for the external system, and the queue through which it hands over.
/// It fetches ahead until `queue_bytes_max` wait to be taken, so memory is bounded whatever the number of splits.
/// Threads: the owner's, beside its own.
class SplitFetcher {
 public:
  struct Hooks {
    std::function<std::unique_ptr<SplitReader>()> create_reader;  ///< called on the owner's thread
    std::function<void()> fetched;                 ///< fetcher's thread: the queue was empty, now it is not
    std::function<void(std::exception_ptr)> fail;  ///< fetcher's thread, once; nothing is fetched after it
  };

  SplitFetcher(const std::string& thread_name, size_t queue_bytes_max, Hooks hooks);
  ~SplitFetcher();

  void add_splits(std::vector<SourceSplit> splits);
  void pause_or_resume(std::vector<std::string> pause, std::vector<std::string> resume);
  /// The next batch handed over, or null.
  std::unique_ptr<FetchedBatch> take();
  SplitReader& reader() { return *reader_; }

 private:
  void run(std::stop_token stop);
  void run_commands(const std::stop_token& stop);
  bool is_full();
  void hand_over(std::vector<std::unique_ptr<FetchedBatch>> batches);
  using Command = std::function<void(const std::stop_token&)>;
  void post(Command command);

  const size_t queue_bytes_max_;
  Hooks hooks_;
  std::unique_ptr<SplitReader> reader_;
  WakeUp wake_;  ///< raised for commands, and when a full queue has drained
  std::mutex mutex_;
  std::deque<std::unique_ptr<FetchedBatch>> queue_;
  size_t queue_bytes_ = 0;
  bool waits_for_room_ = false;
  std::vector<Command> commands_;
  std::jthread thread_;
};

}  // namespace yeoul
