#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/connectors/api/source.h"

namespace yeoul {

/// Numbers [position, last] of something that can be counted; never empty, so that it may end with the greatest one.
struct RangeSplit {
  int64_t position = 0;
  int64_t last = 0;

  SourceSplit to_split(const std::string& id) const;
  /// @throws internal error 6001 for damaged bytes
  static RangeSplit from_split(const SourceSplit& split);
};

/// [first, last] in `count` parts of nearly the same size, empty ones left out; nothing when `last` lies before
/// `first`.
std::vector<SourceSplit> range_splits(int64_t first, int64_t last, int count);

/// Hands out splits that are known beforehand, split i to subtask i modulo the parallelism.
std::unique_ptr<SplitEnumerator> fixed_split_enumerator(SplitEnumeratorContext& context,
                                                        std::vector<SourceSplit> splits,
                                                        const std::optional<std::string>& restored);

/// Keeps the ranges of a reader and walks them in order. Threads: its task's.
class RangeReader : public SourceReader {
 public:
  explicit RangeReader(SourceReaderContext context) : context_(std::move(context)) {}

  PollResult poll(SourceOutput& output) override;
  void add_splits(std::vector<SourceSplit> splits) override;
  void notify_no_more_splits() override { no_more_splits_ = true; }
  std::vector<SourceSplit> snapshot(int64_t checkpoint_id) override;
  void pause_or_resume_splits(std::span<const std::string> pause, std::span<const std::string> resume) override;

 protected:
  /// The `count` records from `first` on.
  virtual BatchPtr make_batch(int64_t first, size_t count) = 0;

 private:
  struct State {
    std::string id;
    RangeSplit range;
    bool paused = false;
  };

  SourceReaderContext context_;
  std::vector<State> states_;
  bool no_more_splits_ = false;
};

}  // namespace yeoul
