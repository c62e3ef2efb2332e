#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/datastream/function_operator.h"
#include "yeoul/datastream/key_extractor.h"
#include "yeoul/datastream/triggers.h"
#include "yeoul/datastream/window_cells.h"
#include "yeoul/datastream/window_functions.h"

namespace yeoul {

/// @throws user error 7115: an event-time window needs timestamps
[[noreturn]] void throw_no_timestamp(const std::string& operator_name);
/// @throws user error 7117: merged windows ended before the watermark
[[noreturn]] void throw_merged_too_late(int64_t max_timestamp, int64_t watermark);

/// What a window operator does beside its types.
template <class T>
struct WindowSettings {
  int64_t allowed_lateness_ms = 0;
  std::optional<OutputTag<T>> late_tag;
};

/// Groups the records of each key by windows and hands their contents to a function when a trigger fires (Flink's
/// WindowOperator). The windows of a batch are looked up at once, but for merging ones.
template <class K, class T, class Assigner, class TriggerType, class Contents, class Function>
class WindowOperator final : public FunctionOperator {
 public:
  using W = typename Assigner::Window;
  using Out = typename Function::Output;
  using TriggerState = typename TriggerType::State;
  using Cell = WindowCell<typename Contents::Accumulator, TriggerState>;

  WindowOperator(std::shared_ptr<const ConnectedTags> tags, std::shared_ptr<const KeyExtractor<T>> extractor,
                 Assigner assigner, TriggerType trigger, Contents contents, Function function,
                 WindowSettings<T> settings)
      : FunctionOperator(
            {.keyed = true, .namespaced_timers = true, .one_time_at_once = TriggerType::kSetsTimersWhenFired},
            std::move(tags)),
        extractor_(std::move(extractor)),
        assigner_(std::move(assigner)),
        trigger_(std::move(trigger)),
        contents_(std::move(contents)),
        function_(std::move(function)),
        settings_(std::move(settings)),
        window_timers_(timers()),
        context_(timers(), sides()) {}

 private:
  /// A record's part in a window.
  struct Visit {
    size_t record;
    W window;
    size_t first;  ///< of the window's bytes in window_bytes_
  };

  void open_functions(OperatorContext& context, RuntimeContext& runtime) override {
    name_ = context.operator_name();
    cells_.open(scope());
    function_.open(runtime);
    if (Assigner::kEventTime) late_dropped_ = &context.metric_group().counter("numLateRecordsDropped");
  }
  CanonicalKeys begin_batch(int input, const BatchPtr& batch) override {
    (void)input;
    batch_ = std::static_pointer_cast<const Batch<T>>(batch);
    visits_.clear();
    next_visit_ = 0;
    return extractor_->keys(*batch_);
  }
  void process_records(size_t& next, size_t end) override {
    if constexpr (Assigner::kMerging) {
      for (; next < end && !is_full(); ++next) merge_in(next);
    } else {
      if (next == 0) look_up_windows();
      for (; next < end && !is_full(); ++next) {
        for (; next_visit_ < visits_.size() && visits_[next_visit_].record == next; ++next_visit_) {
          const Visit& visit = visits_[next_visit_];
          scope().set_current(next);
          add_to(visit.window, bytes_of(visit), *found_[next_visit_], batch_->values[next], stamp_of(next));
        }
      }
    }
  }
  void end_batch() override {
    batch_.reset();
    for (const size_t visit : emptied_) {
      scope().set_current(visits_[visit].record);
      erase_if_empty(bytes_of(visits_[visit]));
    }
    emptied_.clear();
  }

  /// When the record belongs to windows: its event time, or now.
  int64_t time_of(size_t record) const {
    if constexpr (!Assigner::kEventTime) return window_timers_.current_processing_time();
    const int64_t timestamp = timestamp_of(*batch_, record);
    if (timestamp == kNoTimestamp) throw_no_timestamp(name_);
    return timestamp;
  }
  /// What triggers and evictors are told, whatever the clock of the windows: its event time, or now without.
  int64_t stamp_of(size_t record) const {
    const int64_t timestamp = timestamp_of(*batch_, record);
    return timestamp == kNoTimestamp ? window_timers_.current_processing_time() : timestamp;
  }
  std::string_view bytes_of(const Visit& visit) const {
    return std::string_view(window_bytes_.bytes()).substr(visit.first, window_size_);
  }

