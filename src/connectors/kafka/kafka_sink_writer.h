#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "yeoul/common/threads.h"
#include "yeoul/connectors/api/sink.h"
#include "yeoul/connectors/kafka/kafka_encoder.h"
#include "yeoul/connectors/kafka/kafka_row_sink.h"
#include "yeoul/connectors/kafka/producer_metrics.h"
#include "yeoul/connectors/kafka/upsert_buffer.h"
#include "yeoul/kafka/client/producer.h"

namespace yeoul {

/// Writes batches: encodes a whole batch, sorts its records into runs of one partition (stably, so the order of a key
/// is kept), hands the runs to the producer. A batch that names a new topic waits until that is looked up. At a barrier
/// it waits for all acknowledgements. Threads: its task's,
/// beside the producer's and, with sink.buffer-flush.*, one that flushes by time.
class KafkaSinkWriter : public SinkWriter {
 public:
  KafkaSinkWriter(SinkWriterContext context, std::shared_ptr<const KafkaSinkConfig> config,
                  std::unique_ptr<KafkaEncoder> encoder);
  ~KafkaSinkWriter() override;

  void write(const BatchPtr& batch) override;
  bool has_room() const override { return producer_.has_room(); }
  bool has_pending() const override { return pending_ != nullptr; }
  void resume() override;
  void begin_prepare(int64_t checkpoint_id, bool end_of_input, Prepared done) override;

 private:
  void send(std::span<const ProducedRecord> records, std::span<const uint32_t> topics,
            std::span<const int32_t> partitions = {});
  uint32_t bucket_of(const ProducedRecord& record, uint32_t topic, int32_t chosen);
  ProducerEvents producer_events();
  void send_runs(std::span<const ProducedRecord> records);
  void flush_buffer();
  void flush_by_time(std::stop_token stop);

  SinkWriterContext context_;
  std::shared_ptr<const KafkaSinkConfig> config_;
  std::unique_ptr<KafkaEncoder> encoder_;
  std::unique_ptr<ProducerMetrics> metrics_;  ///< the producer's thread's
  Producer producer_;
  SinkTopics topics_;
  /// The batch that is being written: until it is encoded and the partitions of all its topics are known.
  BatchPtr pending_;
  bool encoded_ = false;
  const int64_t sticky_bytes_max_;
  const bool ignores_keys_;
  int64_t sticky_bytes_ = 0;
  uint32_t sticky_ = 0;
  /// First bucket of each topic, and the end; a bucket is one partition of one topic.
  std::vector<uint32_t> first_bucket_;
  std::vector<uint32_t> buckets_;
  std::vector<uint32_t> bucket_ends_;
  std::vector<ProducedRecord> sorted_;
  std::mutex buffer_mutex_;  ///< of buffer_ and of sending, where a second thread flushes
  std::unique_ptr<UpsertBuffer> buffer_;
  WakeUp flusher_wake_;
  std::jthread flusher_;
};

}  // namespace yeoul
