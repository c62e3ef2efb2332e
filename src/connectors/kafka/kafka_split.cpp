#include "yeoul/connectors/kafka/kafka_split.h"

#include "yeoul/common/bytes.h"

namespace yeoul {
namespace {

/// Version 1 knew neither topic ids nor leader epochs.
constexpr uint8_t kSplitVersion = 2;

/// String.hashCode of Java; topic names are ASCII, so bytes are UTF-16 units.
int32_t java_string_hash(std::string_view text) {
  uint32_t hash = 0;
  for (const char c : text) hash = hash * 31 + static_cast<uint8_t>(c);
  return static_cast<int32_t>(hash);
}

}  // namespace

SourceSplit KafkaPartitionSplit::to_source_split() const {
  ByteWriter writer;
  writer.u8(kSplitVersion);
  writer.string(partition.topic);
  writer.varint(static_cast<uint64_t>(partition.partition));
  writer.svarint(position);
  writer.u8(has_stop() ? 1 : 0);
  if (has_stop()) writer.svarint(stopping_offset);
  writer.varint(topic_id.high);
  writer.varint(topic_id.low);
  writer.svarint(leader_epoch);
  return {to_string(partition), writer.take()};
}

KafkaPartitionSplit KafkaPartitionSplit::from_bytes(std::string_view bytes) {
  ByteReader reader(bytes);
  const uint8_t version = reader.u8();
  if (version < 1 || version > kSplitVersion) {
    throw internal_error(6001, "a Kafka split has version {}; this program knows 1 to {}", version, kSplitVersion);
  }
  KafkaPartitionSplit split;
  split.partition.topic = reader.string();
  split.partition.partition = static_cast<int32_t>(reader.varint());
  split.position = reader.svarint();
  if (reader.u8() != 0) split.stopping_offset = reader.svarint();
  if (version == 1) return split;
  split.topic_id.high = reader.varint();
  split.topic_id.low = reader.varint();
  split.leader_epoch = static_cast<int32_t>(reader.svarint());
  return split;
}

int split_owner(const TopicPartition& partition, int parallelism) {
  const auto scaled = static_cast<uint32_t>(java_string_hash(partition.topic)) * 31u;
  const auto start = static_cast<int64_t>(scaled & 0x7fffffffu) % parallelism;
  return static_cast<int>((start + partition.partition) % parallelism);
}

}  // namespace yeoul
