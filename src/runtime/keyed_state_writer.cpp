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

std::string read_keyed_state(FileSystem& files, const std::string& path) {
  std::string bytes = files.read_file(path);
  ByteReader in(bytes);
  if (bytes.size() < kKeyedMagic.size() + sizeof(kKeyedVersion) || in.raw(kKeyedMagic.size()) != kKeyedMagic) {
    throw external_error(
        6002, "'{}' is damaged: it does not begin as a file of keyed state does; restore from an older checkpoint",
        path);
  }
  if (const auto version = in.fixed<uint32_t>(); version != kKeyedVersion) {
    throw user_error(6004, "'{}' has format version {}; this program reads version {}", path, version, kKeyedVersion);
  }
  return bytes;
}

int64_t write_keyed_state(CheckpointStorage& storage, int64_t checkpoint_id, int subtask, NodeCapture& capture) {
  if (!capture.keyed) return 0;
  KeyedStateFile keyed{.file = fmt::format("keyed-{}-{}", capture.ack.node, subtask),
                       .descriptors = capture.keyed->descriptors()};
  ByteWriter head;
  head.raw(kKeyedMagic);
  head.fixed(kKeyedVersion);
  std::string part = head.take();
  size_t size = 0;
  int group = capture.range.first;
  const auto next_part = [&]() -> std::string_view {
    if (size > 0) {
      for (part.clear(); part.empty() && group <= capture.range.last; ++group) {
        part = capture.keyed->write_group(group);
        if (part.empty()) continue;
        keyed.groups.push_back({.group = group, .offset = size, .size = part.size(), .checksum = crc32_of(part)});
      }
    }
    size += part.size();
    return part;
  };
  storage.write_state(checkpoint_id, keyed.file, next_part);
  capture.keyed.reset();  // frees the frozen tables
  capture.ack.state.keyed = std::move(keyed);
  return static_cast<int64_t>(size);
}

}  // namespace yeoul
