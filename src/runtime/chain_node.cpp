#include "yeoul/runtime/chain_node.h"

namespace yeoul {

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
