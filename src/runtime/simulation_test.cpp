#include "yeoul/testing/simulation.h"

#include <gtest/gtest.h>

#include "yeoul/common/log.h"
#include "yeoul/state/hashmap/hashmap_backend.h"

namespace yeoul {
namespace {

/// A few seeds with each build, sanitizers included; the suite `sim` runs thousands.
TEST(Simulation, FailuresChangeNothing) {
  const LogLevel level = log_level();
  set_log_level(LogLevel::kOff);
  const HashMapBackendFactory backend;
  SimulationCounts counts;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const SimulationReport report = simulate(seed, backend);
    ASSERT_TRUE(report.findings.empty()) << "replay: make sim SEED=" << seed << "\n" << report.findings.front();
    counts.add(report.counts);
  }
  set_log_level(level);
  EXPECT_GT(counts.restores, 20);  // else it says nothing about checkpoints
  EXPECT_GT(counts.rescales, 10);
  EXPECT_GT(counts.power_losses, 10);
}

TEST(Simulation, ASeedRepeatsItself) {
  const LogLevel level = log_level();
  set_log_level(LogLevel::kOff);
  const HashMapBackendFactory backend;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(simulate(seed, backend).trace_hash, simulate(seed, backend).trace_hash) << seed;
  }
  set_log_level(level);
}

}  // namespace
}  // namespace yeoul
