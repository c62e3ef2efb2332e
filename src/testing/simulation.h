#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yeoul/state/api/keyed_state.h"
#include "yeoul/testing/generated_operators.h"
#include "yeoul/testing/planted_bug.h"

namespace yeoul {

/// How often things happened: shows that simulations test something.
struct SimulationCounts {
  int64_t steps = 0;
  int64_t records = 0;       ///< in output topics, at the end
  int64_t kills = 0;         ///< of the process
  int64_t power_losses = 0;  ///< with unsynced files lost
  int64_t torn = 0;          ///< of those, in the middle of file I/O
  int64_t cancels = 0;
  int64_t stops = 0;  ///< with a checkpoint right before
  int64_t late_partitions = 0;
  int64_t restarts = 0;  ///< of attempts within a process
  int64_t failed_jobs = 0;
  int64_t restores = 0;  ///< of processes, from a checkpoint
  int64_t rescales = 0;  ///< of those, with another parallelism
  int64_t checkpoints = 0;
  int64_t retries = 0;  ///< of requests to the cluster
  int64_t duplicates_refused = 0;
  int64_t commit_failures = 0;
  int64_t late_restarts = 0;  ///< of jobs that had finished

  void add(const SimulationCounts& other);
  std::string to_string() const;
};

struct SimulationReport {
  uint64_t seed = 0;
  std::vector<std::string> findings;  ///< empty: as it should be
  std::string job;                    ///< what was run
  std::vector<std::string> faults;    ///< what was done to it, in order
  uint64_t trace_hash = 0;            ///< of every step
  SimulationCounts counts;
};

/// Runs the job of a seed twice: without failures, then killed, cut off, slowed down and restored at other
/// parallelisms, and compares what came out. The same seed does the same again, on every machine. One thread.
/// @param maker  brings operators of another module, which jobs then have, too
SimulationReport simulate(uint64_t seed, const StateBackendFactory& state_backend, PlantedBug bug = PlantedBug::kNone,
                          SimOperatorMaker maker = nullptr);

}  // namespace yeoul
