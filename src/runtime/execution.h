#pragma once

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "yeoul/runtime/coordinator_context.h"
#include "yeoul/runtime/job_graph.h"
#include "yeoul/runtime/job_metrics.h"
#include "yeoul/runtime/source_coordinator.h"
#include "yeoul/runtime/task.h"

namespace yeoul {

/// What one attempt to run a job needs from the job.
struct ExecutionSetup {
  const JobGraph* graph = nullptr;
  CoordinatorContext* context = nullptr;
  ThreadPool* io_pool = nullptr;
  TaskListener* listener = nullptr;  ///< outlives all I/O
  std::shared_ptr<CheckpointStorage> storage;
  JobMetrics* metrics = nullptr;
  const Checkpoint* restored = nullptr;  ///< null: fresh
};

/// One attempt to run a job: its tasks, their channels and threads, and the coordinators of its sources.
/// Threads: the coordinator's; tasks run on their own.
class Execution {
 public:
  enum class TaskState { kRunning, kFlushed, kEnded };

  explicit Execution(const ExecutionSetup& setup);
  /// Asks all tasks to stop and joins their threads.
  ~Execution();

  /// Starts the sources' enumerators, then the tasks. @param threads  false: a test steps the tasks
  void start(bool threads);
  /// Asks all tasks to stop, and sources to be quiet.
  void stop();
  bool stopping() const { return stopping_; }

  const std::vector<std::unique_ptr<Task>>& tasks() const { return tasks_; }
  Task& task(int vertex, int subtask) { return *tasks_[index(vertex, subtask)]; }
  TaskState state(int vertex, int subtask) const { return states_[index(vertex, subtask)]; }
  void set_state(int vertex, int subtask, TaskState state) { states_[index(vertex, subtask)] = state; }
  /// All have flushed or ended.
  bool all_flushed() const;
  bool all_ended() const;
  bool vertex_ended(int vertex) const;
  SourceCoordinator* source(int vertex);
  const std::map<int, std::shared_ptr<SourceCoordinator>>& sources() const { return sources_; }

  /// A task's thread touches nothing any more.
  void note_stopped() { ++num_stopped_; }
  bool all_stopped() const { return num_stopped_ == tasks_.size(); }

 private:
  friend class Sabotage;  // plants bugs for the simulator; only in `testing`
  size_t index(int vertex, int subtask) const {
    return static_cast<size_t>(first_task_[static_cast<size_t>(vertex)] + subtask);
  }
  void make_mailboxes();
  void make_channels(const ExecutionSetup& setup);
  void make_tasks(const ExecutionSetup& setup);
  TaskSetup task_setup(const ExecutionSetup& setup, const JobVertex& vertex, int subtask);
  std::vector<InputGate::Input> inputs_of(const JobVertex& vertex, int subtask) const;
  std::vector<std::pair<int, std::unique_ptr<Exchange>>> exchanges_of(const JobVertex& vertex, int subtask) const;
  void make_sources(const ExecutionSetup& setup);
  void start_threads();

  const JobGraph& graph_;
  CoordinatorContext& context_;
  std::vector<int> first_task_;  ///< by vertex
  std::vector<std::shared_ptr<Mailbox>> mailboxes_;
  /// By (edge, upstream subtask, downstream subtask).
  std::map<std::tuple<int, int, int>, std::unique_ptr<Channel>> channels_;
  std::vector<bool> finished_;  ///< by vertex
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<TaskState> states_;
  std::map<int, std::shared_ptr<SourceCoordinator>> sources_;  ///< by vertex
  std::map<int, std::optional<std::string>> enumerator_states_;
  size_t num_stopped_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace yeoul
