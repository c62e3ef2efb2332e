#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/runtime/checkpoint_storage.h"
#include "yeoul/runtime/operator_node.h"
#include "yeoul/testing/fake_clock.h"
#include "yeoul/testing/fake_file_system.h"
#include "yeoul/testing/stepped_executor.h"

namespace yeoul {

/// Where a harness stands among the subtasks of its operator.
struct HarnessOptions {
  int subtask = 0;
  int parallelism = 1;
  int max_parallelism = 128;
  const StateBackendFactory* state_backend = nullptr;  ///< for keyed operators
  std::vector<std::string> side_tags;                  ///< side outputs that are connected
  int64_t batch_records_max = 1024;
};

/// State of all subtasks of an operator, as a checkpoint holds it. Restores at any parallelism.
struct HarnessSnapshot {
  std::shared_ptr<FakeFileSystem> files;
  Checkpoint checkpoint;
};

/// Runs one operator as a task would, for tests: feed batches and watermarks, read what it emitted. One thread.
///
///     OperatorHarness h(factory, {.state_backend = &backend});
///     h.process(0, *rows(schema, "+I a 1"));
///     EXPECT_EQ(h.take_lines(), (std::vector<std::string>{"+I a 1"}));
class OperatorHarness {
 public:
  explicit OperatorHarness(std::shared_ptr<const OperatorFactory> factory, HarnessOptions options = {});
  /// Starts from the state of a snapshot, of any number of subtasks.
  OperatorHarness(std::shared_ptr<const OperatorFactory> factory, const HarnessSnapshot& restored,
                  HarnessOptions options = {});
  ~OperatorHarness();

  void process(int input, BatchPtr batch);
  void process(int input, const RowBatch& batch) { process(input, std::make_shared<RowBatch>(batch)); }
  void watermark(int64_t watermark);
  void end_input(int input);
  void prepare_barrier();
  void notify_checkpoint_complete(int64_t checkpoint_id);
  /// Moves the clock and fires processing-time timers on the way.
  void advance_time(int64_t ms);
  /// False: the operator is told that there is no room; it goes on when there is.
  void set_room(bool room);

  /// Batches emitted since the last call, compacted; without watermarks.
  std::vector<BatchPtr> take_batches();
  /// Rows and watermarks emitted since the last call, as lines: "+I a 1", "watermark 5".
  std::vector<std::string> take_lines();
  std::vector<std::string> take_side_lines(const std::string& tag);
  FakeClock& clock() { return clock_; }

  /// State of this subtask alone (parallelism 1).
  HarnessSnapshot snapshot();
  /// State of all subtasks, in order.
  static HarnessSnapshot snapshot(const std::vector<OperatorHarness*>& subtasks);

 private:
  class Collector;

  void start(RestoredNodeState restored, FileSystem* files);
  void run();
  SubtaskState write(CheckpointStorage& storage);

  HarnessOptions options_;
  FakeClock clock_;
  std::shared_ptr<FakeFileSystem> files_ = std::make_shared<FakeFileSystem>();
  JobConfig config_;
  JobEnvironment environment_;
  SteppedExecutor executor_;
  StreamNode node_;
  NodeMetrics metrics_;
  TaskContext context_;
  std::map<std::string, std::unique_ptr<Collector>> collectors_;  ///< by tag
  std::unique_ptr<OperatorNode> operator_;
};

}  // namespace yeoul
