#include "yeoul/runtime/checkpoint_metadata.h"

#include "yeoul/common/bytes.h"
#include "yeoul/common/hash.h"

namespace yeoul {
namespace {

constexpr std::string_view kMagic = "YEOULCKP";
constexpr uint32_t kVersion = 3;  // 2: fingerprint; 3: broadcast lists

void write_strings(ByteWriter& out, const std::vector<std::string>& strings) {
  out.varint(strings.size());
  for (const std::string& string : strings) out.string(string);
}

std::vector<std::string> read_strings(ByteReader& in) {
  std::vector<std::string> strings;
  for (uint64_t i = in.varint(); i > 0; --i) strings.emplace_back(in.string());
  return strings;
}

void write_optional(ByteWriter& out, const std::optional<std::string>& string) {
  out.u8(string ? 1 : 0);
  if (string) out.string(*string);
}

std::optional<std::string> read_optional(ByteReader& in) {
  if (in.u8() == 0) return std::nullopt;
  return std::string(in.string());
}

using Lists = std::map<std::string, std::vector<std::string>>;

void write_lists(ByteWriter& out, const Lists& lists) {
  out.varint(lists.size());
  for (const auto& [name, elements] : lists) {
    out.string(name);
    write_strings(out, elements);
  }
}

Lists read_lists(ByteReader& in) {
  Lists lists;
  for (uint64_t i = in.varint(); i > 0; --i) {
    std::string name(in.string());
    lists[std::move(name)] = read_strings(in);
  }
  return lists;
}

void write_keyed(ByteWriter& out, const KeyedStateFile& keyed) {
  out.string(keyed.file);
  out.varint(keyed.descriptors.size());
  for (const StateDescriptor& descriptor : keyed.descriptors) {
    out.string(descriptor.name);
    out.u8(static_cast<uint8_t>(descriptor.kind));
    out.string(descriptor.value_type);
    out.string(descriptor.map_key_type);
    out.varint(descriptor.codec_version);
  }
  out.varint(keyed.groups.size());
  for (const KeyedStateFile::Group& group : keyed.groups) {
    out.varint(static_cast<uint64_t>(group.group));
    out.varint(group.offset);
    out.varint(group.size);
    out.fixed(group.checksum);
  }
}

KeyedStateFile read_keyed(ByteReader& in) {
  KeyedStateFile keyed;
  keyed.file = in.string();
  for (uint64_t i = in.varint(); i > 0; --i) {
    StateDescriptor descriptor;
    descriptor.name = in.string();
    descriptor.kind = static_cast<StateKind>(in.u8());
    descriptor.value_type = in.string();
    descriptor.map_key_type = in.string();
    descriptor.codec_version = static_cast<uint32_t>(in.varint());
    keyed.descriptors.push_back(std::move(descriptor));
  }
  for (uint64_t i = in.varint(); i > 0; --i) {
    KeyedStateFile::Group group;
    group.group = static_cast<int>(in.varint());
    group.offset = in.varint();
    group.size = in.varint();
    group.checksum = in.fixed<uint32_t>();
    keyed.groups.push_back(group);
  }
  return keyed;
}

void write_subtask(ByteWriter& out, const SubtaskState& state) {
  out.u8(state.finished ? 1 : 0);
  write_lists(out, state.operator_state.split_lists);
  write_lists(out, state.operator_state.union_lists);
  write_lists(out, state.operator_state.broadcast_lists);
  out.varint(state.splits.size());
  for (const SourceSplit& split : state.splits) {
    out.string(split.id);
    out.string(split.bytes);
  }
  write_optional(out, state.writer_state);
  out.u8(state.keyed ? 1 : 0);
  if (state.keyed) write_keyed(out, *state.keyed);
}

SubtaskState read_subtask(ByteReader& in, uint32_t version) {
  SubtaskState state;
  state.finished = in.u8() != 0;
  state.operator_state.split_lists = read_lists(in);
  state.operator_state.union_lists = read_lists(in);
  if (version >= 3) state.operator_state.broadcast_lists = read_lists(in);
  for (uint64_t i = in.varint(); i > 0; --i) {
    SourceSplit split;
    split.id = in.string();
    split.bytes = in.string();
    state.splits.push_back(std::move(split));
  }
  state.writer_state = read_optional(in);
  if (in.u8() != 0) state.keyed = read_keyed(in);
  return state;
}

Checkpoint read_payload(std::string_view payload, uint32_t version) {
  ByteReader in(payload);
  Checkpoint checkpoint;
  checkpoint.id = in.svarint();
  checkpoint.job_id = in.string();
  checkpoint.job_name = in.string();
  if (version >= 2) checkpoint.fingerprint = in.string();
  checkpoint.max_parallelism = static_cast<int>(in.varint());
  checkpoint.completed_at_ms = in.svarint();
  for (uint64_t i = in.varint(); i > 0; --i) {
    NodeCheckpoint node;
    node.uid = in.string();
    node.name = in.string();
    node.enumerator = read_optional(in);
    for (uint64_t s = in.varint(); s > 0; --s) node.subtasks.push_back(read_subtask(in, version));
    node.committables = read_strings(in);
    checkpoint.nodes.push_back(std::move(node));
  }
  return checkpoint;
}

Error damaged(const std::string& path, std::string_view why) {
  return external_error(6002, "checkpoint '{}' is damaged: {}; restore from an older checkpoint", path, why);
}

}  // namespace

std::string encode_checkpoint(const Checkpoint& checkpoint) {
  ByteWriter payload;
  payload.svarint(checkpoint.id);
  payload.string(checkpoint.job_id);
  payload.string(checkpoint.job_name);
  payload.string(checkpoint.fingerprint);
  payload.varint(static_cast<uint64_t>(checkpoint.max_parallelism));
  payload.svarint(checkpoint.completed_at_ms);
  payload.varint(checkpoint.nodes.size());
  for (const NodeCheckpoint& node : checkpoint.nodes) {
    payload.string(node.uid);
    payload.string(node.name);
    write_optional(payload, node.enumerator);
    payload.varint(node.subtasks.size());
    for (const SubtaskState& subtask : node.subtasks) write_subtask(payload, subtask);
    write_strings(payload, node.committables);
  }
  ByteWriter out;
  out.raw(kMagic);
  out.fixed(kVersion);
  out.fixed(static_cast<uint64_t>(payload.size()));
  out.raw(payload.bytes());
  out.fixed(crc32_of(payload.bytes()));
  return out.take();
}

Checkpoint decode_checkpoint(std::string_view bytes, const std::string& path) {
  try {
    ByteReader in(bytes);
    if (in.raw(kMagic.size()) != kMagic) throw damaged(path, "it does not begin as a checkpoint does");
    const auto version = in.fixed<uint32_t>();
    if (version > kVersion) {
      throw user_error(6004, "checkpoint '{}' has format version {}; this program reads up to {}: use a newer Yeoul",
                       path, version, kVersion);
    }
    const std::string_view payload = in.raw(in.fixed<uint64_t>());
    if (in.fixed<uint32_t>() != crc32_of(payload)) throw damaged(path, "its checksum does not match");
    Checkpoint checkpoint = read_payload(payload, version);
    checkpoint.path = path;
    return checkpoint;
  } catch (const Error& error) {
    if (error.code() != 6001) throw;
    throw damaged(path, error.message());
  }
}

}  // namespace yeoul
