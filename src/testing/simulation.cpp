#include "yeoul/testing/simulation.h"

#include <algorithm>
#include <map>
#include <optional>

#include "yeoul/testing/generated_job.h"
#include "yeoul/testing/sabotaged_backend.h"
#include "yeoul/testing/simulated_process.h"

namespace yeoul {
namespace {

constexpr int64_t kStepsMax = 200'000;
constexpr int64_t kStopAfterSteps = 3'000;   ///< a stop waits no longer for a checkpoint
constexpr int64_t kCalmAfterSteps = 20'000;  ///< of the last process: its faults end, so that it can finish
constexpr const char* kDirectory = "/state";
constexpr const char* kName = "job";

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.to_string();
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Failures that a simulation causes are external, and none of them is damage.
bool injected(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.family() == ErrorFamily::kExternal && error.code() != 6002;
  } catch (...) {
    return false;
  }
}

using Guarantee = SimulatedKafkaSink::Guarantee;

/// What a topic means to its reader: all records, or the last one of each key.
std::vector<SimRecord> table_of(const std::vector<SimRecord>& records, Guarantee guarantee) {
  std::vector<SimRecord> table;
  if (guarantee == Guarantee::kUpsertByKey || guarantee == Guarantee::kUpsertById) {
    std::map<int64_t, SimRecord> last;
    for (const SimRecord& record : records) {
      last.insert_or_assign(guarantee == Guarantee::kUpsertByKey ? record.key : record.id, record);
    }
    for (const auto& [key, record] : last) table.push_back(record);
  } else {
    table = records;
  }
  std::sort(table.begin(), table.end());
  return table;
}

std::string example_of(const std::vector<SimRecord>& records) {
  if (records.empty()) return "none";
  const SimRecord& r = records.front();
  return fmt::format("{}, such as (key {}, time {}, id {}, value {})", records.size(), r.key, r.time_ms, r.id, r.value);
}

class Simulation {
 public:
  Simulation(uint64_t seed, const StateBackendFactory& state_backend, PlantedBug bug, SimOperatorMaker maker)
      : random_(seed),
        job_(random_.next(), std::move(maker)),
        state_backend_(state_backend),
        sabotage_(bug, random_.next()),
        sabotaged_(state_backend, bug, random_.next()) {
    report_.seed = seed;
    report_.job = job_.describe();
    report_.counts.late_partitions = job_.num_late_partitions();
    prepare(oracle_, state_backend_);
    prepare(world_, sabotaged_);
    complete_at_ms_ = world_.kafka->complete_at_ms();
    world_.sabotage = &sabotage_;
    world_.files.set_late_syncs(bug == PlantedBug::kAckBeforeSync);
    draw_faults();
  }

  SimulationReport run() {
    try {
      run_oracle();
      run_processes();
      if (world_.findings.texts().empty()) compare();
    } catch (const std::exception& error) {
      world_.findings.add(fmt::format("an exception: {}", error.what()));
    }
    for (const std::string& text : oracle_.findings.texts()) report_.findings.push_back("without failures: " + text);
    for (const std::string& text : world_.findings.texts()) report_.findings.push_back(text);
    report_.trace_hash = world_.findings.trace_hash();
    report_.counts.retries = world_.kafka->counts().retries;
    report_.counts.duplicates_refused = world_.kafka->counts().duplicates_refused;
    report_.counts.commit_failures = world_.kafka->counts().commit_failures;
    return std::move(report_);
  }

 private:
  void prepare(SimulatedWorld& world, const StateBackendFactory& state_backend) {
    world.kafka = std::make_unique<SimulatedKafka>(world.clock, random_.next(), world.findings);
    world.state_backend = &state_backend;
    job_.create_topics(*world.kafka);
  }

  // --- What is drawn ---

  int64_t sometimes(int64_t value) { return random_.chance(500) ? value : 0; }

  void draw_faults() {
    num_kills_ = random_.between(0, 5);
    faults_.delay_max_ms = random_.between(1, job_.idleness() ? 2 : 5);
    faults_.commit_failure = sometimes(random_.one_of({20, 300}));
    disk_full_ = sometimes(random_.one_of({2, 30}));
    // A reader that does not hear of new records calls its splits idle, and rows that wait behind a sink without
    // answers come late where another input has ended meanwhile; Flink's do so too.
    if (job_.idleness()) return;
    faults_.lost_ack = sometimes(random_.one_of({20, 200}));
    faults_.lost_produce = sometimes(random_.one_of({20, 100}));
    faults_.lost_connection = sometimes(random_.between(1, 10));
    faults_.slow = sometimes(random_.one_of({10, 200}));
    faults_.slow_delay_ms = random_.between(10, 150);
    faults_.lost_fetch = sometimes(random_.one_of({20, 100}));
    faults_.fetch_error = sometimes(random_.one_of({20, 200}));
    flowing_ = random_.chance(700);
  }

