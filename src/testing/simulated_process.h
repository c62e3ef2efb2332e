#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "yeoul/runtime/job_master.h"
#include "yeoul/testing/fake_clock.h"
#include "yeoul/testing/fake_file_system.h"
#include "yeoul/testing/sabotage.h"
#include "yeoul/testing/seeded_random.h"
#include "yeoul/testing/simulated_kafka.h"
#include "yeoul/testing/simulation_findings.h"
#include "yeoul/testing/stepped_executor.h"

namespace yeoul {

/// What a process runs in and on. All of it outlives the process.
struct SimulatedWorld {
  FakeClock clock;
  FakeFileSystem files;
  SimulationFindings findings;
  std::unique_ptr<SimulatedKafka> kafka;
  const StateBackendFactory* state_backend = nullptr;
  Sabotage* sabotage = nullptr;
};

/// One process that runs a job: its tasks, coordinator and I/O threads, stepped one at a time in an order drawn from a
/// seed, some of them much slower than others. A task that had nothing to do is stepped again only when it is woken or
/// a timer of it is due, as on a thread. Destruction is kill -9. One thread.
class SimulatedProcess {
 public:
  /// @param flowing  the clock goes on while others could step; else only when none can
  /// @throws what make_job does
  SimulatedProcess(const StreamGraph& graph, JobConfig config, SimulatedWorld& world, uint64_t seed, bool flowing);
  ~SimulatedProcess();

  /// One step of somebody, or the clock. False: nobody can go on, ever; a finding says so.
  bool step();
  JobMaster& job() { return *job_; }

 private:
  /// How a task's thread waits.
  struct Seat {
    bool asleep = false;
    bool had_room = true;  ///< when it fell asleep
  };

  void draw_weights();
  size_t num_tasks() const;
  size_t draw_actor();
  bool step_actor(size_t actor);
  bool step_task(size_t number);
  bool may_step(Task& task, Seat& seat);
  bool step_io();
  /// When nobody can step: looks for tasks that sleep though they could go on, then moves the clock.
  bool wait();
  void look_for_sleepers();

  SimulatedWorld& world_;
  SeededRandom random_;
  const bool flowing_;
  SteppedExecutor executor_;
  std::unique_ptr<JobMaster> job_;
  const Execution* execution_ = nullptr;  ///< that the seats belong to
  std::vector<Seat> seats_;
  std::vector<int64_t> weights_;  ///< of tasks, then coordinator, I/O, cluster
  int64_t weight_ = 0;
};

}  // namespace yeoul
