#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "yeoul/common/metric_report.h"
#include "yeoul/common/rate_window.h"
#include "yeoul/runtime/job.h"
#include "yeoul/runtime/job_graph.h"
#include "yeoul/runtime/node_metrics.h"
#include "yeoul/runtime/task_times.h"

namespace yeoul {

/// Counters of a job's checkpoints. Threads: written by the coordinator, read by any.
struct CheckpointMetrics {
  Counter triggered;
  Counter completed;
  Counter failed;
  Gauge in_progress;
  Gauge last_id{-1};
  Gauge last_duration_ms{-1};
  Gauge last_bytes{-1};
  Gauge last_restored_at_ms{-1};
};

/// All metrics of a job over all its attempts, and their report under Flink's names and scopes (docs/metrics.md).
/// Threads: any, but for forget_connectors(); the counters say who writes them.
class JobMetrics {
 public:
  JobMetrics(const JobGraph& graph, const JobConfig& config, const Clock& clock);

  NodeMetrics& node(int node, int subtask) { return node_of(node, subtask).metrics; }
  const NodeMetrics& node(int node, int subtask) const {
    return nodes_[static_cast<size_t>(node)][static_cast<size_t>(subtask)]->metrics;
  }
  TaskTimes& task(int vertex, int subtask) {
    return tasks_[static_cast<size_t>(vertex)][static_cast<size_t>(subtask)]->times;
  }
  CheckpointMetrics& checkpoints() { return checkpoints_; }

  /// Before an attempt: what connectors registered for the last one, whose readers and writers are gone, is forgotten.
  void forget_connectors();
  /// Keeps readings for rates; every RateWindow::kSampleMs.
  void sample();
  /// Adds what the job's tasks have counted.
  void add_to(JobProgress& progress) const;
  /// Metrics of tasks, operators and checkpoints.
  void report(MetricReport& out) const;
  const std::shared_ptr<const MetricScope>& job_scope() const { return job_scope_; }

 private:
  struct Node {
    const StreamNode* node = nullptr;
    std::shared_ptr<const MetricScope> scope;
    NodeMetrics metrics;
    RateWindow records_in, records_out, bytes_in, bytes_out, busy;
    int64_t num_records_in() const {
      return node->source ? metrics.source.records_in.value() : metrics.records_in.value();
    }
    int64_t num_records_out() const {
      return node->sink ? metrics.sink.records_out.value() : metrics.records_out.value();
    }
  };
  struct TaskEntry {
    std::shared_ptr<const MetricScope> scope;
    TaskTimes times;
    RateWindow busy, idle, backpressured;
  };

  Node& node_of(int node, int subtask) { return *nodes_[static_cast<size_t>(node)][static_cast<size_t>(subtask)]; }
  int64_t steady_ms() const { return clock_.steady_ns() / 1'000'000; }
  void report_task(const JobVertex& vertex, int subtask, MetricReport& out) const;
  void report_node(const Node& node, MetricReport& out) const;
  void report_source(const Node& node, MetricReport& out) const;
  void report_sink(const Node& node, MetricReport& out) const;
  void report_checkpoints(MetricReport& out) const;

  const JobGraph& graph_;
  const Clock& clock_;
  std::shared_ptr<const MetricScope> job_scope_;
  std::vector<std::vector<std::unique_ptr<Node>>> nodes_;       ///< by node, subtask
  std::vector<std::vector<std::unique_ptr<TaskEntry>>> tasks_;  ///< by vertex, subtask
  CheckpointMetrics checkpoints_;
  mutable std::mutex mutex_;  ///< of the rates
};

}  // namespace yeoul
