#include "yeoul/connectors/kafka/kafka_source_reader.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "yeoul/common/log.h"

namespace yeoul {
namespace {

/// What the fetcher may hand over ahead of decoding; with the client's own queue it bounds the source's memory.
constexpr size_t kQueueBytesMax = 4 << 20;
/// Flink's name of the group of the reader's own metrics.
constexpr std::string_view kMetricGroup = "KafkaSourceReader";
/// A row batch is emitted once its records had so many bytes (docs/architecture.md, D1).
constexpr size_t kBatchBytesMax = 256 << 10;

/// Metrics of a partition (KD-070, KD-071).
MetricGroup& partition_group(SourceMetrics& metrics, const TopicPartition& partition) {
  return metrics.group.group(kMetricGroup)
      .group("topic", partition.topic)
      .group("partition", std::to_string(partition.partition));
}

}  // namespace

KafkaSourceReader::KafkaSourceReader(SourceReaderContext context, std::shared_ptr<const KafkaSourceConfig> config,
                                     std::shared_ptr<const KafkaDecoderFactory> decoders)
    : FetchingSourceReader(context, fmt::format("kafka-fetch-{}", context.subtask), kQueueBytesMax),
      config_(std::move(config)),
      decoders_(std::move(decoders)),
      decoder_(decoders_->create(context.metrics)),
      commits_automatically_(config_->auto_commit_ms > 0) {
  context.metrics->group.group(kMetricGroup).counter("commitsSucceeded");
  context.metrics->group.group(kMetricGroup).counter("commitsFailed");
  if (config_->auto_commit_ms > 0)
    auto_commit_at_ns_ = context.clock->steady_ns() + config_->auto_commit_ms * 1'000'000;
}

KafkaSourceReader::~KafkaSourceReader() {
  // As Java's consumer when it is closed. The fetcher, which ends after this, waits a little for the answer.
  if (commits_automatically_) commit_positions();
}

std::unique_ptr<SplitReader> KafkaSourceReader::create_split_reader() {
  // Called on the fetcher's thread, which ends before this reader does.
  MetricGroup& group = context().metrics->group.group(kMetricGroup);
  auto on_commit = [config = config_, &succeeded = group.counter("commitsSucceeded"),
                    &failed = group.counter("commitsFailed"), metrics = context().metrics,
                    warned = std::make_shared<std::atomic<bool>>(false)](const PartitionOffsets& offsets,
                                                                         const std::string& error) {
    // The answer may come to the fetcher's thread or, when it commits again, to the task's.
    (error.empty() ? succeeded : failed).add_shared(1);
    for (const auto& [partition, offset] : offsets) {
      if (!error.empty()) break;
      for (const char* name : {"committedOffset", "committedOffsets"}) {
        partition_group(*metrics, partition).gauge(name, -1).set(offset);
      }
    }
    if (error.empty() || warned->exchange(true)) return;
    log(LogLevel::kWarn, "kafka",
        "{}: offsets were not committed to group '{}': {}; the job goes on, since they only show progress to others "
        "(said once)",
        config->owner(), config->group_id, error);
  };
  const ClientProperties properties = config_->client_properties(ClientRole::kAdmin, "0");
  MetricGroup* consumer_metrics =
      properties.boolean("register.consumer.metrics", true) ? &group.group("KafkaConsumer") : nullptr;
  auto reader = std::make_unique<KafkaSplitReader>(config_, context().subtask, consumer_metrics, std::move(on_commit),
                                                   config_->auto_commit_ms,
                                                   config_->auto_commit_ms > 0 ? context().wake_up : nullptr);
  split_reader_ = reader.get();
  return reader;
}

std::unique_ptr<SplitState> KafkaSourceReader::create_state(const SourceSplit& split) {
  auto state = std::make_unique<KafkaSplitState>();
  state->split = KafkaPartitionSplit::from_bytes(split.bytes);
  MetricGroup& group = partition_group(*context().metrics, state->split.partition);
  state->current_offset = {&group.gauge("currentOffset", -1), &group.gauge("currentOffsets", -1)};
  for (const char* name : {"committedOffset", "committedOffsets"}) group.gauge(name, -1);
  return state;
}

SourceSplit KafkaSourceReader::to_split(const SplitState& state) const {
  return static_cast<const KafkaSplitState&>(state).split.to_source_split();
}

bool KafkaSourceReader::is_batch_full() const {
  return decoder_->num_bytes() >= kBatchBytesMax;
}

bool KafkaSourceReader::append_rows(SplitState& base_state, FetchedBatch& base_batch, size_t rows_max) {
  auto& state = static_cast<KafkaSplitState&>(base_state);
  auto& batch = static_cast<KafkaFetchedBatch&>(base_batch);
  const std::span<const FetchedRecord> records = batch.buffer.records();
  size_t count = 0;
  size_t bytes = decoder_->num_bytes();
  while (count < rows_max && batch.next + count < records.size() && (count == 0 || bytes < kBatchBytesMax)) {
    bytes += records[batch.next + count].value_size;
    ++count;
  }
  if (count != 0) decoder_->append(batch.buffer, batch.next, count);
  batch.next += count;
  if (count != 0) note_emitted(state, batch);
  const bool taken_whole = batch.next == records.size();
  // Behind the whole buffer also lie control records and gaps; inside it the next record's offset is as good.
  state.split.position = taken_whole ? batch.buffer.position_after : records[batch.next].offset;
  if (taken_whole) {
    state.split.leader_epoch = batch.buffer.epoch_after;
  } else if (batch.next > 0) {
    state.split.leader_epoch = records[batch.next - 1].leader_epoch;
  }
  if (batch.buffer.topic_id != Uuid()) state.split.topic_id = batch.buffer.topic_id;
  if (batch.buffer.end_offset >= 0) set_pending(state, batch.buffer.end_offset - state.split.position);
  return taken_whole;
}

/// Metrics of the record before `batch.next`.
void KafkaSourceReader::note_emitted(const KafkaSplitState& state, const KafkaFetchedBatch& batch) {
  const FetchedRecord& last = batch.buffer.records()[batch.next - 1];
  for (Gauge* gauge : state.current_offset) gauge->set(last.offset);
  context().metrics->event_time_ms.set(last.timestamp_ms);
  context().metrics->fetch_event_time_lag_ms.set(batch.fetched_at_ms - last.timestamp_ms);
}

void KafkaSourceReader::set_pending(KafkaSplitState& state, int64_t records) {
  records = std::max<int64_t>(records, 0);
  pending_records_ += records - state.pending_records;
  state.pending_records = records;
  context().metrics->pending_records.set(pending_records_);
}

void KafkaSourceReader::on_split_finished(const SplitState& base_state) {
  const auto& state = static_cast<const KafkaSplitState&>(base_state);
  pending_records_ -= state.pending_records;
  context().metrics->pending_records.set(pending_records_);
  finished_[state.split.partition] = state.split.position;
}

PartitionOffsets KafkaSourceReader::positions() const {
  PartitionOffsets offsets = finished_;
  for (const auto& [id, state] : states()) {
    const KafkaPartitionSplit& split = static_cast<const KafkaSplitState&>(*state).split;
    offsets[split.partition] = split.position;
  }
  return offsets;
}

std::vector<SourceSplit> KafkaSourceReader::snapshot(int64_t checkpoint_id) {
  if (config_->commit_on_checkpoint) checkpoints_[checkpoint_id] = positions();
  return FetchingSourceReader::snapshot(checkpoint_id);
}

void KafkaSourceReader::notify_checkpoint_complete(int64_t checkpoint_id) {
  const auto it = checkpoints_.find(checkpoint_id);
  if (it == checkpoints_.end()) return;
  if (std::exchange(commits_automatically_, false)) {
    log(LogLevel::kWarn, "kafka",
        "{}: 'enable.auto.commit' has no effect any more: there are checkpoints, and each commits the offsets it holds",
        config_->owner());
  }
  commit(it->second);
  for (const auto& [partition, offset] : it->second) finished_.erase(partition);
  checkpoints_.erase(checkpoints_.begin(), std::next(it));
}

void KafkaSourceReader::commit(const PartitionOffsets& offsets) {
  if (split_reader_ != nullptr) split_reader_->commit(offsets);
}

/// Without checkpoints the group's offsets follow what was emitted (KD-061), never what was only fetched.
void KafkaSourceReader::commit_automatically() {
  const int64_t now = context().clock->steady_ns();
  if (now < auto_commit_at_ns_) return;
  auto_commit_at_ns_ = now + config_->auto_commit_ms * 1'000'000;
  commit_positions();
}

void KafkaSourceReader::commit_positions() {
  PartitionOffsets offsets = positions();
  if (offsets == auto_committed_) return;
  commit(offsets);
  auto_committed_ = std::move(offsets);
}

PollResult KafkaSourceReader::poll(SourceOutput& output) {
  const PollResult result = FetchingSourceReader::poll(output);
  if (commits_automatically_) commit_automatically();
  return result;
}

}  // namespace yeoul
