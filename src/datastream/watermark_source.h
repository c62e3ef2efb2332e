#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/datastream/watermark_strategy.h"
#include "yeoul/runtime/stream_graph.h"

namespace yeoul {

/// A batch whose records have brought watermarks with them, by record; from a generator of the user's.
template <class T>
class BatchWithWatermarks final : public Batch<T> {
 public:
  std::vector<int64_t> watermarks;
};

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

/// Tells the runtime what each record's timestamp, or its generator, justifies.
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
    if constexpr (Strategy::kByTimestamp) {
      const auto& timestamps = batch_cast<T>(batch).timestamps;
      out.assign(batch.num_records(), kMinWatermark);
      for (size_t i = 0; i < timestamps.size(); ++i) out[i] = strategy_.watermarks().watermark_of(timestamps[i]);
    } else {
      out = static_cast<const BatchWithWatermarks<T>&>(batch).watermarks;
    }
  }

 private:
  Strategy strategy_;
};

/// A source under a strategy: its records get their event time, and pass the generator of their split, before the
/// runtime sees them.
template <class T, class Strategy>
class StrategySource final : public Source {
 public:
  using OutputType = T;

  /// @param interval_ms  of on_periodic_emit()
  StrategySource(std::shared_ptr<const Source> source, Strategy strategy, int64_t interval_ms)
      : source_(std::move(source)), strategy_(std::move(strategy)), interval_ms_(interval_ms) {}

  bool bounded() const override { return source_->bounded(); }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override {
    return source_->create_enumerator(context, restored);
  }
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override {
    const Clock* clock = context.clock;
    return std::make_unique<Reader>(source_->create_reader(std::move(context)), *this, clock);
  }

 private:
  class Reader;

  std::shared_ptr<const Source> source_;
  Strategy strategy_;
  int64_t interval_ms_;
};

template <class T, class Strategy>
class StrategySource<T, Strategy>::Reader final : public SourceReader, private SourceOutput {
 public:
  Reader(std::unique_ptr<SourceReader> reader, const StrategySource& source, const Clock* clock)
      : reader_(std::move(reader)), source_(source), clock_(clock) {}

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
  static auto make_generator(const Strategy& strategy) {
    if constexpr (Strategy::kByTimestamp) {
      return 0;
    } else {
      return strategy.watermarks().make();
    }
  }
  using Generator = decltype(make_generator(std::declval<const Strategy&>()));

  void emit(BatchPtr batch, std::span<const SourceRun> runs) override {
    std::shared_ptr<Batch<T>> stamped = writable_batch<T>(std::move(batch));
    if constexpr (Strategy::kHasAssigner) assign_timestamps(source_.strategy_.assigner(), *stamped);
    if constexpr (Strategy::kByTimestamp) {
      output_->emit(std::move(stamped), runs);
    } else {
      output_->emit(generate(std::move(*stamped), runs), runs);
    }
  }
  BatchPtr generate(Batch<T>&& from, std::span<const SourceRun> runs) {
    auto batch = std::make_shared<BatchWithWatermarks<T>>();
    batch->values = std::move(from.values);
    batch->timestamps = std::move(from.timestamps);
    batch->watermarks.assign(batch->values.size(), kMinWatermark);
    const int64_t now_ms = clock_->steady_ns() / 1'000'000;
    const bool periodic = source_.interval_ms_ > 0 && now_ms >= periodic_at_ms_;
    if (periodic) periodic_at_ms_ = now_ms + source_.interval_ms_;
    for (const SourceRun& run : runs) {
      Generator& generator = generator_of(run.split_id);
      WatermarkOutput watermarks;
      for (size_t i = run.first_row; i < run.first_row + run.num_rows; ++i) {
        generator.on_event(batch->values[i], timestamp_of(*batch, i), watermarks);
        batch->watermarks[i] = watermarks.take();
      }
      if (!periodic || run.num_rows == 0) continue;
      generator.on_periodic_emit(watermarks);
      int64_t& last = batch->watermarks[run.first_row + run.num_rows - 1];
      last = std::max(last, watermarks.take());
    }
    return batch;
  }
  Generator& generator_of(std::string_view split_id) {
    const auto it = generators_.find(split_id);
    if (it != generators_.end()) return it->second;
    return generators_.emplace(std::string(split_id), make_generator(source_.strategy_)).first->second;
  }
  void set_caught_up(std::string_view split_id, bool caught_up) override {
    output_->set_caught_up(split_id, caught_up);
  }
  void finish_split(std::string_view split_id) override {
    if (const auto it = generators_.find(split_id); it != generators_.end()) generators_.erase(it);
    output_->finish_split(split_id);
  }

  std::unique_ptr<SourceReader> reader_;
  const StrategySource& source_;
  const Clock* clock_;
  SourceOutput* output_ = nullptr;
  std::map<std::string, Generator, std::less<>> generators_;  ///< by split
  int64_t periodic_at_ms_ = 0;
};

/// What a source becomes under a strategy.
struct SourceWithStrategy {
  std::shared_ptr<const Source> source;
  std::shared_ptr<const SourceWatermarkStrategy> strategy;  ///< null: no watermarks
};

template <class T, class Strategy>
SourceWithStrategy apply_strategy(std::shared_ptr<const Source> source, Strategy strategy, int64_t interval_ms) {
  SourceWithStrategy result{std::move(source), nullptr};
  if constexpr (std::is_same_v<T, Row>) {
    static_assert(!Strategy::kHasAssigner && !Strategy::kHasWatermarks,
                  "Yeoul: rows get their event time from their table; use WatermarkStrategy::no_watermarks()");
  } else {
    if constexpr (Strategy::kHasAssigner || !Strategy::kByTimestamp) {
      result.source = std::make_shared<StrategySource<T, Strategy>>(std::move(result.source), strategy, interval_ms);
    }
    if constexpr (Strategy::kHasWatermarks)
      result.strategy = std::make_shared<StrategyWatermarks<T, Strategy>>(strategy);
  }
  return result;
}

}  // namespace yeoul