  void set_faults(bool on) {
    world_.kafka->set_faults(on ? faults_ : KafkaFaults{});
    if (!on || disk_full_ == 0) {
      world_.files.set_failure(nullptr);
    } else {
      world_.files.set_failure([this](const std::string&, const std::string&) { return random_.chance(disk_full_); });
    }
  }

  JobConfig draw_config(bool last) {
    JobConfig config{
        .name = kName,
        .job_id = "1",
        .max_parallelism = job_.max_parallelism(),
        .batch_records_max = random_.one_of({1, 3, 20}),
        .channel_bytes_max = random_.one_of({1, 200, 5000}),
        .auto_watermark_interval_ms = job_.auto_watermark_interval_ms(),
        .checkpoint_interval_ms = random_.one_of({2, 20, 60}),
        .checkpoint_timeout_ms = last ? 600'000 : random_.one_of({30, 100, 600'000}),
        .checkpoint_min_pause_ms = random_.one_of({0, 0, 5}),
        .tolerable_failed_checkpoints = last ? 1'000'000 : random_.one_of({0, 3, 1000}),
        .retained_checkpoints = random_.one_of({1, 1, 3}),
        .checkpoint_directory = kDirectory,
        .restart = {.type = RestartSettings::Type::kNone, .attempts = 1'000'000, .delay_ms = random_.between(0, 20)}};
    if (last || random_.chance(600)) config.restart.type = RestartSettings::Type::kFixedDelay;
    return config;
  }

  std::vector<int> draw_parallelism() {
    std::vector<int> parallelism;
    for (int i = 0; i < job_.num_groups(); ++i) {
      parallelism.push_back(static_cast<int>(random_.between(1, job_.parallelism_max(i))));
    }
    return parallelism;
  }

  // --- Runs ---

  void run_oracle() {
    JobConfig config = draw_config(true);
    config.checkpoint_interval_ms = random_.one_of({0, 50});
    config.channel_bytes_max = 1 << 20;
    const std::vector<int> ones(static_cast<size_t>(job_.num_groups()), 1);
    SimulatedProcess process(job_.graph(ones, *oracle_.kafka, oracle_.findings, PlantedBug::kNone), config, oracle_,
                             random_.next(), false);
    for (int64_t steps = 0; process.job().progress().status < JobStatus::kCanceled; ++steps) {
      if (steps == kStepsMax) oracle_.findings.add("no end");
      if (oracle_.clock.wall_ms() >= complete_at_ms_) oracle_.kafka->close_input();
      if (steps == kStepsMax || !process.step()) return;
    }
    if (process.job().failure()) oracle_.findings.add(text_of(process.job().failure()));
  }

  void run_processes() {
    for (int64_t number = 0; world_.findings.texts().empty(); ++number) {
      const bool last = number >= num_kills_;
      set_faults(true);
      if (run_process(last) == JobStatus::kFinished) {
        if (world_.findings.texts().empty() && random_.chance(200)) run_finished_again();
        return;
      }
      world_.clock.advance(random_.below(50));
    }
  }

  /// One process, until the job ends or the process is killed. Finished: the job is.
  JobStatus run_process(bool last) {
    JobConfig config = draw_config(last);
    std::vector<int> parallelism = draw_parallelism();
    const std::optional<std::string> latest = find_latest_checkpoint(world_.files, kDirectory, kName);
    check_kept(latest);
    if (latest) {
      config.restore_path = *latest;
      ++report_.counts.restores;
      if (!parallelism_.empty() && random_.chance(300)) parallelism = parallelism_;
      if (parallelism != parallelism_) ++report_.counts.rescales;
    }
    parallelism_ = parallelism;
    note("starts at parallelism {} from {}", fmt::join(parallelism, " "), latest ? *latest : "the beginning");
    steps_left_ = last ? -1 : random_.one_of({200, 2'000, 8'000});
    if (steps_left_ > 0) steps_left_ = random_.below(steps_left_);
    if (!last && random_.chance(200)) world_.files.lose_power_after(random_.below(60));
    SimulatedProcess process(job_.graph(parallelism, *world_.kafka, world_.findings, sabotage_.bug()), config, world_,
                             random_.next(), flowing_);
    const JobStatus status = step_process(process, last);
    report_.counts.restarts += process.job().progress().restarts;
    return status;
  }

  JobStatus step_process(SimulatedProcess& process, bool last) {
    JobMaster& job = process.job();
    std::exception_ptr seen;
    checkpoint_ = 0;
    stopping_ = false;
    for (int64_t steps = 0;; ++steps) {
      const JobProgress progress = job.progress();
      if (progress.last_checkpoint && progress.last_checkpoint->id != checkpoint_) {
        checkpoint_ = progress.last_checkpoint->id;
        kept_ = progress.last_checkpoint->path;
        ++report_.counts.checkpoints;
        if (std::exchange(stopping_, false)) stop(job);
      }
      if (job_.unbounded() && checkpoint_ != 0 && may_close(last)) world_.kafka->close_input();
      if (progress.status >= JobStatus::kCanceled) return end_of(job, progress.status);
      if (!world_.findings.texts().empty()) return JobStatus::kFailed;
      if (world_.files.lost_power()) return lose_power("in the middle of file I/O");
      if (steps_left_ >= 0 && steps_left_-- == 0) {
        if (std::exchange(stopping_, false)) {
          stop(job);  // checkpoints fail again and again
        } else if (kill(job)) {
          return JobStatus::kCanceled;
        }
      }
      if (last && steps == kCalmAfterSteps) set_faults(false);
      if (steps == kStepsMax) {
        world_.findings.add(fmt::format("no end after {} steps", kStepsMax));
        return JobStatus::kFailed;
      }
      const std::exception_ptr failure = Sabotage::failure_of_attempt(job);
      if (failure && failure != seen) note_failure(failure);
      seen = failure;
      ++report_.counts.steps;
      if (!process.step()) return JobStatus::kFailed;
    }
  }

  JobStatus end_of(JobMaster& job, JobStatus status) {
    if (status == JobStatus::kFailed) {
      ++report_.counts.failed_jobs;
      note_failure(job.failure());
    }
    note("the job is {}", to_string(status));
    if (status != JobStatus::kFinished && random_.chance(300)) return lose_power("after that");
    return status;
  }

  /// Unbounded input ends once all of it is there and the process has shown that it makes checkpoints.
  bool may_close(bool last) {
    if (world_.kafka->input_closed() || world_.clock.wall_ms() < complete_at_ms_) return false;
    return last || random_.chance(1);
  }

  /// As a signal does: the job is to go on from its last checkpoint.
  void stop(JobMaster& job) {
    ++report_.counts.stops;
    note("is stopped");
    sabotage_.before_stop(job);
    job.cancel();
  }

  /// What a process has completed is there for the next one, unless a newer one is.
  void check_kept(const std::optional<std::string>& latest) {
    if (kept_.empty() || (latest && checkpoint_number(*latest) >= checkpoint_number(kept_))) return;
    world_.findings.add(
        fmt::format("checkpoint {} was complete, and the next process finds {}", kept_, latest ? *latest : "none"));
  }
  static int64_t checkpoint_number(const std::string& path) { return std::stoll(path.substr(path.rfind('-') + 1)); }

  /// False: it is cancelled instead, and goes on until that is done.
  bool kill(JobMaster& job) {
    switch (random_.below(job_.unbounded() ? 6 : 4)) {
      case 4:
      case 5:
        stopping_ = true;
        steps_left_ = kStopAfterSteps;
        return false;
      case 0:
        ++report_.counts.cancels;
        note("is cancelled");
        sabotage_.before_stop(job);
        job.cancel();
        return false;
      case 1:
        ++report_.counts.kills;
        note("is killed");
        return true;
      default:
        lose_power("");
        return true;
    }
  }

  JobStatus lose_power(const std::string& when) {
    ++report_.counts.power_losses;
    if (world_.files.lost_power()) ++report_.counts.torn;
    const int64_t survive = random_.one_of({0, 500, 1000});
    note("loses power {}; {} of 1000 unsynced changes survive", when, survive);
    world_.files.crash([&] { return random_.chance(survive); });
    return JobStatus::kCanceled;
  }

  /// A job that ended is started once more: it has nothing left to do.
  void run_finished_again() {
    ++report_.counts.late_restarts;
    set_faults(false);
    if (run_process(true) != JobStatus::kFinished && world_.findings.texts().empty()) {
      world_.findings.add("a finished job that was restored did not finish");
    }
  }

  // --- Judgement ---

  void compare() {
    for (const GeneratedJob::Output& output : job_.outputs()) {
      const std::vector<SimRecord> expected = table_of(oracle_.kafka->output(output.topic), output.guarantee);
      const std::vector<SimRecord> got = table_of(world_.kafka->output(output.topic), output.guarantee);
      report_.counts.records += static_cast<int64_t>(got.size());
      std::vector<SimRecord> missing;
      std::set_difference(expected.begin(), expected.end(), got.begin(), got.end(), std::back_inserter(missing));
      std::vector<SimRecord> surplus;
      if (output.guarantee == Guarantee::kAtLeastOnce) {
        std::copy_if(got.begin(), got.end(), std::back_inserter(surplus), [&](const SimRecord& record) {
          return !std::binary_search(expected.begin(), expected.end(), record);
        });
      } else {
        std::set_difference(got.begin(), got.end(), expected.begin(), expected.end(), std::back_inserter(surplus));
      }
      if (missing.empty() && surplus.empty()) continue;
      world_.findings.add(
          fmt::format("topic {}: missing {}; too many {}", output.topic, example_of(missing), example_of(surplus)));
    }
  }

  template <class... Args>
  void note(fmt::format_string<Args...> format, Args&&... args) {
    report_.faults.push_back(fmt::format("step {} at {} ms, checkpoint {}: {}", report_.counts.steps,
                                         world_.clock.wall_ms(), checkpoint_,
                                         fmt::format(format, std::forward<Args>(args)...)));
  }

  void note_failure(const std::exception_ptr& failure) {
    const std::string text = text_of(failure);
    note("fails: {}", text);
    if (!injected(failure)) world_.findings.add("a failure that nobody caused: " + text);
  }

  SeededRandom random_;
  GeneratedJob job_;
  const StateBackendFactory& state_backend_;
  Sabotage sabotage_;
  SabotagedBackendFactory sabotaged_;
  SimulatedWorld oracle_;
  SimulatedWorld world_;
  int64_t complete_at_ms_ = 0;  ///< from when on all input can be read
  KafkaFaults faults_;
  int64_t disk_full_ = 0;
  bool flowing_ = false;
  int64_t num_kills_ = 0;
  int64_t steps_left_ = -1;       ///< until the process is killed; -1: it is not
  std::vector<int> parallelism_;  ///< of the process before
  int64_t checkpoint_ = 0;        ///< the last that this process completed
  std::string kept_;              ///< the last that any process completed
  bool stopping_ = false;         ///< the process ends with its next checkpoint
  SimulationReport report_;
};

}  // namespace

