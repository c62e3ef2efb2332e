#include "yeoul/runtime/job_metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "yeoul/common/hash.h"

namespace yeoul {
namespace {

/// Flink cuts the names of operators in scopes at so many characters.
constexpr size_t kOperatorNameMax = 80;

using Variables = std::vector<std::pair<std::string, std::string>>;

/// 32 hex digits, as Flink's ids have.
std::string metric_id(std::string_view uid) {
  const uint64_t hash = hash_bytes(uid);
  return fmt::format("{:016x}{:016x}", hash, hash_u64(hash));
}

std::string host_name() {
  char name[256] = "localhost";
  if (::gethostname(name, sizeof name - 1) != 0) return "localhost";
  return name;
}

std::shared_ptr<const MetricScope> scope_below(std::string_view name, Variables variables, const Variables& more) {
  variables.insert(variables.end(), more.begin(), more.end());
  return std::make_shared<const MetricScope>(MetricScope{std::string(name), std::move(variables)});
}

class Appender {
 public:
  Appender(const std::shared_ptr<const MetricScope>& scope, MetricReport& out) : scope_(scope), out_(out) {}
  void operator()(std::string_view name, double value) { out_.push_back({scope_, std::string(name), value}); }
  void operator()(std::string_view name, int64_t value) { (*this)(name, static_cast<double>(value)); }

