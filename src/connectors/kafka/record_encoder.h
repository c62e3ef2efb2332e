#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/connectors/kafka/kafka_encoder.h"
#include "yeoul/connectors/kafka/kafka_row_sink.h"
#include "yeoul/kafka/client/producer.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// Turns a batch into records, one a row but for a -U that the next row overwrites. Holds what records() points to
/// until the next encode(). Threads: one.
class RecordEncoder final : public KafkaEncoder {
 public:
  explicit RecordEncoder(std::shared_ptr<const KafkaSinkConfig> config);

  /// Encodes a compacted batch. @throws user error 3200 for a value that a format cannot write, 3202 for a `topic`
  /// column that names no topic of the table.
  bool encode(const BatchPtr& batch, SinkTopics& topics) override;
  const std::vector<ProducedRecord>& records() const override { return records_; }
  /// For each record the index of its topic; empty: all go to topic 0.
  const std::vector<uint32_t>& topics() const override { return topics_; }
  const std::vector<int32_t>& partitions() const override { return partitions_; }

 private:
  RowBatchPtr without_overwritten(const RowBatchPtr& batch);
  void encode_values(const RowBatchPtr& batch);
  void add_metadata(const RowBatch& batch);
  [[noreturn]] void refuse_timestamp(const Column& column, size_t row, int64_t millis) const;
  void add_headers(const RowBatch& batch);
  void pick_topics(const RowBatch& batch);

  std::shared_ptr<const KafkaSinkConfig> config_;
  std::unique_ptr<Encoder> key_encoder_;
  std::unique_ptr<Encoder> value_encoder_;
  EncodedRows keys_;
  EncodedRows values_;
  RowBatchPtr kept_;  ///< the batch that records point to for headers
  std::vector<std::pair<std::string_view, std::string_view>> headers_;
  std::vector<ProducedRecord> records_;
  std::vector<uint32_t> topics_;
  std::vector<int32_t> partitions_;  ///< stays empty: the writer chooses
};

}  // namespace yeoul
