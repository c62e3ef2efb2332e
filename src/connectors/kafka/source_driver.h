#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "yeoul/connectors/api/source.h"

namespace yeoul {

/// Runs a source as the runtime would, on the calling thread, for tests: an enumerator, one reader a subtask, and the
/// rows they emit. Waits only for wake-ups.
class SourceDriver : private SplitEnumeratorContext, private SourceOutput {
 public:
  SourceDriver(std::shared_ptr<const Source> source, int parallelism, int64_t batch_records_max = 1024);
  ~SourceDriver() override;

  /// What a checkpoint holds.
  struct Checkpoint {
    std::string enumerator;
    std::vector<SourceSplit> splits;
  };
  void start();
  void restore(const Checkpoint& checkpoint);
  Checkpoint checkpoint(int64_t id);
  void complete_checkpoint(int64_t id);
  void pause_or_resume(std::vector<std::string> pause, std::vector<std::string> resume);

  /// Runs until the condition holds. @throws what the source failed with; internal error after `timeout_ms`
  void run_until(const std::function<bool()>& condition, int64_t timeout_ms = 30'000);
  /// Runs until all readers have ended.
  void run_to_end();

  /// Rows so far as "<op> <cell>…", in order of emission.
  const std::vector<std::string>& rows() const { return rows_; }
  std::vector<std::string> sorted_rows() const;
  /// Rows by split, from the runs.
  const std::map<std::string, int64_t>& rows_of_split() const { return rows_of_split_; }
  const std::set<std::string>& caught_up() const { return caught_up_; }
  SourceMetrics& metrics() { return metrics_; }

 private:
  struct PeriodicCall {
    std::function<std::function<void()>()> io;
    int64_t period_ms;
    int64_t due_ns;
  };

  int parallelism() const override { return parallelism_; }
  std::vector<int> registered_readers() const override;
  void assign_splits(int subtask, std::vector<SourceSplit> splits) override;
  void signal_no_more_splits(int subtask) override;
  void send_event_to_reader(int subtask, std::string event) override { (void)subtask, (void)event; }
  void call_async(std::function<std::function<void()>()> io, int64_t period_ms) override;
  const Clock& clock() const override { return system_clock(); }
  void emit(BatchPtr batch, std::span<const SourceRun> runs) override;
  void set_caught_up(std::string_view split_id, bool caught_up) override;
  void finish_split(std::string_view split_id) override;

  void make_readers();
  void fail(std::exception_ptr error);
  bool step();
  void run_due_calls();

  std::shared_ptr<const Source> source_;
  int parallelism_;
  int64_t batch_records_max_;
  SourceMetrics metrics_;
  WakeUp wake_;
  std::mutex mutex_;
  std::deque<std::function<void()>> coordinator_;
  std::exception_ptr error_;
  std::vector<PeriodicCall> due_calls_;
  std::unique_ptr<SplitEnumerator> enumerator_;
  std::vector<std::unique_ptr<SourceReader>> readers_;
  std::set<int> ended_;
  std::vector<std::string> rows_;
  std::map<std::string, int64_t> rows_of_split_;
  std::set<std::string> caught_up_;
  std::unique_ptr<ThreadPool> pool_;  ///< last: its jobs end before the rest
};

}  // namespace yeoul
