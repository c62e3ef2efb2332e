#include "yeoul/runtime/sink_node.h"

#include <algorithm>

namespace yeoul {

void SinkNode::open(RestoredNodeState& restored) {
  const std::shared_ptr<Mailbox> mailbox = context_.mailbox;
  SinkWriterContext writer_context{
      .subtask = context_.subtask,
      .parallelism = context_.parallelism,
      .job_id = context_.config->job_id,
      .wake_up = [mailbox] { mailbox->wake_up().raise(); },
      .fail =
          [mailbox, this](std::exception_ptr failure) {
            mailbox->post([this, failure] { enter([&] { std::rethrow_exception(failure); }); });
          },
      .clock = &context_.clock(),
      .io_pool = context_.io_pool,
      .metrics = &metrics_.sink,
      .restored_states = std::move(restored.writer_states)};
  enter([&] { writer_ = node_.sink->create_writer(std::move(writer_context)); });
}

void SinkNode::do_batch(int input, const BatchPtr& batch) {
  (void)input;
  enter([&] { writer_->write(compact_any(batch)); });
}

bool SinkNode::continue_work() {
  if (clear() || !writer_->has_room()) return false;
  if (writer_->has_pending()) enter([&] { writer_->resume(); });
  drain();
  return true;
}

void SinkNode::begin_prepare(int64_t checkpoint_id, bool end_of_input) {
  prepared_ = false;
  const std::shared_ptr<Mailbox> mailbox = context_.mailbox;
  auto done = [this, mailbox, checkpoint_id](std::vector<std::string> committables) {
    mailbox->post([this, checkpoint_id, committables = std::move(committables)]() mutable {
      if (!committables.empty()) uncommitted_.emplace_back(checkpoint_id, std::move(committables));
      prepared_ = true;
    });
  };
  enter([&] { writer_->begin_prepare(checkpoint_id, end_of_input, std::move(done)); });
}

NodeCapture SinkNode::capture(int64_t checkpoint_id) {
  NodeCapture capture{.ack = {.node = node_.id}};
  enter([&] {
    std::string state = writer_->snapshot(checkpoint_id);
    if (!state.empty()) capture.ack.state.writer_state = std::move(state);
  });
  for (const auto& [id, committables] : uncommitted_) {
    capture.ack.committables.insert(capture.ack.committables.end(), committables.begin(), committables.end());
  }
  return capture;
}

void SinkNode::notify_checkpoint_complete(int64_t checkpoint_id) {
  std::erase_if(uncommitted_, [&](const auto& entry) { return entry.first <= checkpoint_id; });
}

}  // namespace yeoul
