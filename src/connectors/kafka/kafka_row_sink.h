#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/connectors/api/sink.h"
#include "yeoul/formats/api/format.h"
#include "yeoul/kafka/client/client_properties.h"

namespace yeoul {

enum class SinkPartitioner {
  kDefault,  ///< by the key's hash as the Java producer; without key one partition for a while, then the next
  kFixed,    ///< each subtask writes to one partition
};

/// How rows become Kafka records and where they go. Checked.
struct KafkaSinkConfig {
  std::string table;                ///< for messages
  std::string connector;            ///< for messages
  OptionMap properties;             ///< Java names
  std::vector<std::string> topics;  ///< more than one: the `topic` metadata column picks
  SinkPartitioner partitioner = SinkPartitioner::kDefault;
  bool flush_at_checkpoint = true;     ///< false: 'none', nothing is waited for
  bool relies_on_checkpoints = false;  ///< the user asked for 'at-least-once'
  std::shared_ptr<const EncodingFormat> value_format;
  std::shared_ptr<const EncodingFormat> key_format;  ///< null: records have no key
  Schema value_schema;                               ///< names as the format writes them
  Schema key_schema;
  std::vector<int> value_columns;  ///< their positions in a batch
  std::vector<int> key_columns;
  std::optional<int> topic_column;  ///< positions of writable metadata in a batch
  std::optional<int> timestamp_column;
  std::optional<int> headers_column;
  bool upsert = false;          ///< -D becomes a tombstone, -U nothing
  int64_t buffer_rows_max = 0;  ///< sink.buffer-flush.*: last change per key only; 0: off
  int64_t buffer_interval_ms = 0;

  /// Empty: the API's sink, which is no table's.
  std::string owner() const {
    return table.empty() ? "KafkaSink" : "table '" + table + "' (connector '" + connector + "')";
  }
};

/// Checks the producer's properties of a sink as far as it goes without a broker, and warns of those that have no
/// effect, or take something from what the sink promises. @throws user error 2010, 2011, 2013 or 2017
void check_sink_properties(const KafkaSinkConfig& config);

/// Writes rows to Kafka topics, at least once.
class KafkaRowSink : public Sink {
 public:
  explicit KafkaRowSink(std::shared_ptr<const KafkaSinkConfig> config) : config_(std::move(config)) {}
  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const override;
  bool relies_on_checkpoints() const override { return config_->relies_on_checkpoints; }

 private:
  std::shared_ptr<const KafkaSinkConfig> config_;
};

}  // namespace yeoul
