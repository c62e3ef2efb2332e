#include "yeoul/runtime/chain_node.h"

namespace yeoul {

NodeMetrics* TaskContext::switch_to(NodeMetrics* next) {
  const int64_t now_ns = clock().steady_ns();
  if (running != nullptr) running->busy_ns.add(now_ns - running_since_ns);
  running_since_ns = now_ns;
  return std::exchange(running, next);
}

void ChainNode::batch(const BatchPtr& batch) {
  if (pending_.empty() && ready()) {
    process_batch(0, batch);
  } else {
    pending_.emplace_back(batch);
  }
}

void ChainNode::watermark(int64_t watermark) {
  if (pending_.empty() && ready()) {
    process_watermark(watermark);
  } else {
    pending_.emplace_back(watermark);
  }
}

void ChainNode::process_batch(int input, const BatchPtr& batch) {
  metrics_.records_in.add(static_cast<int64_t>(batch->num_records()));
  do_batch(input, batch);
}

void ChainNode::process_watermark(int64_t watermark) {
  metrics_.input_watermark.set(watermark);
  do_watermark(watermark);
}

void ChainNode::drain() {
  while (!pending_.empty() && ready()) {
    const std::variant<BatchPtr, int64_t> next = std::move(pending_.front());
    pending_.pop_front();
    if (const auto* batch = std::get_if<BatchPtr>(&next)) {
      process_batch(0, *batch);
    } else {
      process_watermark(std::get<int64_t>(next));
    }
  }
}

}  // namespace yeoul
