#include "yeoul/runtime/keyed_state_writer.h"

#include "yeoul/common/bytes.h"
#include "yeoul/common/hash.h"

namespace yeoul {
namespace {

constexpr std::string_view kKeyedMagic = "YEOULKEY";
constexpr uint32_t kKeyedVersion = 1;

}  // namespace

int64_t write_keyed_state(CheckpointStorage& storage, int64_t checkpoint_id, int subtask, NodeCapture& capture) {
  if (!capture.keyed) return 0;
  KeyedStateFile keyed{.file = fmt::format("keyed-{}-{}", capture.ack.node, subtask),
                       .descriptors = capture.keyed->descriptors()};
  ByteWriter out;
  out.raw(kKeyedMagic);
  out.fixed(kKeyedVersion);
  for (int group = capture.range.first; group <= capture.range.last; ++group) {
    const std::string bytes = capture.keyed->write_group(group);
    if (bytes.empty()) continue;
    keyed.groups.push_back({.group = group, .offset = out.size(), .size = bytes.size(), .checksum = crc32_of(bytes)});
    out.raw(bytes);
  }
  capture.keyed.reset();  // frees the frozen tables
  const auto size = static_cast<int64_t>(out.size());
  storage.write_state(checkpoint_id, keyed.file, out.bytes());
  capture.ack.state.keyed = std::move(keyed);
  return size;
}

}  // namespace yeoul
