#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yeoul/connectors/api/source.h"
#include "yeoul/connectors/base/split_fetcher.h"

namespace yeoul {

/// A split as its reader keeps it; a connector derives its own, with the position after the last row emitted.
class SplitState {
 public:
  virtual ~SplitState() = default;
  std::string id;
  bool paused = false;
  bool caught_up = false;
  /// Fetched before the split was paused; emitted when it is resumed.
  std::deque<std::unique_ptr<FetchedBatch>> parked;
};

/// A source reader whose splits share one fetcher thread (FLIP-27's single-thread multiplexed reader). It mixes what
/// several splits give in one row batch, keeps positions, pauses, finishes. A connector says how bytes become rows.
/// Threads: its task's only.
class FetchingSourceReader : public SourceReader {
 public:
  void start() override;
  PollResult poll(SourceOutput& output) override;
  void add_splits(std::vector<SourceSplit> splits) override;
  void notify_no_more_splits() override { no_more_splits_ = true; }
  std::vector<SourceSplit> snapshot(int64_t checkpoint_id) override;
  void pause_or_resume_splits(std::span<const std::string> pause, std::span<const std::string> resume) override;

 protected:
  /// @param queue_bytes_max  what the fetcher may hand over ahead
  FetchingSourceReader(SourceReaderContext context, std::string thread_name, size_t queue_bytes_max);

  /// Makes the reader of the external system; it runs on the fetcher's thread.
  virtual std::unique_ptr<SplitReader> create_split_reader() = 0;
  virtual std::unique_ptr<SplitState> create_state(const SourceSplit& split) = 0;
  virtual SourceSplit to_split(const SplitState& state) const = 0;
  /// Appends rows of the next records of the batch, at most about `rows_max` of them, and moves the state's position
  /// behind the last record taken. @return whether the batch has been taken whole.
  virtual bool append_rows(SplitState& state, FetchedBatch& batch, size_t rows_max) = 0;
  /// Rows appended since the last take_rows().
  virtual size_t num_rows() const = 0;
  /// The appended rows hold so many bytes that they should be emitted.
  virtual bool is_batch_full() const = 0;
  virtual BatchPtr take_rows() = 0;
  virtual void on_split_finished(const SplitState& state) { (void)state; }

  const SourceReaderContext& context() const { return context_; }
  const std::map<std::string, std::unique_ptr<SplitState>, std::less<>>& states() const { return states_; }
  SplitFetcher& fetcher() { return *fetcher_; }

 private:
  struct Notice {
    std::string split_id;
    bool finished;
    bool caught_up;
  };

  bool next_batch();
  void append(std::vector<SourceRun>& runs, std::vector<Notice>& notices);
  void note_end_of_batch(SplitState& state, const FetchedBatch& batch, std::vector<Notice>& notices);
  void deliver(SourceOutput& output, const std::vector<Notice>& notices);

  SourceReaderContext context_;
  const std::string thread_name_;
  const size_t queue_bytes_max_;
  std::map<std::string, std::unique_ptr<SplitState>, std::less<>> states_;
  /// Splits with parked batches that were resumed.
  std::deque<std::string> resumed_;
  std::unique_ptr<FetchedBatch> current_;
  SplitState* current_state_ = nullptr;
  std::vector<SourceRun> runs_;
  bool no_more_splits_ = false;
  std::unique_ptr<SplitFetcher> fetcher_;  ///< last: its thread ends before the rest
};

}  // namespace yeoul