  /// Assigns the windows of the whole batch and finds their cells.
  void look_up_windows() {
    window_bytes_ = {};
    for (size_t record = 0; record < batch_->values.size(); ++record) {
      assigned_.clear();
      if constexpr (std::is_same_v<W, GlobalWindow>) {
        assigned_.push_back({});
      } else {
        assigner_.assign_windows(batch_->values[record], time_of(record), assigned_);
      }
      bool skipped = true;
      for (const W& window : assigned_) {
        if (is_late(window)) continue;
        skipped = false;
        visits_.push_back({record, window, window_bytes_.size()});
        TypeInfo<W>::encode(window, window_bytes_);
        window_size_ = window_bytes_.size() - visits_.back().first;
      }
      if (skipped) drop_late(record);
    }
    slots_.clear(), keys_.clear();
    for (const Visit& visit : visits_) {
      slots_.push_back(scope().slots()[visit.record]);
      keys_.push_back(bytes_of(visit));
    }
    found_.resize(visits_.size());
    if (!visits_.empty()) cells_.cells(slots_, keys_, found_);
  }

  void add_to(const W& window, std::string_view bytes, Cell& cell, const T& value, int64_t time) {
    window_timers_.set_window(bytes);
    contents_.add(cell.contents, value, time);
    TriggerContext<TriggerState> trigger_context(window_timers_, cell.trigger, cell.noted_event_timer);
    const TriggerResult result = trigger_.on_element(value, time, window, trigger_context);
    if (is_fire(result) && cell.contents) emit(window, cell);
    if (is_purge(result)) cell.contents.reset();
    if constexpr (!Assigner::kMerging) {
      if (!cell.contents) emptied_.push_back(next_visit_);
    }
    note_cleanup(window, cell);
  }

  void note_cleanup(const W& window, Cell& cell) {
    if (std::exchange(cell.cleanup_noted, true)) return;
    const int64_t time = cleanup_time(window);
    if (time != std::numeric_limits<int64_t>::max()) window_timers_.add(kDomain, time);
  }

  /// Adds a record to its window, which may join those of the key that it touches.
  void merge_in(size_t record) {
    scope().set_current(record);
    assigned_.clear();
    assigner_.assign_windows(batch_->values[record], time_of(record), assigned_);
    bool skipped = true;
    for (const W& window : assigned_) {
      const W joined = join(window);
      if (is_late(joined)) continue;
      skipped = false;
      const std::string bytes = window_bytes(joined);
      add_to(joined, bytes, *cells_.cell(bytes, true), batch_->values[record], stamp_of(record));
    }
    if (skipped) drop_late(record);
  }

  /// Merges the windows that touch `window` into one, with their contents and triggers. @return the one
  W join(const W& window) {
    std::vector<W> touched;
    W cover = window;
    for (const W& other : cells_.windows()) {
      if (!other.intersects(window)) continue;
      touched.push_back(other);
      cover = cover.cover(other);
    }
    if (touched.empty() || (touched.size() == 1 && touched.front() == cover)) return cover;
    if (is_late(cover)) throw_merged_too_late(cover.max_timestamp(), window_timers_.current_watermark());
    Cell merged;
    for (const W& other : touched) {
      const std::string bytes = window_bytes(other);
      Cell cell = std::move(*cells_.cell(bytes, false));
      contents_.merge(merged.contents, std::move(cell.contents));
      trigger_.merge_state(merged.trigger, cell.trigger);
      if (other == cover) continue;
      drop_timers(other, bytes, cell);
    }
    for (const W& other : touched) cells_.erase(window_bytes(other));
    const std::string bytes = window_bytes(cover);
    Cell& cell = *cells_.cell(bytes, true);
    cell = std::move(merged);
    window_timers_.set_window(bytes);
    TriggerContext<TriggerState> trigger_context(window_timers_, cell.trigger, cell.noted_event_timer);
    trigger_.on_merge(cover, trigger_context);
    return cover;
  }

  void drop_timers(const W& window, std::string_view bytes, Cell& cell) {
    window_timers_.set_window(bytes);
    TriggerContext<TriggerState> trigger_context(window_timers_, cell.trigger, cell.noted_event_timer);
    trigger_.clear(window, trigger_context);
    const int64_t time = cleanup_time(window);
    if (time != std::numeric_limits<int64_t>::max()) window_timers_.remove(kDomain, time);
  }

