#include "yeoul/connectors/kafka/kafka_sink_writer.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/connectors/kafka/record_encoder.h"
#include "yeoul/kafka/client/client_settings.h"
#include "yeoul/kafka/client/partitioner.h"

namespace yeoul {
namespace {

/// Keyless records stay with a partition for so many bytes at least: runs are what makes producing cheap.
constexpr int64_t kStickyBytesMin = 64 << 10;

ClientProperties producer_properties(const KafkaSinkConfig& config, int subtask) {
  ClientProperties properties(config.owner(), ClientRole::kProducer, config.properties);
  properties.set_client_id("yeoul-" + (config.table.empty() ? "KafkaSink" : config.table) + "-" +
                           std::to_string(subtask));
  return properties;
}

std::unique_ptr<ProducerMetrics> producer_metrics(const SinkWriterContext& context, const KafkaSinkConfig& config) {
  const ClientProperties properties = producer_properties(config, context.subtask);
  if (!properties.boolean("register.producer.metrics", true)) return nullptr;
  return std::make_unique<ProducerMetrics>(context.metrics->group.group("KafkaProducer"));
}

}  // namespace

void check_sink_properties(const KafkaSinkConfig& config) {
  const ClientProperties properties(config.owner(), ClientRole::kProducer, config.properties);
  check_client(properties);
  for (const std::string& note : properties.notes()) log(LogLevel::kWarn, "kafka", "{}: {}", config.owner(), note);
  const std::string acks = properties.get("acks").value_or("all");
  if (config.flush_at_checkpoint && (acks == "0" || acks == "1")) {
    log(LogLevel::kWarn, "kafka", "{}: with 'acks' = '{}' records may be lost that a checkpoint counts as written",
        config.owner(), acks);
  }
  if (config.upsert && properties.ignores_keys()) {
    log(LogLevel::kWarn, "kafka",
        "{}: its partitioner ignores keys, so that readers may see changes of a key out of order: remove "
        "'properties.partitioner.class' and 'properties.partitioner.ignore.keys'",
        config.owner());
  }
}

std::unique_ptr<SinkWriter> KafkaRowSink::create_writer(SinkWriterContext context) const {
  return std::make_unique<KafkaSinkWriter>(std::move(context), config_, std::make_unique<RecordEncoder>(config_));
}

KafkaSinkWriter::KafkaSinkWriter(SinkWriterContext context, std::shared_ptr<const KafkaSinkConfig> config,
                                 std::unique_ptr<KafkaEncoder> encoder)
    : context_(std::move(context)),
      config_(std::move(config)),
      encoder_(std::move(encoder)),
      metrics_(producer_metrics(context_, *config_)),
      producer_(producer_properties(*config_, context_.subtask), config_->topics, producer_events()),
      topics_(config_->owner(), config_->topics,
              {.add_topic = [this](std::string topic) { return producer_.add_topic(std::move(topic)); },
               .num_partitions = [this](size_t topic) { return producer_.num_partitions(topic); }}),
      sticky_bytes_max_(std::max(
          kStickyBytesMin, producer_properties(*config_, context_.subtask).integer("batch.size", kStickyBytesMin))),
      ignores_keys_(producer_properties(*config_, context_.subtask).ignores_keys()),
      sticky_(static_cast<uint32_t>(context_.subtask)) {
  if (config_->buffer_rows_max <= 0) return;
  buffer_ = std::make_unique<UpsertBuffer>();
  flusher_ = start_thread("kafka-upsert", [this](std::stop_token stop) { flush_by_time(std::move(stop)); });
}

KafkaSinkWriter::~KafkaSinkWriter() {
  flusher_.request_stop();
  if (flusher_.joinable()) flusher_.join();
}

/// All of it is called on the producer's thread.
ProducerEvents KafkaSinkWriter::producer_events() {
  return {.wake_up = context_.wake_up,
          .fail =
              [this](std::exception_ptr error) {
                context_.metrics->errors.add(1);
                context_.fail(std::move(error));
              },
          .report =
              [this](const ProduceStats& stats) {
                if (stats.last_send_ns >= 0) context_.metrics->send_time_ms.set(stats.last_send_ns / 1'000'000);
                if (metrics_ != nullptr) metrics_->update(stats, context_.clock->steady_ns());
              }};
}

void KafkaSinkWriter::write(const BatchPtr& batch) {
  pending_ = batch;
  encoded_ = false;
  resume();
}

void KafkaSinkWriter::resume() {
  encoded_ = encoded_ || encoder_->encode(pending_, topics_);
  if (!encoded_ || !topics_.all_known()) return;
  pending_.reset();
  if (!buffer_) {
    send(encoder_->records(), encoder_->topics(), encoder_->partitions());
    return;
  }
  const std::scoped_lock lock(buffer_mutex_);
  buffer_->add(encoder_->records(), encoder_->topics());
  if (static_cast<int64_t>(buffer_->num_rows()) >= config_->buffer_rows_max) flush_buffer();
}

/// With the mutex held.
void KafkaSinkWriter::flush_buffer() {
  if (buffer_->num_rows() == 0) return;
  send(buffer_->records(), buffer_->topics());
  buffer_->clear();
}

void KafkaSinkWriter::flush_by_time(std::stop_token stop) {
  while (!stop.stop_requested()) {
    flusher_wake_.wait(stop, config_->buffer_interval_ms);
    if (stop.stop_requested() || !producer_.has_room()) continue;
    const std::scoped_lock lock(buffer_mutex_);
    try {
      flush_buffer();
    } catch (...) {
      context_.fail(std::current_exception());
      return;
    }
  }
}

/// The number of a record's partition among those of all topics. @param chosen  by the job, or kWriterChooses
uint32_t KafkaSinkWriter::bucket_of(const ProducedRecord& record, uint32_t topic, int32_t chosen) {
  const uint32_t first = first_bucket_[topic];
  const uint32_t count = first_bucket_[topic + 1] - first;
  if (chosen != KafkaEncoder::kWriterChooses) {
    if (chosen >= 0 && static_cast<uint32_t>(chosen) < count) return first + static_cast<uint32_t>(chosen);
    throw user_error(3202, "{}: a record is to go to partition {} of topic '{}', which has partitions 0 to {}",
                     config_->owner(), chosen, topics_.name(topic), count - 1);
  }
  if (config_->partitioner == SinkPartitioner::kFixed) return first + static_cast<uint32_t>(context_.subtask) % count;
  if (record.key.data() != nullptr && !ignores_keys_) {
    return first + static_cast<uint32_t>(partition_for_key(record.key, static_cast<int32_t>(count)));
  }
  sticky_bytes_ += static_cast<int64_t>(record.value.size());
  if (sticky_bytes_ >= sticky_bytes_max_) {
    sticky_bytes_ = 0;
    ++sticky_;
  }
  return first + static_cast<uint32_t>(producer_.led_partition(topic, static_cast<int32_t>(sticky_ % count)));
}

void KafkaSinkWriter::send(std::span<const ProducedRecord> records, std::span<const uint32_t> topics,
                           std::span<const int32_t> partitions) {
  first_bucket_.assign(1, 0);
  for (uint32_t topic = 0; topic < topics_.size(); ++topic) {
    first_bucket_.push_back(first_bucket_.back() + static_cast<uint32_t>(topics_.num_partitions(topic)));
  }
  buckets_.resize(records.size());
  bucket_ends_.assign(first_bucket_.back() + 1, 0);
  int64_t bytes = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    buckets_[i] = bucket_of(records[i], topics.empty() ? 0 : topics[i],
                            partitions.empty() ? KafkaEncoder::kWriterChooses : partitions[i]);
    ++bucket_ends_[buckets_[i] + 1];
    bytes += static_cast<int64_t>(records[i].key.size() + records[i].value.size());
  }
  for (size_t i = 1; i < bucket_ends_.size(); ++i) bucket_ends_[i] += bucket_ends_[i - 1];
  send_runs(records);
  context_.metrics->records_out.add(static_cast<int64_t>(records.size()));
  context_.metrics->bytes_out.add(bytes);
}

