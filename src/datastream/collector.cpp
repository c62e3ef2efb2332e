#include "yeoul/datastream/collector.h"

#include "yeoul/common/error.h"

namespace yeoul {

SideOutputs::Buffer& SideOutputs::buffer_of(const std::string& tag, std::type_index type) {
  for (Buffer& buffer : buffers_) {
    if (buffer.tag == tag) return buffer;
  }
  const auto it = connected_->find(tag);
  if (it != connected_->end() && it->second != type) {
    throw user_error(7110,
                     "side output '{}' is written with records of one type and read with those of another: use the "
                     "same OutputTag for both",
                     tag);
  }
  buffers_.push_back({.tag = tag, .connected = it != connected_->end()});
  return buffers_.back();
}

void SideOutputs::flush(OperatorOutput& output) {
  for (Buffer& buffer : buffers_) {
    if (buffer.batch) output.emit_side(buffer.tag, std::exchange(buffer.batch, nullptr));
  }
}

}  // namespace yeoul
