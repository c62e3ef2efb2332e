#include "yeoul/runtime/keyed_state_writer.h"

#include <string>
#include <utility>
#include <vector>

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
  ByteWriter head;
  head.raw(kKeyedMagic);
  head.fixed(kKeyedVersion);
  std::vector<std::string> parts{head.take()};
  size_t size = parts.front().size();
  for (int group = capture.range.first; group <= capture.range.last; ++group) {
    std::string bytes = capture.keyed->write_group(group);
    if (bytes.empty()) continue;
    keyed.groups.push_back({.group = group, .offset = size, .size = bytes.size(), .checksum = crc32_of(bytes)});
    size += bytes.size();
    parts.push_back(std::move(bytes));
  }
  capture.keyed.reset();  // frees the frozen tables
  storage.write_state(checkpoint_id, keyed.file, parts);
  capture.ack.state.keyed = std::move(keyed);
  return static_cast<int64_t>(size);
}

}  // namespace yeoul
