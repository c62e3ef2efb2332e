#include "yeoul/cli/run_command.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <vector>

#include "yeoul/builtins/builtins.h"
#include "yeoul/cli/output.h"
#include "yeoul/cli/progress.h"
#include "yeoul/common/clock.h"
#include "yeoul/common/config_text.h"
#include "yeoul/common/file_system.h"
#include "yeoul/common/log.h"
#include "yeoul/engine/table_environment.h"
#include "yeoul/metrics/prometheus/prometheus_reporter.h"

namespace yeoul {
namespace {

/// Signals so close together are one request: timeout(1) sends one to the process and one to its group, as do shells
/// and service managers.
constexpr int64_t kSameRequestNs = 1'000'000'000;

volatile std::sig_atomic_t g_stop = 0;
std::atomic<int64_t> g_asked_at_ns{0};

/// Asks for a clean stop. Asked again, ends the program at once, whatever a clean stop may be waiting for.
void on_signal(int number) {
  const int64_t now_ns = system_clock().steady_ns();
  int64_t asked_at_ns = 0;
  if (g_asked_at_ns.compare_exchange_strong(asked_at_ns, now_ns)) {
    g_stop = 1;
  } else if (now_ns - asked_at_ns >= kSameRequestNs) {
    ::signal(number, SIG_DFL);
    ::raise(number);
  }
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

std::shared_ptr<const Registries> registries() {
  auto out = std::make_shared<Registries>();
  register_connectors(out->connectors);
  register_formats(out->formats);
  register_state_backends(out->state_backends);
  return out;
}

void note(std::string_view text, LogLevel level = LogLevel::kInfo) {
  if (log_format() == LogFormat::kJson) {
    log_line(level, "yeoul", text);  // whatever the level: it is not part of the log, only of its form
  } else {
    // Not by fmt::print, which throws where standard error is closed or full: a note that is lost fails no job.
    const std::string line = fmt::format("{}\n", text);
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
}

/// The text as one word of a shell's command line.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void print_table(const TextTable& table) {
  std::vector<size_t> widths;
  for (const std::string& name : table.columns) widths.push_back(name.size());
  for (const auto& row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string line = "+";
  for (const size_t width : widths) line += std::string(width + 2, '-') + "+";
  const auto row_text = [&](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (size_t i = 0; i < cells.size(); ++i) out += fmt::format(" {:<{}} |", cells[i], widths[i]);
    return out;
  };
  std::string out = fmt::format("{}\n{}\n{}\n", line, row_text(table.columns), line);
  for (const auto& row : table.rows) out += row_text(row) + "\n";
  out += fmt::format("{}\n{} row{} in set\n", line, table.rows.size(), table.rows.size() == 1 ? "" : "s");
  print_text(out);
}

/// The options of the file that --config names: itself, or within a folder the newer of those that Flink reads.
OptionMap read_config(const std::string& path) {
  std::string file = path;
  for (const char* name : {"flink-conf.yaml", "config.yaml"}) {
    if (const std::string inside = fmt::format("{}/{}", path, name); local_file_system().exists(inside)) file = inside;
  }
  try {
    return parse_config_text(local_file_system().read_file(file));
  } catch (const Error& error) {
    throw user_error(error.code(), "--config {}: {}", file, error.message());
  }
}

/// The jobs of a script, and what is said about them.
class ScriptRun {
 public:
  ScriptRun(const Arguments& arguments, std::string origin)
      : arguments_(arguments),
        origin_(std::move(origin)),
        registries_(registries()),
        session_(registries_),
        line_(!arguments.quiet && arguments.log_format == LogFormat::kText && ::isatty(STDERR_FILENO) == 1) {
    for (const std::string& path : arguments.configs) {
      for (const auto& [key, value] : read_config(path)) say(session_.options().set(key, value));
    }
    for (const auto& [key, value] : arguments.properties) say(session_.options().set(key, value));
    session_.set_restore(arguments.restores);
  }

  int run(const std::string& sql) {
    for (const ScriptStatement& statement : split_script(sql)) {
      if (g_stop != 0) break;
      try {
        execute(statement);
      } catch (const Error&) {
        // What is running already goes on to its end no more than the script does.
        for (RunningJob& running : jobs_) running.job->cancel();
        wait_for_jobs();
        throw;
      }
    }
    wait_for_jobs();
    return failed_ ? 2 : 0;
  }

  void explain(const std::string& sql) {
    for (const ScriptStatement& statement : split_script(sql)) {
      const std::string text = session_.explain(statement);
      if (!text.empty()) print_text(text + "\n");
    }
    check_output();
  }

 private:
  struct RunningJob {
    std::unique_ptr<Job> job;
    int64_t started_ns;
    bool told = false;  ///< that it has ended
  };

  static void say(const std::string& text) {
    if (!text.empty()) note(text);
  }

  /// Serves metrics once an option says so.
  void start_metrics() {
    const std::string ports = session_.options().text("metrics.reporter.prom.port");
    if (reporter_ || ports.empty()) return;
    const bool filter = session_.options().text("metrics.reporter.prom.filterLabelValueCharacters") == "true";
    reporter_ = std::make_unique<PrometheusReporter>(
        PrometheusReporter::Options{.ports = ports, .filter_label_values = filter}, [this] { return metrics(); });
    if (!arguments_.quiet) note(fmt::format("metrics: http://127.0.0.1:{}/metrics", reporter_->port()));
  }

  /// On the reporter's thread.
  MetricReport metrics() {
    MetricReport report;
    const std::scoped_lock lock(reported_mutex_);
    for (const Job* job : reported_) {
      MetricReport of_job = job->metrics();
      report.insert(report.end(), std::make_move_iterator(of_job.begin()), std::make_move_iterator(of_job.end()));
    }
    return report;
  }

  void begin_reporting(const Job& job) {
    const std::scoped_lock lock(reported_mutex_);
    reported_.push_back(&job);
  }
  void end_reporting(const Job& job) {
    const std::scoped_lock lock(reported_mutex_);
    std::erase(reported_, &job);
  }

  void execute(const ScriptStatement& statement) {
    start_metrics();
    StatementResult result = session_.execute(statement);
    switch (result.kind) {
      case StatementResult::Kind::kOk:
        say(result.note);
        return;
      case StatementResult::Kind::kTable:
        print_table(result.table);
        check_output();
        return;
      case StatementResult::Kind::kText:
        print_text(result.note + "\n");
        check_output();
        return;
      case StatementResult::Kind::kJob:
        begin_reporting(*result.job);
        jobs_.push_back({std::move(result.job), system_clock().steady_ns()});
        if (session_.options().text("table.dml-sync") == "true") wait_for_jobs();
        return;
      case StatementResult::Kind::kQuery:
        print_query(std::move(result));
        return;
    }
  }

  void print_query(StatementResult result) {
    const std::unique_ptr<ChangelogPrinter> printer =
        make_printer(arguments_.output, result.schema, session_.options().zone(), registries_->formats);
    RunningJob running{std::move(result.job), system_clock().steady_ns()};
    begin_reporting(*running.job);
    int64_t num_rows = 0;
    bool ended = false;
    for (;;) {
      const RowBatchPtr batch = result.rows->next(ended ? 0 : 10);
      if (batch && output_error() == 0) {
        num_rows += static_cast<int64_t>(batch->num_records());
        printer->print(*batch);
      } else if (!batch && ended) {
        break;
      }
      printer->refresh();
      report_ended();
      if (g_stop != 0 || output_error() != 0) running.job->cancel();
      // Asked before the queue is found empty, so that no row of a job that has ended is missed.
      ended = ended || is_ended(running.job->wait(0));
    }
    printer->finish(num_rows);
    end_reporting(*running.job);
    report(running);
    check_output();
  }

  /// A reader that goes away (`| head`) asks the script to stop, as Ctrl-C does; a full disk is a failure.
  static void check_output() {
    if (output_error() == EPIPE) {
      g_stop = 1;
    } else if (output_error() != 0) {
      throw_output_error();
    }
  }

  static bool is_ended(JobStatus status) {
    return status == JobStatus::kFinished || status == JobStatus::kFailed || status == JobStatus::kCanceled;
  }

  void wait_for_jobs() {
    for (;;) {
      if (g_stop != 0) {
        for (RunningJob& running : jobs_) running.job->cancel();
      }
      report_ended();
      const auto running = std::find_if(jobs_.begin(), jobs_.end(), [](const RunningJob& job) { return !job.told; });
      if (running == jobs_.end()) break;
      if (!is_ended(running->job->wait(100))) line_.update(running->job->progress());
    }
    for (const RunningJob& running : jobs_) end_reporting(*running.job);
    jobs_.clear();
  }

  /// A job that has failed is told of at once, though others of the script run on.
  void report_ended() {
    for (RunningJob& running : jobs_) {
      if (running.told || !is_ended(running.job->wait(0))) continue;
      running.told = true;
      report(running);
    }
  }

  void report(const RunningJob& running) {
    line_.clear();
    const std::exception_ptr failure = running.job->failure();
    if (failure) {
      failed_ = true;
      try {
        std::rethrow_exception(failure);
      } catch (const Error& error) {
        note(fmt::format("job '{}' failed: {}", running.job->name(), error.to_string()), LogLevel::kError);
      } catch (const std::exception& error) {
        note(fmt::format("job '{}' failed: {}", running.job->name(), error.what()), LogLevel::kError);
      }
    }
    if (arguments_.quiet) return;
    std::string resume;
    const auto checkpoint = running.job->progress().last_checkpoint;
    if (checkpoint && !origin_.empty()) {
      // A script is resumed as a whole, so that the line of its last job names the checkpoints of all.
      restores_ += " --restore " + shell_word(checkpoint->path);
      resume = "yeoul run " + shell_word(origin_);
      for (const std::string& path : arguments_.configs) resume += " --config " + shell_word(path);
      for (const auto& [key, value] : arguments_.properties) resume += " -D " + shell_word(key + "=" + value);
      resume += restores_;
    }
    note(closing_line(*running.job, system_clock().steady_ns() - running.started_ns, resume));
  }

  const Arguments& arguments_;
  std::string origin_;
  std::shared_ptr<const Registries> registries_;
  TableEnvironment session_;
  LiveLine line_;
  std::vector<RunningJob> jobs_;
  std::string restores_;  ///< --restore arguments of the jobs that have ended
  bool failed_ = false;
  std::mutex reported_mutex_;
  std::vector<const Job*> reported_;  ///< under reported_mutex_: jobs that run or ran in this script
  std::unique_ptr<PrometheusReporter> reporter_;
};

}  // namespace

int run_script(const Arguments& arguments, const std::string& sql, const std::string& origin) {
  catch_signals();
  return ScriptRun(arguments, origin).run(sql);
}

int explain_script(const Arguments& arguments, const std::string& sql) {
  ScriptRun(arguments, "").explain(sql);
  return 0;
}

}  // namespace yeoul