void SimulationCounts::add(const SimulationCounts& other) {
  steps += other.steps;
  records += other.records;
  kills += other.kills;
  power_losses += other.power_losses;
  torn += other.torn;
  cancels += other.cancels;
  stops += other.stops;
  late_partitions += other.late_partitions;
  restarts += other.restarts;
  failed_jobs += other.failed_jobs;
  restores += other.restores;
  rescales += other.rescales;
  checkpoints += other.checkpoints;
  retries += other.retries;
  duplicates_refused += other.duplicates_refused;
  commit_failures += other.commit_failures;
  late_restarts += other.late_restarts;
}

std::string SimulationCounts::to_string() const {
  return fmt::format(
      "{} steps, {} kills, {} power losses ({} within file I/O), {} cancels, {} stops, {} failed jobs, {} restarts in "
      "place, "
      "{} checkpoints, {} restores ({} rescaled), {} partitions found late, {} restarts of finished jobs, {} requests "
      "repeated, {} "
      "duplicates refused, {} commits failed, {} records out",
      steps, kills, power_losses, torn, cancels, stops, failed_jobs, restarts, checkpoints, restores, rescales,
      late_partitions, late_restarts, retries, duplicates_refused, commit_failures, records);
}

SimulationReport simulate(uint64_t seed, const StateBackendFactory& state_backend, PlantedBug bug,
                          SimOperatorMaker maker) {
  return Simulation(seed, state_backend, bug, std::move(maker)).run();
}

}  // namespace yeoul