 private:
  const std::shared_ptr<const MetricScope>& scope_;
  MetricReport& out_;
};

}  // namespace

JobMetrics::JobMetrics(const JobGraph& graph, const JobConfig& config, const Clock& clock)
    : graph_(graph), clock_(clock), nodes_(graph.stream_graph().nodes().size()) {
  const std::string host = host_name();
  const Variables of_job{{"host", host}, {"job_id", config.job_id}, {"job_name", config.name}};
  job_scope_ = scope_below("jobmanager.job", of_job, {});
  for (const JobVertex& vertex : graph.vertices()) {
    const std::string task_id = metric_id(graph.node(vertex.nodes.front()).uid);
    std::vector<std::unique_ptr<TaskEntry>>& tasks = tasks_.emplace_back();
    for (int subtask = 0; subtask < vertex.parallelism; ++subtask) {
      const Variables of_task{{"tm_id", host},
                              {"task_id", task_id},
                              {"task_name", vertex.name},
                              {"subtask_index", std::to_string(subtask)}};
      tasks.push_back(std::make_unique<TaskEntry>());
      tasks.back()->scope = scope_below("taskmanager.job.task", of_job, of_task);
      for (const int id : vertex.nodes) {
        auto node = std::make_unique<Node>();
        node->node = &graph.node(id);
        node->scope = scope_below("taskmanager.job.task.operator", tasks.back()->scope->variables,
                                  {{"operator_id", metric_id(node->node->uid)},
                                   {"operator_name", node->node->name.substr(0, kOperatorNameMax)}});
        nodes_[static_cast<size_t>(id)].push_back(std::move(node));
      }
    }
  }
  sample();
}

void JobMetrics::forget_connectors() {
  for (auto& subtasks : nodes_) {
    for (auto& node : subtasks) {
      node->metrics.source.group.clear();
      node->metrics.sink.group.clear();
    }
  }
}

void JobMetrics::sample() {
  const std::scoped_lock lock(mutex_);
  const int64_t now_ms = steady_ms();
  for (auto& subtasks : nodes_) {
    for (auto& node : subtasks) {
      node->records_in.sample(now_ms, node->num_records_in());
      node->records_out.sample(now_ms, node->num_records_out());
      node->bytes_in.sample(now_ms, node->metrics.source.bytes_in.value());
      node->bytes_out.sample(now_ms, node->metrics.sink.bytes_out.value());
      node->busy.sample(now_ms, node->metrics.busy_ns.value());
    }
  }
  for (auto& subtasks : tasks_) {
    for (auto& task : subtasks) {
      const TaskTimes::Reading times = task->times.read(clock_.steady_ns());
      task->busy.sample(now_ms, times.busy_ns);
      task->idle.sample(now_ms, times.idle_ns);
      task->backpressured.sample(now_ms, times.backpressured_ns);
    }
  }
}

void JobMetrics::add_to(JobProgress& progress) const {
  bool any_sink = false;
  int64_t watermark = kMaxWatermark;
  const int64_t now_ns = clock_.steady_ns();
  for (const JobVertex& vertex : graph_.vertices()) {
    for (int subtask = 0; subtask < vertex.parallelism; ++subtask) {
      for (const int id : vertex.nodes) {
        const Node& node = *nodes_[static_cast<size_t>(id)][static_cast<size_t>(subtask)];
        const NodeMetrics& metrics = node.metrics;
        progress.records_in += metrics.source.records_in.value();
        progress.bytes_in += metrics.source.bytes_in.value();
        progress.records_skipped += metrics.source.records_skipped.value();
        progress.records_out += metrics.sink.records_out.value();
        progress.bytes_out += metrics.sink.bytes_out.value();
        const int64_t pending = metrics.source.pending_records.value();
        if (pending >= 0) progress.pending_records = std::max<int64_t>(0, progress.pending_records) + pending;
        if (node.node->sink) {
          any_sink = true;
          watermark = std::min(watermark, metrics.watermark.value());
        }
        progress.busy.push_back({node.node->name, metrics.busy_ns.value()});
      }
      const TaskEntry& task = *tasks_[static_cast<size_t>(vertex.id)][static_cast<size_t>(subtask)];
      progress.backpressured.push_back(
          {graph_.node(vertex.nodes.front()).name, task.times.read(now_ns).backpressured_ns});
    }
  }
  if (any_sink) progress.watermark = watermark;
}

void JobMetrics::report(MetricReport& out) const {
  const std::scoped_lock lock(mutex_);
  report_checkpoints(out);
  for (const JobVertex& vertex : graph_.vertices()) {
    for (int subtask = 0; subtask < vertex.parallelism; ++subtask) {
      report_task(vertex, subtask, out);
      for (const int id : vertex.nodes) {
        report_node(*nodes_[static_cast<size_t>(id)][static_cast<size_t>(subtask)], out);
      }
    }
  }
}

void JobMetrics::report_task(const JobVertex& vertex, int subtask, MetricReport& out) const {
  const TaskEntry& task = *tasks_[static_cast<size_t>(vertex.id)][static_cast<size_t>(subtask)];
  const Node& head = *nodes_[static_cast<size_t>(vertex.nodes.front())][static_cast<size_t>(subtask)];
  const Node& tail = *nodes_[static_cast<size_t>(vertex.nodes.back())][static_cast<size_t>(subtask)];
  const int64_t now_ms = steady_ms();
  const TaskTimes::Reading times = task.times.read(clock_.steady_ns());
  Appender add(task.scope, out);
  add("numRecordsIn", head.num_records_in());
  add("numRecordsInPerSecond", head.records_in.per_second(now_ms, head.num_records_in()));
  add("numRecordsOut", tail.num_records_out());
  add("numRecordsOutPerSecond", tail.records_out.per_second(now_ms, tail.num_records_out()));
  if (!head.node->source) add("currentInputWatermark", head.metrics.input_watermark.value());
  add("busyTimeMsPerSecond", task.busy.per_second(now_ms, times.busy_ns) / 1e6);
  add("idleTimeMsPerSecond", task.idle.per_second(now_ms, times.idle_ns) / 1e6);
  add("backPressuredTimeMsPerSecond", task.backpressured.per_second(now_ms, times.backpressured_ns) / 1e6);
  add("accumulateBusyTimeMs", times.busy_ns / 1'000'000);
  add("accumulateIdleTimeMs", times.idle_ns / 1'000'000);
  add("accumulateBackPressuredTimeMs", times.backpressured_ns / 1'000'000);
  add("isBackPressured", int64_t{times.backpressured});
}

void JobMetrics::report_node(const Node& node, MetricReport& out) const {
  const int64_t now_ms = steady_ms();
  Appender add(node.scope, out);
  add("numRecordsIn", node.num_records_in());
  add("numRecordsInPerSecond", node.records_in.per_second(now_ms, node.num_records_in()));
  add("numRecordsOut", node.num_records_out());
  add("numRecordsOutPerSecond", node.records_out.per_second(now_ms, node.num_records_out()));
  add("busyTimeMsPerSecond", node.busy.per_second(now_ms, node.metrics.busy_ns.value()) / 1e6);
  if (!node.node->source) add("currentInputWatermark", node.metrics.input_watermark.value());
  if (!node.node->sink) add("currentOutputWatermark", node.metrics.watermark.value());
  node.metrics.own.report(node.scope, out);
  if (node.node->source) report_source(node, out);
  if (node.node->sink) report_sink(node, out);
}

void JobMetrics::report_source(const Node& node, MetricReport& out) const {
  const SourceMetrics& source = node.metrics.source;
  const int64_t watermark = node.metrics.watermark.value();
  const int64_t idle_since_ms = node.metrics.idle_since_ms.value();
  Appender add(node.scope, out);
  add("numBytesIn", source.bytes_in.value());
  add("numBytesInPerSecond", node.bytes_in.per_second(steady_ms(), source.bytes_in.value()));
  add("numRecordsInErrors", source.errors.value());
  add("numRecordsSkipped", source.records_skipped.value());
  add("sourceIdleTime", idle_since_ms < 0 ? 0 : steady_ms() - idle_since_ms);
  if (watermark != kMinWatermark && watermark != kMaxWatermark) add("watermarkLag", clock_.wall_ms() - watermark);
  if (source.event_time_ms.value() >= 0) {
    add("currentFetchEventTimeLag", source.fetch_event_time_lag_ms.value());
    add("currentEmitEventTimeLag", node.metrics.emit_event_time_lag_ms.value());
  }
  if (source.pending_records.value() >= 0) add("pendingRecords", source.pending_records.value());
  source.group.report(node.scope, out);
}

void JobMetrics::report_sink(const Node& node, MetricReport& out) const {
  const SinkMetrics& sink = node.metrics.sink;
  Appender add(node.scope, out);
  add("numRecordsSend", sink.records_out.value());
  add("numBytesSend", sink.bytes_out.value());
  add("numBytesOut", sink.bytes_out.value());
  add("numBytesOutPerSecond", node.bytes_out.per_second(steady_ms(), sink.bytes_out.value()));
  add("numRecordsSendErrors", sink.errors.value());
  add("numRecordsOutErrors", sink.errors.value());
  if (sink.send_time_ms.value() >= 0) add("currentSendTime", sink.send_time_ms.value());
  sink.group.report(node.scope, out);
}

void JobMetrics::report_checkpoints(MetricReport& out) const {
  Appender add(job_scope_, out);
  add("totalNumberOfCheckpoints", checkpoints_.triggered.value());
  add("numberOfCompletedCheckpoints", checkpoints_.completed.value());
  add("numberOfFailedCheckpoints", checkpoints_.failed.value());
  add("numberOfInProgressCheckpoints", checkpoints_.in_progress.value());
  add("lastCompletedCheckpointId", checkpoints_.last_id.value());
  add("lastCheckpointDuration", checkpoints_.last_duration_ms.value());
  add("lastCheckpointSize", checkpoints_.last_bytes.value());
  add("lastCheckpointFullSize", checkpoints_.last_bytes.value());
  add("lastCheckpointRestoreTimestamp", checkpoints_.last_restored_at_ms.value());
}

}  // namespace yeoul
