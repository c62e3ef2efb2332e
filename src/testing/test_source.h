#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "yeoul/connectors/api/source.h"
#include "yeoul/runtime/stream_graph.h"

namespace yeoul {

/// A source that reads lists of records held in memory, one per split, under the control of a test. Split i belongs to
/// subtask i modulo the parallelism. What the test does to it holds for all attempts. Threads: any.
class TestSource final : public Source {
 public:
  /// @param splits    the records of each split, one batch each
  /// @param splitter  cuts them
  TestSource(std::vector<BatchPtr> splits, std::shared_ptr<const BatchSplitter> splitter, bool bounded = true);

  /// Readers stop before this record of each split until it is raised; unlimited at first.
  void set_limit(size_t records);
  /// The next reader that reaches this record of this split throws an external error; once.
  void fail_once_at(size_t split, size_t record);
  /// Adds a split, as a discovery does; the enumerators assign it when they look again, each `discovery_period_ms`.
  void add_split(BatchPtr records);
  void set_discovery_period_ms(int64_t period_ms) { discovery_period_ms_ = period_ms; }
  /// Splits that readers were given so far, by hand-over from enumerator or checkpoint: "0<-s1".
  std::vector<std::string> hand_overs() const;

  bool bounded() const override { return bounded_; }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override;
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override;

 private:
  class Enumerator;
  class Reader;

  struct Shared {
    mutable std::mutex mutex;
    std::vector<BatchPtr> splits;
    size_t limit = static_cast<size_t>(-1);
    std::map<size_t, size_t> failures;
    std::vector<std::string> hand_overs;
    std::vector<std::function<void()>> wake_ups;
  };

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::shared_ptr<const BatchSplitter> splitter_;
  bool bounded_;
  int64_t discovery_period_ms_ = 0;
};

}  // namespace yeoul
