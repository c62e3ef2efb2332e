#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "yeoul/kafka/client/client_properties.h"
#include "yeoul/kafka/native/topic_partition.h"

namespace yeoul {

enum class StartupMode { kEarliest, kLatest, kGroupOffsets, kTimestamp, kSpecificOffsets };
enum class BoundedMode { kUnbounded, kLatest, kGroupOffsets, kTimestamp, kSpecificOffsets };
/// What the user said about offsets that do not exist ('properties.auto.offset.reset').
enum class OffsetReset { kNone, kEarliest, kLatest };

class Admin;

/// Offsets of the user's own: for each of the partitions one, found with what the cluster says. Runs on the I/O pool.
using KafkaOffsetsFunction = std::function<PartitionOffsets(std::span<const TopicPartition>, Admin&)>;

/// What a Kafka source reads, from where to where. Checked.
struct KafkaSourceConfig {
  std::string table;                ///< for messages
  std::string connector = "kafka";  ///< for messages
  OptionMap properties;             ///< Java names
  std::vector<std::string> topics;  ///< or
  std::optional<std::string> topic_pattern;
  std::set<TopicPartition> partitions;  ///< beside their topics: these alone
  StartupMode startup = StartupMode::kGroupOffsets;
  int64_t startup_timestamp_ms = 0;
  std::map<int32_t, int64_t> startup_offsets;
  KafkaOffsetsFunction startup_function;  ///< instead of `startup`
  BoundedMode bounded = BoundedMode::kUnbounded;
  int64_t bounded_timestamp_ms = 0;
  std::map<int32_t, int64_t> bounded_offsets;
  KafkaOffsetsFunction bounded_function;    ///< with kSpecificOffsets, instead of bounded_offsets
  bool unbounded_with_stop = false;         ///< ends there, but is an unbounded source to the job (KD-038)
  int64_t discovery_interval_ms = 300'000;  ///< 0: off
  OffsetReset reset = OffsetReset::kNone;
  std::string group_id;
  std::string client_id_prefix;
  bool commit_on_checkpoint = true;
  int64_t auto_commit_ms = 0;  ///< 0: off; else offsets of emitted rows are committed this often (no checkpoints)
  bool skip_bad_records = false;
  std::function<std::string()> rack_id_supplier;  ///< runs where the consumer is made: its client.rack

  bool is_bounded() const { return bounded != BoundedMode::kUnbounded; }
  /// Empty: the API's source, which is no table's.
  std::string owner() const {
    return table.empty() ? "KafkaSource" : "table '" + table + "' (connector '" + connector + "')";
  }
  /// What decides where reading goes on when an offset does not exist, as the user wrote it.
  std::string reset_name() const {
    return table.empty() ? "the KafkaOffsetResetStrategy of set_starting_offsets()" : "'properties.auto.offset.reset'";
  }
  /// The same as something to be set.
  std::string reset_choice() const {
    return table.empty() ? "a KafkaOffsetResetStrategy of kEarliest or kLatest in set_starting_offsets()"
                         : "'properties.auto.offset.reset' to 'earliest' or 'latest'";
  }
  /// The client's properties, client and group id set.
  ClientProperties client_properties(ClientRole role, const std::string& client_id_suffix) const {
    OptionMap java = properties;
    if (role == ClientRole::kConsumer && rack_id_supplier) java["client.rack"] = rack_id_supplier();
    ClientProperties result(owner(), role, java);
    result.set_client_id(client_id_prefix + "-" + client_id_suffix);
    result.set_group_id(group_id);
    return result;
  }
};

}  // namespace yeoul