  void on_timer(TimeDomain domain, int64_t time, std::string_view bytes) override {
    Cell* cell = cells_.cell(bytes, false);
    Cell emptied;  // a window that holds nothing has its timers all the same
    if (cell == nullptr) {
      if constexpr (Assigner::kMerging) return;  // it is part of another one now
      cell = &emptied;
    }
    const W window = window_of_bytes<W>(bytes);
    window_timers_.set_window(bytes);
    if (domain == TimeDomain::kEventTime && cell->noted_event_timer == time) cell->noted_event_timer = kNoTimestamp;
    TriggerContext<TriggerState> trigger_context(window_timers_, cell->trigger, cell->noted_event_timer);
    const TriggerResult result = domain == TimeDomain::kEventTime
                                     ? trigger_.on_event_time(time, window, trigger_context)
                                     : trigger_.on_processing_time(time, window, trigger_context);
    if (is_fire(result) && cell->contents) emit(window, *cell);
    if (is_purge(result)) cell->contents.reset();
    if (domain == kDomain && time == cleanup_time(window)) {
      trigger_.clear(window, trigger_context);
      context_.set_window(window);
      function_.clear(context_);
      cells_.erase(bytes);
    } else if (cell == &emptied) {
      if (!(emptied.trigger == TriggerState{})) *cells_.cell(bytes, true) = std::move(emptied);
    } else if (!cell->contents) {
      erase_if_empty(bytes);
    }
  }

  void emit(const W& window, Cell& cell) {
    collector_.set_timestamp(window.max_timestamp());
    context_.set_timestamp(window.max_timestamp());
    context_.set_window(window);
    ByteReader in(scope().current_key());
    const K key = TypeInfo<K>::decode(in);
    contents_.with_elements(cell.contents, window,
                            [&](const auto& elements) { function_.call(key, context_, elements, collector_); });
  }

  /// A window that holds nothing any more needs no place in state until a record or a timer of it comes, but for one
  /// that may yet be joined with others.
  void erase_if_empty(std::string_view bytes) {
    if constexpr (Assigner::kMerging) return;
    const Cell* cell = cells_.cell(bytes, false);
    if (cell != nullptr && !cell->contents && cell->trigger == TriggerState{}) cells_.erase(bytes);
  }

  int64_t cleanup_time(const W& window) const {
    const int64_t last = window.max_timestamp();
    if constexpr (!Assigner::kEventTime) return last;
    const int64_t max = std::numeric_limits<int64_t>::max();
    return last > max - settings_.allowed_lateness_ms ? max : last + settings_.allowed_lateness_ms;
  }
  bool is_late(const W& window) const {
    return Assigner::kEventTime && cleanup_time(window) <= window_timers_.current_watermark();
  }
  /// A record none of whose windows is open any more: to the side output, else dropped.
  void drop_late(size_t record) {
    if constexpr (!Assigner::kEventTime) return;
    const int64_t timestamp = timestamp_of(*batch_, record);
    if (timestamp + settings_.allowed_lateness_ms > window_timers_.current_watermark()) return;
    if (settings_.late_tag) {
      sides().collect(*settings_.late_tag, batch_->values[record], timestamp);
    } else {
      late_dropped_->add(1);
    }
  }

  size_t num_collected() const override { return collector_.size(); }
  void flush_collected(OperatorOutput& output) override { collector_.flush(output); }

  static constexpr TimeDomain kDomain = Assigner::kEventTime ? TimeDomain::kEventTime : TimeDomain::kProcessingTime;

  std::shared_ptr<const KeyExtractor<T>> extractor_;
  Assigner assigner_;
  TriggerType trigger_;
  Contents contents_;
  Function function_;
  WindowSettings<T> settings_;
  std::string name_;
  WindowCells<W, Cell> cells_;
  WindowTimers window_timers_;
  WindowContext<W> context_;
  Collector<Out> collector_;
  Counter* late_dropped_ = nullptr;

  std::shared_ptr<const Batch<T>> batch_;
  std::vector<W> assigned_;
  std::vector<Visit> visits_;
  size_t next_visit_ = 0;
  ByteWriter window_bytes_;
  size_t window_size_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::string_view> keys_;
  std::vector<Cell*> found_;
  std::vector<size_t> emptied_;
};

}  // namespace yeoul
