#include <gtest/gtest.h>

#include "yeoul/common/log.h"
#include "yeoul/state/hashmap/hashmap_backend.h"
#include "yeoul/testing/datastream/stream_operators.h"
#include "yeoul/testing/simulation.h"

namespace yeoul {
namespace {

/// A few seeds with each build, sanitizers included; the suite `sim` runs thousands.
TEST(StreamSimulation, FailuresChangeNothing) {
  const LogLevel level = log_level();
  set_log_level(LogLevel::kOff);
  const HashMapBackendFactory backend;
  SimulationCounts counts;
  std::string jobs;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SimulationReport report = simulate(seed, backend, PlantedBug::kNone, stream_operator);
    ASSERT_TRUE(report.findings.empty()) << "replay: make sim OF=streams SEED=" << seed << "\n"
                                         << report.findings.front();
    counts.add(report.counts);
    jobs += report.job;
  }
  set_log_level(level);
  EXPECT_GT(counts.restores, 10);
  EXPECT_GT(counts.rescales, 5);
  for (const char* operation : {"process(", "stream-window(", "enrich("}) {
    EXPECT_NE(jobs.find(operation), std::string::npos) << operation;
  }
}

}  // namespace
}  // namespace yeoul