/// A stable counting sort by bucket. Before it bucket_ends_[b] is where bucket b starts, after it where it ends.
void KafkaSinkWriter::send_runs(std::span<const ProducedRecord> records) {
  sorted_.resize(records.size());
  for (size_t i = 0; i < records.size(); ++i) sorted_[bucket_ends_[buckets_[i]]++] = records[i];
  size_t topic = 0;
  uint32_t start = 0;
  for (uint32_t bucket = 0; bucket + 1 < bucket_ends_.size(); ++bucket) {
    while (bucket >= first_bucket_[topic + 1]) ++topic;
    const uint32_t end = bucket_ends_[bucket];
    if (end != start) {
      producer_.send(topic, static_cast<int32_t>(bucket - first_bucket_[topic]),
                     std::span(sorted_).subspan(start, end - start));
    }
    start = end;
  }
}

void KafkaSinkWriter::begin_prepare(int64_t checkpoint_id, bool end_of_input, Prepared done) {
  (void)checkpoint_id;
  if (buffer_) {
    const std::scoped_lock lock(buffer_mutex_);
    flush_buffer();
  }
  if (!config_->flush_at_checkpoint && !end_of_input) {
    done({});
    return;
  }
  producer_.flush([done = std::move(done)] { done({}); });
}

}  // namespace yeoul
