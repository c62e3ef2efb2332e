// Runs simulated jobs, or clients of Kafka, by seed: src/testing/README.md says what they are.

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/common/log.h"
#include "yeoul/state/hashmap/hashmap_backend.h"
#include "yeoul/testing/datastream/stream_operators.h"
#include "yeoul/testing/kafka/client_simulation.h"
#include "yeoul/testing/simulation.h"

namespace yeoul {
namespace {

constexpr std::string_view kUsage =
    "usage: simulator [--client | --streams] ([--seed N | --seeds COUNT [--from N]] [--bug NAME] [--log] | --bugs)\n"
    "  --client      Yeoul's Kafka client instead of jobs\n"
    "  --streams     jobs that have operators of the DataStream API, too\n"
    "  --seed N      one seed; says what was run and what was done to it\n"
    "  --seeds COUNT the seeds from --from (1) on; stops at the first finding\n"
    "  --bug NAME    with a planted bug; the exit code is 0 when it was found\n"
    "  --bugs        the names of the bugs that can be planted\n"
    "  --log         the runtime's own log lines, to standard error\n";

struct SimulatorArguments {
  std::optional<uint64_t> seed;
  uint64_t from = 1;
  uint64_t count = 100;
  std::string bug;
  bool client = false;
  bool streams = false;
  bool log = false;
  bool list_bugs = false;
};

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The bugs of what is simulated.
std::vector<std::string_view> bugs(bool client) {
  if (client) return planted_client_bugs();
  std::vector<std::string_view> names;
  for (const PlantedBugName& bug : planted_bugs()) names.push_back(bug.name);
  return names;
}

std::optional<SimulatorArguments> parse(int argc, char** argv) {
  SimulatorArguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    bool* const flag = option == "--log"       ? &arguments.log
                       : option == "--bugs"    ? &arguments.list_bugs
                       : option == "--client"  ? &arguments.client
                       : option == "--streams" ? &arguments.streams
                                               : nullptr;
    if (flag != nullptr) {
      *flag = true;
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
    } else if (option == "--bug") {
      arguments.bug = value;
    } else {
      return std::nullopt;
    }
  }
  const auto known = bugs(arguments.client);
  if (!arguments.bug.empty() && std::find(known.begin(), known.end(), arguments.bug) == known.end())
    return std::nullopt;
  return arguments;
}

/// Simulates by seed, and adds up what was seen.
class Runner {
 public:
  virtual ~Runner() = default;
  struct Outcome {
    std::string story;  ///< lines
    std::vector<std::string> findings;
    uint64_t trace;
  };
  virtual Outcome run(uint64_t seed) = 0;
  virtual std::string counts() const = 0;
};

class JobRunner final : public Runner {
 public:
  JobRunner(std::string_view bug, SimOperatorMaker maker) : maker_(std::move(maker)) {
    for (const PlantedBugName& known : planted_bugs()) {
      if (known.name == bug) bug_ = known.bug;
    }
  }
  Outcome run(uint64_t seed) override {
    const SimulationReport report = simulate(seed, backend_, bug_, maker_);
    counts_.add(report.counts);
    std::string story = report.job;
    for (const std::string& fault : report.faults) story += fmt::format("  {}\n", fault);
    story += report.counts.to_string() + "\n";
    return {story, report.findings, report.trace_hash};
  }
  std::string counts() const override { return counts_.to_string(); }

 private:
  SimOperatorMaker maker_;
  HashMapBackendFactory backend_;
  PlantedBug bug_ = PlantedBug::kNone;
  SimulationCounts counts_;
};

class ClientRunner final : public Runner {
 public:
  explicit ClientRunner(std::string bug) : bug_(std::move(bug)) {}
  Outcome run(uint64_t seed) override {
    const ClientSimulationResult result = simulate_client(seed, bug_);
    records_ += result.num_records;
    transactions_ += result.num_transactions;
    faults_ += result.num_faults;
    damaged_ += result.num_damaged;
    throttled_ += result.num_throttled;
    truncations_ += result.num_truncations;
    recreations_ += result.num_recreations;
    std::vector<std::string> findings;
    if (!result.finding.empty()) findings.push_back(result.finding);
    return {result.story + "\n", findings, result.trace};
  }
  std::string counts() const override {
    return fmt::format(
        "{} records, {} transactions, {} faults of brokers, {} damaged answers, {} throttled, {} truncations and {} "
        "topics "
        "made anew that were noticed",
        records_, transactions_, faults_, damaged_, throttled_, truncations_, recreations_);
  }

 private:
  std::string bug_;
  int64_t records_ = 0;
  int64_t transactions_ = 0;
  int64_t faults_ = 0;
  int64_t damaged_ = 0;
  int64_t throttled_ = 0;
  int64_t truncations_ = 0;
  int64_t recreations_ = 0;
};

std::unique_ptr<Runner> runner_of(const SimulatorArguments& arguments) {
  if (arguments.client) return std::make_unique<ClientRunner>(arguments.bug);
  return std::make_unique<JobRunner>(arguments.bug, arguments.streams ? stream_operator : SimOperatorMaker());
}

int list_bugs(const SimulatorArguments& arguments) {
  for (const std::string_view name : bugs(arguments.client)) fmt::print("{}\n", name);
  return 0;
}

void print(uint64_t seed, const Runner::Outcome& outcome) {
  fmt::print("seed {}\n{}", seed, outcome.story);
  for (const std::string& finding : outcome.findings) fmt::print("FINDING {}\n", finding);
  fmt::print("trace {:016x}\n", outcome.trace);
}

int run(const SimulatorArguments& arguments) {
  const std::unique_ptr<Runner> runner = runner_of(arguments);
  const bool planted = !arguments.bug.empty();
  const uint64_t first = arguments.seed.value_or(arguments.from);
  const uint64_t count = arguments.seed ? 1 : arguments.count;
  uint64_t hash = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const Runner::Outcome outcome = runner->run(seed);
    if (arguments.seed || (!planted && !outcome.findings.empty())) print(seed, outcome);
    if (!outcome.findings.empty()) {
      if (planted) {
        fmt::print("'{}' was found after {} seeds: {}\n", arguments.bug, seed - first + 1, outcome.findings.front());
        return 0;
      }
      fmt::print("replay: make sim {}SEED={}\n",
                 arguments.client    ? "OF=client "
                 : arguments.streams ? "OF=streams "
                                     : "",
                 seed);
      return 1;
    }
    hash = hash * 31 + outcome.trace;
  }
  fmt::print("{} seeds, no finding; trace {:016x}; {}\n", count, hash, runner->counts());
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
  return arguments->list_bugs ? yeoul::list_bugs(*arguments) : yeoul::run(*arguments);
}
