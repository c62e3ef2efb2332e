#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "yeoul/connectors/api/source.h"

namespace yeoul {

/// What a fetcher hands to its reader at once: some records of one split. A connector derives its own.
class FetchedBatch {
 public:
  virtual ~FetchedBatch() = default;

  std::string split_id;
  size_t num_bytes = 0;    ///< held in memory; bounds what is handed over ahead
  bool finished = false;   ///< nothing of this split comes after it
  bool caught_up = false;  ///< behind it the split had nothing more to give when it was fetched
};

/// Reads splits from the external system (FLIP-27's SplitReader). Threads: its fetcher's only, but for wake_up().
class SplitReader {
 public:
  virtual ~SplitReader() = default;
  /// What there is; waits for it until wake_up() or `stop`. Possibly nothing.
  virtual std::vector<std::unique_ptr<FetchedBatch>> fetch(std::stop_token stop) = 0;
  /// @param stop  the fetcher ends: nothing is waited for any more
  virtual void add_splits(const std::vector<SourceSplit>& splits, std::stop_token stop) = 0;
  virtual void pause_or_resume(std::span<const std::string> pause, std::span<const std::string> resume) = 0;
  /// Ends the wait of the fetch in progress, or of the next one. Any thread.
  virtual void wake_up() = 0;
};

}  // namespace yeoul
