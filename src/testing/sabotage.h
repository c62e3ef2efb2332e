#pragma once

#include <exception>

#include "yeoul/runtime/job_master.h"
#include "yeoul/testing/planted_bug.h"
#include "yeoul/testing/seeded_random.h"

namespace yeoul {

/// Plants bugs in a job that is stepped, by what it does to the parts of the runtime between two steps: as if the code
/// had done so. The runtime's classes name it as their friend and hold nothing else for it. One thread.
class Sabotage {
 public:
  Sabotage(PlantedBug bug, uint64_t seed) : bug_(bug), random_(seed) {}

  PlantedBug bug() const { return bug_; }
  /// Before each step.
  void meddle(JobMaster& job);
  /// Before the job is cancelled.
  void before_stop(JobMaster& job);
  /// Whether a task that had found no room is not told that there is some again.
  bool keeps_asleep(const Task& task, bool had_room) const;

  // What the simulator must see and nobody else:
  static bool has_room(const Task& task) { return !task.chain_ || task.chain_->has_room(); }
  /// Why the current attempt ends, while it does; else null.
  static std::exception_ptr failure_of_attempt(const JobMaster& job) { return job.attempt_failure_; }

 private:
  void swap_in_channels(Execution& execution);
  void ignore_inputs(Execution& execution);
  void drop_cursors(Execution& execution);
  void hurry_checkpoint(CheckpointCoordinator& checkpoints);
  void forget_commit(CheckpointCoordinator& checkpoints);

  PlantedBug bug_;
  SeededRandom random_;
};

}  // namespace yeoul
