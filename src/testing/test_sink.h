#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "yeoul/connectors/api/sink.h"

namespace yeoul {

/// A record list as text, one line each.
using BatchLines = std::function<std::vector<std::string>(const BatchBase&)>;

/// A sink that keeps what it gets as lines of text, for tests: written at once, or exactly once through committables.
/// What it holds outlives attempts, as an external system does. Threads: any.
class TestSink final : public Sink {
 public:
  explicit TestSink(BatchLines lines, bool exactly_once = false);

  /// What arrived (exactly once: what was committed), in order.
  std::vector<std::string> lines() const;
  /// Writers say that they have no room until it is set again.
  void set_room(bool room);
  /// The next commits throw an external error.
  void set_commit_failures(int count);
  /// Preparations do not complete while held; releasing completes them.
  void hold_preparing(bool hold);
  int num_commits() const;
  /// Calls of begin_prepare with end_of_input.
  int num_final_prepares() const;
  std::vector<std::string> restored_states() const;

  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const override;
  std::unique_ptr<Committer> create_committer() const override;

 private:
  class Writer;
  class LineCommitter;

  struct Shared {
    mutable std::mutex mutex;
    std::vector<std::string> lines;
    std::set<std::string> committed;  ///< ids of committables
    int64_t next_id = 0;
    bool room = true;
    bool hold = false;
    int commit_failures = 0;
    int num_commits = 0;
    int num_final_prepares = 0;
    std::vector<std::function<void()>> wake_ups;
    std::vector<std::function<void()>> held;
    std::vector<std::string> restored_states;
  };

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  BatchLines lines_;
  bool exactly_once_;
};

}  // namespace yeoul
