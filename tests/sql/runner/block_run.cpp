#include "block_run.h"

#include <fmt/format.h>

#include "yeoul/builtins/builtins.h"
#include "yeoul/engine/table_environment.h"

namespace yeoul {
namespace {

constexpr int64_t kTimeoutMs = 20'000;

bool is_ended(JobStatus status) {
  return status == JobStatus::kFinished || status == JobStatus::kFailed || status == JobStatus::kCanceled;
}

/// A session over the tables of a file, ready for one block.
class Session {
 public:
  Session(const TestFile& file, const TestBlock& block, size_t last_segment)
      : leg_(std::make_shared<TestLeg>(file, last_segment)), environment_(make_registries()) {
    for (const auto& [key, value] : file.settings) environment_.options().set(key, value);
    for (const TestTable& table : file.tables) {
      execute(fmt::format("CREATE TABLE {} {} WITH ('connector' = '{}')", table.name, table.columns,
                          table.is_sink ? "test-sink" : "test-input"));
    }
    for (const TestBlock& earlier : file.blocks) {
      if (&earlier == &block) break;
      if (earlier.kind == TestBlock::Kind::kStatement) execute(earlier.sql);
    }
  }

  TestLeg& leg() { return *leg_; }
  TableEnvironment& environment() { return environment_; }
  StatementResult execute(const std::string& sql) { return environment_.execute({.text = sql}); }

 private:
  std::shared_ptr<const Registries> make_registries() {
    auto registries = std::make_shared<Registries>();
    register_connectors(registries->connectors);
    register_formats(registries->formats);
    register_state_backends(registries->state_backends);
    registries->connectors.add(make_test_input(leg_));
    registries->connectors.add(make_test_sink(leg_));
    return registries;
  }

  std::shared_ptr<TestLeg> leg_;
  TableEnvironment environment_;
};

/// Runs a job until it ends, or (in a leg that is not the last) until a checkpoint holds all that was read.
class LegRun {
 public:
  LegRun(Session& session, StatementResult result, std::vector<ResultRow>& rows)
      : session_(session), result_(std::move(result)), rows_(rows) {}

  /// @return  the checkpoint to go on from; empty when the job ended
  std::string run() {
    const int64_t deadline_ns = system_clock().steady_ns() + kTimeoutMs * 1'000'000;
    bool stopped = false;
    while (!is_ended(result_.job->wait(0))) {
      wait_a_little();
      if (!stopped && stands_in_checkpoint()) {
        stopped = true;
        result_.job->cancel();
      }
      if (system_clock().steady_ns() > deadline_ns) give_up();
    }
    while (take_batch(0)) {
    }
    if (result_.job->failure()) std::rethrow_exception(result_.job->failure());
    // Later checkpoints hold the same, and an earlier one may have made room for them.
    return stopped ? result_.job->progress().last_checkpoint->path : "";
  }

 private:
  void wait_a_little() {
    if (result_.rows) {
      while (take_batch(2)) {
      }
    } else {
      result_.job->wait(2);
    }
  }
  bool take_batch(int64_t timeout_ms) {
    const RowBatchPtr batch = result_.rows ? result_.rows->next(timeout_ms) : nullptr;
    if (batch) append_rows(*batch, {}, rows_);
    return batch != nullptr;
  }
  bool stands_in_checkpoint() const {
    // A query that reads no test table waits at no marker: it ends by itself.
    if (session_.leg().ends() || !session_.leg().has_sources()) return false;
    const std::optional<int64_t> first = session_.leg().first_checkpoint_at_end();
    const std::optional<CheckpointInfo> last = result_.job->progress().last_checkpoint;
    return first && last && last->id >= *first;
  }
  [[noreturn]] void give_up() {
    const JobProgress progress = result_.job->progress();
    result_.job->cancel();
    throw user_error(9101, "the job was {} after {} ms, {} rows in, {} checkpoints", to_string(progress.status),
                     kTimeoutMs, progress.records_in, progress.last_checkpoint ? progress.last_checkpoint->id : 0);
  }

  Session& session_;
  StatementResult result_;
  std::vector<ResultRow>& rows_;
};

void configure(TableEnvironment& environment, const Configuration& configuration, int parallelism,
               const std::string& folder) {
  SessionOptions& options = environment.options();
  options.set("parallelism.default", std::to_string(parallelism));
  options.set("yeoul.batch-rows", std::to_string(configuration.batch_rows));
  if (!configuration.folding) options.set("table.exec.mini-batch.enabled", "false");
  if (!configuration.stopped) return;
  options.set("execution.checkpointing.interval", "10 ms");
  options.set("execution.checkpointing.dir", folder);
  options.set("restart-strategy.type", "none");
}

}  // namespace

std::string Configuration::name() const {
  const std::string restored =
      stopped && restored_parallelism != parallelism ? fmt::format(">{}", restored_parallelism) : "";
  return fmt::format("{} parallelism={}{} batch-rows={} mini-batch={}", stopped ? "stopped" : "straight", parallelism,
                     restored, batch_rows, folding ? "unset" : "false");
}

BlockResult run_rows(const TestFile& file, const TestBlock& block, const Configuration& configuration,
                     const std::string& folder) {
  BlockResult out;
  const size_t last = file.num_segments() - 1;
  std::string checkpoint;
  for (size_t segment = configuration.stopped ? 0 : last; segment <= last; ++segment) {
    Session session(file, block, segment);
    const bool first = checkpoint.empty();
    configure(session.environment(), configuration,
              segment % 2 == 0 ? configuration.parallelism : configuration.restored_parallelism, folder);
    if (!checkpoint.empty()) session.environment().set_restore({checkpoint});
    StatementResult result = session.execute(first || block.restored_sql.empty() ? block.sql : block.restored_sql);
    if (!result.job) throw user_error(9100, "the statement is neither a query nor an INSERT");
    std::vector<ResultRow> rows;
    checkpoint = LegRun(session, std::move(result), rows).run();
    std::vector<ResultRow>& all = out.rows[""];
    all.insert(all.end(), rows.begin(), rows.end());
    for (const auto& [sink, taken] : session.leg().sink_rows()) {
      out.rows[sink].insert(out.rows[sink].end(), taken.begin(), taken.end());
    }
    if (checkpoint.empty()) break;  // it has ended: nothing in it waits for more input
  }
  return out;
}

BlockResult run_statement(const TestFile& file, const TestBlock& block) {
  Session session(file, block, file.num_segments() - 1);
  const StatementResult result = session.execute(block.sql);
  BlockResult out;
  std::string text = result.note;
  if (result.kind == StatementResult::Kind::kTable) {
    text = fmt::format("{}\n", fmt::join(result.table.columns, " | "));
    for (const auto& row : result.table.rows) text += fmt::format("{}\n", fmt::join(row, " | "));
  }
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    while (line.ends_with(' ')) line.pop_back();
    if (!line.empty()) out.text.push_back(std::move(line));
    begin = end + 1;
  }
  return out;
}

}  // namespace yeoul
