#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/datastream/watermark_strategy.h"
#include "yeoul/runtime/stream_graph.h"

namespace yeoul {

/// The batch to write into: itself where nobody else has it, else a copy.
template <class T>
std::shared_ptr<Batch<T>> writable_batch(BatchPtr batch) {
  if (batch.use_count() == 1) return std::const_pointer_cast<Batch<T>>(std::static_pointer_cast<const Batch<T>>(batch));
  return std::make_shared<Batch<T>>(batch_cast<T>(*batch));
}

/// Sets the event time of all records.
template <class Assigner, class T>
void assign_timestamps(const Assigner& assigner, Batch<T>& batch) {
  const bool had_none = batch.timestamps.empty();
  batch.timestamps.resize(batch.values.size(), kNoTimestamp);
  for (size_t i = 0; i < batch.values.size(); ++i) {
    batch.timestamps[i] = assign_timestamp(assigner, batch.values[i], had_none ? kNoTimestamp : batch.timestamps[i]);
  }
}

/// Asks the generator of a split, which `Generator` is.
template <class T, class Generator>
class GeneratorOfSplit final : public SplitWatermarkGenerator {
 public:
  explicit GeneratorOfSplit(Generator generator) : generator_(std::move(generator)) {}

  void on_rows(const BatchBase& batch, const SourceRun& run, std::vector<int64_t>& candidates) override {
    const auto& from = batch_cast<T>(batch);
    for (size_t i = run.first_row; i < run.first_row + run.num_rows; ++i) {
      generator_.on_event(from.values[i], timestamp_of(from, i), output_);
      candidates[i] = output_.take();
    }
  }
  int64_t on_periodic_emit() override {
    generator_.on_periodic_emit(output_);
    return output_.take();
  }

 private:
  Generator generator_;
  WatermarkOutput output_;
};

/// Tells the runtime what each record's timestamp, or the generator of its split, justifies.
template <class T, class Strategy>
class StrategyWatermarks final : public SourceWatermarkStrategy {
 public:
  explicit StrategyWatermarks(const Strategy& strategy) : strategy_(strategy) {
    idle_timeout_ms = strategy.idle_timeout_ms;
    alignment_group = strategy.alignment_group;
    alignment_max_drift_ms = strategy.alignment_max_drift_ms;
    alignment_update_interval_ms = strategy.alignment_update_interval_ms;
    on_event = !Strategy::kByTimestamp;
    splitter = std::make_shared<TypedBatchSplitter<T>>();
  }

  void candidates(const BatchBase& batch, std::vector<int64_t>& out) const override {
    out.assign(batch.num_records(), kMinWatermark);
    if constexpr (Strategy::kByTimestamp) {
      const auto& timestamps = batch_cast<T>(batch).timestamps;
      for (size_t i = 0; i < timestamps.size(); ++i) out[i] = strategy_.watermarks().watermark_of(timestamps[i]);
    }
  }
  std::unique_ptr<SplitWatermarkGenerator> create_generator() const override {
    if constexpr (Strategy::kByTimestamp) {
      return nullptr;
    } else {
      using Generator = std::decay_t<decltype(strategy_.watermarks().make())>;
      return std::make_unique<GeneratorOfSplit<T, Generator>>(strategy_.watermarks().make());
    }
  }

 private:
  Strategy strategy_;
};

/// Of a strategy without watermarks: a source that is idle holds nobody back.
class IdlenessOnly final : public SourceWatermarkStrategy {
 public:
  explicit IdlenessOnly(int64_t timeout_ms) { idle_timeout_ms = timeout_ms; }

  void candidates(const BatchBase& batch, std::vector<int64_t>& out) const override {
    out.assign(batch.num_records(), kMinWatermark);
  }
};

/// A source whose records get their event time of an assigner before the runtime sees them.
template <class T, class Assigner>
class StampedSource final : public Source {
 public:
  using OutputType = T;

  StampedSource(std::shared_ptr<const Source> source, Assigner assigner)
      : source_(std::move(source)), assigner_(std::move(assigner)) {}

  bool bounded() const override { return source_->bounded(); }
  std::string client_id_prefix() const override { return source_->client_id_prefix(); }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override {
    return source_->create_enumerator(context, restored);
  }
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override {
    return std::make_unique<Reader>(source_->create_reader(std::move(context)), assigner_);
  }

 private:
  class Reader;

  std::shared_ptr<const Source> source_;
  Assigner assigner_;
};

template <class T, class Assigner>
class StampedSource<T, Assigner>::Reader final : public SourceReader, private SourceOutput {
 public:
  Reader(std::unique_ptr<SourceReader> reader, const Assigner& assigner)
      : reader_(std::move(reader)), assigner_(assigner) {}

  void start() override { reader_->start(); }
  PollResult poll(SourceOutput& output) override {
    output_ = &output;
    return reader_->poll(*this);
  }
  void add_splits(std::vector<SourceSplit> splits) override { reader_->add_splits(std::move(splits)); }
  void notify_no_more_splits() override { reader_->notify_no_more_splits(); }
  std::vector<SourceSplit> snapshot(int64_t checkpoint_id) override { return reader_->snapshot(checkpoint_id); }
  void notify_checkpoint_complete(int64_t checkpoint_id) override {
    reader_->notify_checkpoint_complete(checkpoint_id);
  }
  void pause_or_resume_splits(std::span<const std::string> pause, std::span<const std::string> resume) override {
    reader_->pause_or_resume_splits(pause, resume);
  }
  void handle_source_event(const std::string& event) override { reader_->handle_source_event(event); }

 private:
  void emit(BatchPtr batch, std::span<const SourceRun> runs) override {
    std::shared_ptr<Batch<T>> stamped = writable_batch<T>(std::move(batch));
    assign_timestamps(assigner_, *stamped);
    output_->emit(std::move(stamped), runs);
  }
  void set_caught_up(std::string_view split_id, bool caught_up) override {
    output_->set_caught_up(split_id, caught_up);
  }
  void finish_split(std::string_view split_id) override { output_->finish_split(split_id); }

  std::unique_ptr<SourceReader> reader_;
  const Assigner& assigner_;  ///< the source's, which outlives its readers
  SourceOutput* output_ = nullptr;
};

/// What a source becomes under a strategy.
struct SourceWithStrategy {
  std::shared_ptr<const Source> source;
  std::shared_ptr<const SourceWatermarkStrategy> strategy;  ///< null: no watermarks
};

template <class T, class Strategy>
SourceWithStrategy apply_strategy(std::shared_ptr<const Source> source, const Strategy& strategy) {
  SourceWithStrategy result{std::move(source), nullptr};
  if constexpr (std::is_same_v<T, Row>) {
    static_assert(!Strategy::kHasAssigner && !Strategy::kHasWatermarks,
                  "Yeoul: rows get their event time from their table; use WatermarkStrategy::no_watermarks()");
  } else {
    if constexpr (Strategy::kHasAssigner) {
      using Assigner = std::decay_t<decltype(strategy.assigner())>;
      result.source = std::make_shared<StampedSource<T, Assigner>>(std::move(result.source), strategy.assigner());
    }
    if constexpr (Strategy::kHasWatermarks) {
      result.strategy = std::make_shared<StrategyWatermarks<T, Strategy>>(strategy);
    } else if (strategy.idle_timeout_ms > 0) {
      result.strategy = std::make_shared<IdlenessOnly>(strategy.idle_timeout_ms);
    }
  }
  return result;
}

}  // namespace yeoul
