// Runs simulated jobs by seed: src/testing/README.md says what they are.

#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "yeoul/common/log.h"
#include "yeoul/state/hashmap/hashmap_backend.h"
#include "yeoul/testing/simulation.h"

namespace yeoul {
namespace {

constexpr std::string_view kUsage =
    "usage: simulator [--seed N | --seeds COUNT [--from N]] [--bug NAME] [--log] | --bugs\n"
    "  --seed N      one seed; says what was run and what was done to it\n"
    "  --seeds COUNT the seeds from --from (1) on; stops at the first finding\n"
    "  --bug NAME    with a planted bug; the exit code is 0 when it was found\n"
    "  --bugs        the names of the bugs that can be planted\n"
    "  --log         the runtime's own log lines, to standard error\n";

struct SimulatorArguments {
  std::optional<uint64_t> seed;
  uint64_t from = 1;
  uint64_t count = 100;
  PlantedBugName bug{PlantedBug::kNone, "none"};
  bool log = false;
  bool list_bugs = false;
};

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<PlantedBugName> bug_of(std::string_view name) {
  for (const PlantedBugName& bug : planted_bugs()) {
    if (bug.name == name) return bug;
  }
  return std::nullopt;
}

std::optional<SimulatorArguments> parse(int argc, char** argv) {
  SimulatorArguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--log" || option == "--bugs") {
      (option == "--log" ? arguments.log : arguments.list_bugs) = true;
      continue;
    }
    const std::string_view value = i + 1 < argc ? argv[++i] : "";
    const std::optional<uint64_t> number = number_of(value);
    if (option == "--seed" && number) {
      arguments.seed = number;
    } else if (option == "--seeds" && number) {
      arguments.count = *number;
    } else if (option == "--from" && number) {
      arguments.from = *number;
    } else if (option == "--bug" && bug_of(value)) {
      arguments.bug = *bug_of(value);
    } else {
      return std::nullopt;
    }
  }
  return arguments;
}

void print(const SimulationReport& report) {
  fmt::print("seed {}\n{}", report.seed, report.job);
  for (const std::string& fault : report.faults) fmt::print("  {}\n", fault);
  for (const std::string& finding : report.findings) fmt::print("FINDING {}\n", finding);
  fmt::print("trace {:016x}; {}\n", report.trace_hash, report.counts.to_string());
}

int list_bugs() {
  for (const PlantedBugName& bug : planted_bugs()) fmt::print("{}\n", bug.name);
  return 0;
}

int run(const SimulatorArguments& arguments) {
  const HashMapBackendFactory backend;
  const bool planted = arguments.bug.bug != PlantedBug::kNone;
  const uint64_t first = arguments.seed.value_or(arguments.from);
  const uint64_t count = arguments.seed ? 1 : arguments.count;
  SimulationCounts counts;
  uint64_t hash = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const SimulationReport report = simulate(seed, backend, arguments.bug.bug);
    if (arguments.seed || (!planted && !report.findings.empty())) print(report);
    if (!report.findings.empty()) {
      if (planted) {
        fmt::print("'{}' was found after {} seeds: {}\n", arguments.bug.name, seed - first + 1,
                   report.findings.front());
        return 0;
      }
      fmt::print("replay: make sim SEED={}\n", seed);
      return 1;
    }
    counts.add(report.counts);
    hash = hash * 31 + report.trace_hash;
  }
  fmt::print("{} seeds, no finding; trace {:016x}; {}\n", count, hash, counts.to_string());
  return planted ? 1 : 0;
}

}  // namespace
}  // namespace yeoul

int main(int argc, char** argv) {
  const auto arguments = yeoul::parse(argc, argv);
  if (!arguments) {
    std::fwrite(yeoul::kUsage.data(), 1, yeoul::kUsage.size(), stderr);
    return 2;
  }
  yeoul::set_log_level(arguments->log ? yeoul::LogLevel::kDebug : yeoul::LogLevel::kOff);
  return arguments->list_bugs ? yeoul::list_bugs() : yeoul::run(*arguments);
}
