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
