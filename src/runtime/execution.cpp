#include "yeoul/runtime/execution.h"

#include <algorithm>

#include "yeoul/runtime/state_assignment.h"

namespace yeoul {

Execution::Execution(const ExecutionSetup& setup) : graph_(*setup.graph), context_(*setup.context) {
  finished_.assign(graph_.vertices().size(), false);
  if (setup.restored) finished_ = finished_vertices(*setup.restored, graph_);
  make_mailboxes();
  make_channels(setup);
  make_tasks(setup);
  make_sources(setup);
}

Execution::~Execution() {
  stop();
  threads_.clear();
}

void Execution::make_mailboxes() {
  for (const JobVertex& vertex : graph_.vertices()) {
    first_task_.push_back(static_cast<int>(mailboxes_.size()));
    for (int subtask = 0; subtask < vertex.parallelism; ++subtask) mailboxes_.push_back(std::make_shared<Mailbox>());
  }
}

void Execution::make_channels(const ExecutionSetup& setup) {
  const int64_t bytes_max = setup.context->config->channel_bytes_max;
  for (const JobVertex& vertex : graph_.vertices()) {
    for (const int e : vertex.out_edges) {
      const StreamEdge& edge = graph_.edge(e);
      const JobVertex& target = graph_.vertex(graph_.vertex_of_node(edge.target));
      for (int from = 0; from < vertex.parallelism; ++from) {
        for (int to = 0; to < target.parallelism; ++to) {
          if (edge.partitioning == Partitioning::kForward && from != to) continue;
          channels_.emplace(std::tuple(e, from, to),
                            std::make_unique<Channel>(bytes_max, mailboxes_[index(vertex.id, from)]->wake_up(),
                                                      mailboxes_[index(target.id, to)]->wake_up()));
        }
      }
    }
  }
}

std::vector<InputGate::Input> Execution::inputs_of(const JobVertex& vertex, int subtask) const {
  std::vector<InputGate::Input> inputs;
  for (const int e : vertex.in_edges) {
    const int upstream = graph_.vertex(graph_.vertex_of_node(graph_.edge(e).source)).parallelism;
    for (int from = 0; from < upstream; ++from) {
      const auto it = channels_.find(std::tuple(e, from, subtask));
      if (it != channels_.end()) inputs.push_back({it->second.get(), graph_.edge(e).target_input});
    }
  }
  return inputs;
}

std::vector<std::pair<int, std::unique_ptr<Exchange>>> Execution::exchanges_of(const JobVertex& vertex,
                                                                               int subtask) const {
  std::vector<std::pair<int, std::unique_ptr<Exchange>>> exchanges;
  for (const int e : vertex.out_edges) {
    const StreamEdge& edge = graph_.edge(e);
    std::vector<Channel*> channels;
    for (int to = 0; to < graph_.node(edge.target).parallelism; ++to) {
      const auto it = channels_.find(std::tuple(e, subtask, to));
      if (it != channels_.end()) channels.push_back(it->second.get());
    }
    exchanges.emplace_back(e, std::make_unique<Exchange>(edge, subtask, graph_.max_parallelism(), std::move(channels)));
  }
  return exchanges;
}

TaskSetup Execution::task_setup(const ExecutionSetup& setup, const JobVertex& vertex, int subtask) {
  TaskSetup task{.graph = &graph_,
                 .vertex = vertex.id,
                 .subtask = subtask,
                 .config = context_.config,
                 .environment = context_.environment,
                 .executor = context_.executor,
                 .io_pool = setup.io_pool,
                 .listener = setup.listener,
                 .mailbox = mailboxes_[index(vertex.id, subtask)],
                 .times = &setup.metrics->task(vertex.id, subtask),
                 .storage = setup.storage,
                 .inputs = inputs_of(vertex, subtask),
                 .exchanges = exchanges_of(vertex, subtask),
                 .finished = finished_[static_cast<size_t>(vertex.id)]};
  for (const int node : vertex.nodes) {
    NodeSetup& of_node = task.nodes[node];
    of_node.metrics = &setup.metrics->node(node, subtask);
    if (setup.restored && !task.finished)
      of_node.restored = restored_node_state(*setup.restored, graph_, node, subtask);
  }
  return task;
}

void Execution::make_tasks(const ExecutionSetup& setup) {
  for (const JobVertex& vertex : graph_.vertices()) {
    const TaskState state = finished_[static_cast<size_t>(vertex.id)] ? TaskState::kEnded : TaskState::kRunning;
    for (int subtask = 0; subtask < vertex.parallelism; ++subtask) {
      tasks_.push_back(std::make_unique<Task>(task_setup(setup, vertex, subtask)));
      states_.push_back(state);
    }
  }
}

void Execution::make_sources(const ExecutionSetup& setup) {
  for (const JobVertex& vertex : graph_.vertices()) {
    const StreamNode& head = graph_.node(vertex.nodes.front());
    if (!head.source || finished_[static_cast<size_t>(vertex.id)]) continue;
    std::vector<Task*> tasks;
    for (int subtask = 0; subtask < vertex.parallelism; ++subtask) tasks.push_back(&task(vertex.id, subtask));
    sources_.emplace(vertex.id, std::make_shared<SourceCoordinator>(head, context_, std::move(tasks)));
    const NodeCheckpoint* stored = setup.restored ? setup.restored->find(head.uid) : nullptr;
    enumerator_states_[vertex.id] = stored ? stored->enumerator : std::nullopt;
  }
}

void Execution::start(bool threads) {
  for (const auto& [vertex, source] : sources_) source->start(enumerator_states_[vertex]);
  enumerator_states_.clear();
  if (threads) start_threads();
}

void Execution::start_threads() {
  try {
    for (const auto& task : tasks_) {
      const std::string name = fmt::format("{}.{} {}", task->vertex(), task->subtask(), task->name());
      threads_.push_back(start_thread(name, [task = task.get()](std::stop_token stop) { run_on_thread(*task, stop); }));
    }
  } catch (...) {
    for (size_t i = threads_.size(); i < tasks_.size(); ++i) tasks_[i]->close();  // counts as stopped
    throw;
  }
}

void Execution::stop() {
  stopping_ = true;
  for (const auto& [vertex, source] : sources_) source->close();
  for (std::jthread& thread : threads_) thread.request_stop();
}

bool Execution::all_flushed() const {
  return std::all_of(states_.begin(), states_.end(), [](TaskState state) { return state != TaskState::kRunning; });
}

bool Execution::all_ended() const {
  return std::all_of(states_.begin(), states_.end(), [](TaskState state) { return state == TaskState::kEnded; });
}

bool Execution::vertex_ended(int vertex) const {
  for (int subtask = 0; subtask < graph_.vertex(vertex).parallelism; ++subtask) {
    if (state(vertex, subtask) != TaskState::kEnded) return false;
  }
  return true;
}

SourceCoordinator* Execution::source(int vertex) {
  const auto it = sources_.find(vertex);
  return it == sources_.end() ? nullptr : it->second.get();
}

}  // namespace yeoul
