#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>

#include "yeoul/connectors/base/fetching_source_reader.h"
#include "yeoul/connectors/kafka/kafka_decoder.h"
#include "yeoul/connectors/kafka/kafka_source_config.h"
#include "yeoul/connectors/kafka/kafka_split.h"
#include "yeoul/connectors/kafka/kafka_split_reader.h"

namespace yeoul {

/// A Kafka split as the reader keeps it: `split.position` is the offset after the last row emitted.
class KafkaSplitState : public SplitState {
 public:
  KafkaPartitionSplit split;
  int64_t pending_records = 0;
  /// Offset of the last record emitted, under Flink's name and its documentation's; -1: none yet.
  std::array<Gauge*, 2> current_offset{};
};

/// Reads partitions of Kafka topics: decodes fetched buffers on the task's thread, commits offsets of completed
/// checkpoints to the group (KD-060, ruling 22). Threads: its task's, beside the fetcher's.
class KafkaSourceReader : public FetchingSourceReader {
 public:
  KafkaSourceReader(SourceReaderContext context, std::shared_ptr<const KafkaSourceConfig> config,
                    std::shared_ptr<const KafkaDecoderFactory> decoders);
  /// Where offsets are committed automatically, the last ones are.
  ~KafkaSourceReader() override;

  PollResult poll(SourceOutput& output) override;
  std::vector<SourceSplit> snapshot(int64_t checkpoint_id) override;
  void notify_checkpoint_complete(int64_t checkpoint_id) override;

 protected:
  std::unique_ptr<SplitReader> create_split_reader() override;
  std::unique_ptr<SplitState> create_state(const SourceSplit& split) override;
  SourceSplit to_split(const SplitState& state) const override;
  bool append_rows(SplitState& state, FetchedBatch& batch, size_t rows_max) override;
  size_t num_rows() const override { return decoder_->num_rows(); }
  bool is_batch_full() const override;
  BatchPtr take_rows() override { return decoder_->take(); }
  void on_split_finished(const SplitState& state) override;

 private:
  PartitionOffsets positions() const;
  void set_pending(KafkaSplitState& state, int64_t records);
  void note_emitted(const KafkaSplitState& state, const KafkaFetchedBatch& batch);
  void commit_automatically();
  void commit_positions();
  void commit(const PartitionOffsets& offsets);

  std::shared_ptr<const KafkaSourceConfig> config_;
  std::shared_ptr<const KafkaDecoderFactory> decoders_;
  std::unique_ptr<KafkaDecoder> decoder_;
  KafkaSplitReader* split_reader_ = nullptr;  ///< owned by the fetcher
  int64_t pending_records_ = 0;
  /// Positions of checkpoints that are not complete yet.
  std::map<int64_t, PartitionOffsets> checkpoints_;
  /// Where finished splits ended; committed once more with the next checkpoint.
  PartitionOffsets finished_;
  bool commits_automatically_;  ///< until a checkpoint completes: then those say what is committed
  PartitionOffsets auto_committed_;
  int64_t auto_commit_at_ns_ = 0;
};

}  // namespace yeoul
