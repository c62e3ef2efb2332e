#include "yeoul/runtime/node_output.h"

#include <algorithm>

namespace yeoul {

BatchPtr compact_any(const BatchPtr& batch) {
  const auto* rows = dynamic_cast<const RowBatch*>(batch.get());
  if (rows == nullptr || !rows->selection) return batch;
  return compact(std::static_pointer_cast<const RowBatch>(batch));
}

void NodeOutput::add_target(const std::string& tag, OutputTarget* target) {
  all_.push_back(target);
  if (tag.empty()) {
    main_.push_back(target);
    return;
  }
  const auto it = std::find_if(sides_.begin(), sides_.end(), [&](const auto& side) { return side.first == tag; });
  if (it == sides_.end()) {
    sides_.emplace_back(tag, std::vector<OutputTarget*>{target});
  } else {
    it->second.push_back(target);
  }
}

void NodeOutput::emit(BatchPtr batch) {
  const size_t num_records = batch->num_records();
  if (num_records == 0) return;
  metrics_.records_out.add(static_cast<int64_t>(num_records));
  for (OutputTarget* target : main_) target->batch(batch);
}

void NodeOutput::emit_side(std::string_view tag, BatchPtr batch) {
  for (const auto& [name, targets] : sides_) {
    if (name != tag) continue;
    if (batch->num_records() == 0) return;
    for (OutputTarget* target : targets) target->batch(batch);
    return;
  }
  throw internal_error(9011, "side output '{}' of '{}' is not connected", tag, node_name_);
}

void NodeOutput::emit_watermark(int64_t watermark) {
  if (watermark <= last_watermark_) return;
  last_watermark_ = watermark;
  metrics_.watermark.set(watermark);
  for (OutputTarget* target : all_) target->watermark(watermark);
}

bool NodeOutput::has_room() const {
  const bool room = targets_have_room();
  if (!room) cut_ = true;
  return room;
}

bool NodeOutput::targets_have_room() const {
  return std::all_of(all_.begin(), all_.end(), [](const OutputTarget* target) { return target->has_room(); });
}

}  // namespace yeoul
