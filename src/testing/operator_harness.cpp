#include "yeoul/testing/operator_harness.h"

#include <algorithm>
#include <variant>

#include "yeoul/runtime/keyed_state_writer.h"
#include "yeoul/runtime/state_assignment.h"
#include "yeoul/types/row_literal.h"

namespace yeoul {

class OperatorHarness::Collector final : public OutputTarget {
 public:
  void batch(const BatchPtr& batch) override { elements.emplace_back(compact_any(batch)); }
  void watermark(int64_t watermark) override { elements.emplace_back(watermark); }
  bool has_room() const override { return room; }

  std::vector<std::string> take_lines() {
    std::vector<std::string> lines;
    for (const auto& element : std::exchange(elements, {})) {
      if (const auto* watermark = std::get_if<int64_t>(&element)) {
        lines.push_back(fmt::format("watermark {}", *watermark));
        continue;
      }
      const auto& batch = *std::get<BatchPtr>(element);
      const auto* rows = dynamic_cast<const RowBatch*>(&batch);
      YEOUL_CHECK(rows != nullptr, "lines are made of rows");
      for (std::string& line : row_lines(*rows)) lines.push_back(std::move(line));
    }
    return lines;
  }

  std::vector<std::variant<BatchPtr, int64_t>> elements;
  bool room = true;
};

OperatorHarness::OperatorHarness(std::shared_ptr<const OperatorFactory> factory, HarnessOptions options)
    : options_(std::move(options)) {
  node_.operator_factory = std::move(factory);
  start({}, files_.get());
}

OperatorHarness::OperatorHarness(std::shared_ptr<const OperatorFactory> factory, const HarnessSnapshot& restored,
                                 HarnessOptions options)
    : options_(std::move(options)) {
  node_.operator_factory = std::move(factory);
  StreamGraph graph;
  graph.nodes().push_back({.id = 0, .uid = "operator", .parallelism = options_.parallelism});
  const JobGraph job_graph(graph, options_.max_parallelism);
  start(restored_node_state(restored.checkpoint, job_graph, 0, options_.subtask), restored.files.get());
}

OperatorHarness::~OperatorHarness() = default;

void OperatorHarness::start(RestoredNodeState restored, FileSystem* files) {
  node_.id = 0;
  node_.name = "operator under test";
  node_.uid = "operator";
  config_.batch_records_max = options_.batch_records_max;
  environment_ = {.clock = &clock_, .files = files, .state_backend = options_.state_backend};
  context_.subtask = options_.subtask;
  context_.parallelism = options_.parallelism;
  context_.max_parallelism = options_.max_parallelism;
  context_.config = &config_;
  context_.environment = &environment_;
  context_.executor = &executor_;
  context_.mailbox = std::make_shared<Mailbox>();
  operator_ = std::make_unique<OperatorNode>(node_, context_, metrics_);
  options_.side_tags.insert(options_.side_tags.begin(), "");
  for (const std::string& tag : options_.side_tags) {
    collectors_[tag] = std::make_unique<Collector>();
    operator_->node_output()->add_target(tag, collectors_[tag].get());
  }
  operator_->open(restored);
  environment_.files = files_.get();
}

void OperatorHarness::run() {
  while (operator_->continue_work()) {
  }
}

void OperatorHarness::process(int input, BatchPtr batch) {
  operator_->process_batch(input, batch);
  run();
}

void OperatorHarness::watermark(int64_t watermark) {
  operator_->process_watermark(watermark);
  run();
}

void OperatorHarness::end_input(int input) {
  operator_->end_input(input);
  run();
}

void OperatorHarness::prepare_barrier() {
  operator_->prepare_barrier();
  run();
}

void OperatorHarness::notify_checkpoint_complete(int64_t checkpoint_id) {
  operator_->notify_checkpoint_complete(checkpoint_id);
}

void OperatorHarness::advance_time(int64_t ms) {
  const int64_t end_ms = clock_.wall_ms() + ms;
  while (context_.wall_timers.next_at() <= end_ms) {
    clock_.advance(std::max<int64_t>(0, context_.wall_timers.next_at() - clock_.wall_ms()));
    context_.wall_timers.take()();
    run();
  }
  clock_.advance(end_ms - clock_.wall_ms());
}

void OperatorHarness::set_room(bool room) {
  for (const auto& [tag, collector] : collectors_) collector->room = room;
  run();
}

std::vector<BatchPtr> OperatorHarness::take_batches() {
  std::vector<BatchPtr> batches;
  for (auto& element : std::exchange(collectors_.at("")->elements, {})) {
    if (auto* batch = std::get_if<BatchPtr>(&element)) batches.push_back(std::move(*batch));
  }
  return batches;
}

std::vector<std::string> OperatorHarness::take_lines() {
  return collectors_.at("")->take_lines();
}

std::vector<std::string> OperatorHarness::take_side_lines(const std::string& tag) {
  return collectors_.at(tag)->take_lines();
}

SubtaskState OperatorHarness::write(CheckpointStorage& storage) {
  prepare_barrier();
  YEOUL_CHECK(operator_->clear(), "no barrier while a cursor is open: give room first");
  NodeCapture capture = operator_->capture(1);
  write_keyed_state(storage, 1, options_.subtask, capture);
  return std::move(capture.ack.state);
}

HarnessSnapshot OperatorHarness::snapshot() {
  return snapshot(std::vector<OperatorHarness*>{this});
}

HarnessSnapshot OperatorHarness::snapshot(const std::vector<OperatorHarness*>& subtasks) {
  HarnessSnapshot snapshot{.files = std::make_shared<FakeFileSystem>()};
  CheckpointStorage storage(*snapshot.files, "/state", "harness", "job");
  storage.begin(1);
  snapshot.checkpoint = {.id = 1, .path = storage.path_of(1), .max_parallelism = subtasks[0]->options_.max_parallelism};
  NodeCheckpoint node{.uid = "operator", .name = "operator under test"};
  for (OperatorHarness* subtask : subtasks) node.subtasks.push_back(subtask->write(storage));
  snapshot.checkpoint.nodes.push_back(std::move(node));
  return snapshot;
}

}  // namespace yeoul
