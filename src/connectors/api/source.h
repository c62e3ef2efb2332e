#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/common/error.h"
#include "yeoul/common/metric_group.h"
#include "yeoul/common/metrics.h"
#include "yeoul/common/threads.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// A part of a source that one reader reads (FLIP-27): a stable id ("pageviews-3") and the connector's own, versioned
/// bytes, which hold its position too. The runtime moves and stores splits without looking inside.
struct SourceSplit {
  std::string id;
  std::string bytes;
  bool operator==(const SourceSplit&) const = default;
};

/// What an enumerator may do. Threads: the coordinator's only.
class SplitEnumeratorContext {
 public:
  virtual ~SplitEnumeratorContext() = default;
  virtual int parallelism() const = 0;
  /// Subtasks whose readers have registered.
  virtual std::vector<int> registered_readers() const = 0;
  virtual void assign_splits(int subtask, std::vector<SourceSplit> splits) = 0;
  /// The reader ends once it has read what it has.
  virtual void signal_no_more_splits(int subtask) = 0;
  virtual void send_event_to_reader(int subtask, std::string event) = 0;
  /// Runs `io` on the I/O pool, then what it returned on the coordinator. If `io` throws, the job fails with that
  /// error. `period_ms` > 0: again and again, that long after the last one ended, until the job ends.
  virtual void call_async(std::function<std::function<void()>()> io, int64_t period_ms = 0) = 0;
  virtual const Clock& clock() const = 0;
};

/// Finds splits and hands them out. Threads: the coordinator's only; it never blocks, I/O goes through call_async.
class SplitEnumerator {
 public:
  virtual ~SplitEnumerator() = default;
  virtual void start() = 0;
  /// A reader registered (first start, or again after a restart).
  virtual void add_reader(int subtask) = 0;
  /// A reader asks for another split; for sources that hand out on demand.
  virtual void handle_split_request(int subtask) { (void)subtask; }
  /// Splits of a reader that was lost before they were part of a checkpoint.
  virtual void add_splits_back(std::vector<SourceSplit> splits, int subtask) = 0;
  virtual void handle_source_event(int subtask, const std::string& event) { (void)subtask, (void)event; }
  /// Its state, versioned bytes: what was discovered, what is not assigned yet. Assigned splits are in the readers'.
  virtual std::string snapshot(int64_t checkpoint_id) = 0;
  virtual void notify_checkpoint_complete(int64_t checkpoint_id) { (void)checkpoint_id; }
  /// The job ends or restarts: I/O in progress gives up soon, and nothing that it brings matters any more.
  virtual void close() {}
};

/// Rows [first_row, first_row + num_rows) of a batch came from one split.
struct SourceRun {
  std::string_view split_id;  ///< valid until the reader's next call
  uint32_t first_row;
  uint32_t num_rows;
};

/// Takes what a reader produces.
class SourceOutput {
 public:
  virtual ~SourceOutput() = default;
  /// A batch and the runs that make it up, in row order, without gaps. At most about 1,024 rows and 256 KiB.
  virtual void emit(BatchPtr batch, std::span<const SourceRun> runs) = 0;
  /// Whether the split has caught up with its end for now: only such a split may become idle (D7).
  virtual void set_caught_up(std::string_view split_id, bool caught_up) = 0;
  /// The split has ended and is forgotten.
  virtual void finish_split(std::string_view split_id) = 0;
};

enum class PollResult {
  kMore,     ///< call again
  kNothing,  ///< nothing now; the reader raises wake_up when there is
  kEnd,      ///< no more splits and all have ended
};

/// Counters of a source that the runtime reports and the connector adds to.
struct SourceMetrics {
  Counter records_in;         ///< numRecordsIn: messages read
  Counter bytes_in;           ///< numBytesIn
  Counter records_skipped;    ///< messages dropped because the user said so (ignore-parse-errors, scan.on-error)
  Counter errors;             ///< numRecordsInErrors
  Gauge pending_records{-1};  ///< pendingRecords; -1: not known
  Gauge event_time_ms{
      -1};  ///< timestamp of the last record emitted; -1: records have none. Set before they are emitted
  Gauge fetch_event_time_lag_ms{-1};  ///< currentFetchEventTimeLag: how old that record was when it was fetched
  MetricGroup group;                  ///< the connector's own
};

/// What a reader gets from its task.
struct SourceReaderContext {
  int subtask = 0;
  int parallelism = 1;
  std::function<void()> wake_up;  ///< any thread: there is something to poll
  /// Task thread: the task polls again once clock->steady_ns() has reached that time, or earlier; for rate limits. Only
  /// the last time given counts. The runtime keeps it as a timer, so a reader never waits itself.
  std::function<void(int64_t steady_ns)> wake_up_at;
  std::function<void(std::exception_ptr)> fail;               ///< any thread: fails the task
  std::function<void(std::string)> send_event_to_enumerator;  ///< task thread
  std::function<void()> request_split;                        ///< task thread
  const Clock* clock = nullptr;
  ThreadPool* io_pool = nullptr;
  SourceMetrics* metrics = nullptr;
  /// Task thread: rows that the next batch may have at most.
  std::function<int64_t()> batch_records_max = [] { return 1024; };
};

/// Reads splits. Threads: its task's only; it never blocks (its fetcher thread does).
class SourceReader {
 public:
  virtual ~SourceReader() = default;
  virtual void start() {}
  /// Emits at most one batch. Called only while there is room downstream.
  virtual PollResult poll(SourceOutput& output) = 0;
  /// New splits, or restored ones.
  virtual void add_splits(std::vector<SourceSplit> splits) = 0;
  virtual void notify_no_more_splits() = 0;
  /// All splits not finished, each at the position after the last row emitted.
  virtual std::vector<SourceSplit> snapshot(int64_t checkpoint_id) = 0;
  virtual void notify_checkpoint_complete(int64_t checkpoint_id) { (void)checkpoint_id; }
  /// For watermark alignment: stop or go on emitting rows of these splits.
  virtual void pause_or_resume_splits(std::span<const std::string> pause, std::span<const std::string> resume) = 0;
  virtual void handle_source_event(const std::string& event) { (void)event; }
};

/// A source of records of one type. Const description, shared by coordinator and tasks.
class Source {
 public:
  virtual ~Source() = default;
  virtual bool bounded() const = 0;
  /// @param restored  the enumerator state of a checkpoint, or nothing
  virtual std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                             const std::optional<std::string>& restored) const = 0;
  virtual std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const = 0;
  /// What the names begin with under which its clients are known to the brokers; empty: it has none. A job warns of two
  /// of its sources with the same (KD-076).
  virtual std::string client_id_prefix() const { return {}; }
};

}  // namespace yeoul
