#include "yeoul/testing/generated_operators.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "yeoul/common/bytes.h"
#include "yeoul/runtime/timer_service.h"
#include "yeoul/testing/sim_record.h"

namespace yeoul {
namespace {

struct SimParameters {
  int node = 0;
  int64_t a = 0;
  int64_t b = 0;
  SimulationFindings* findings = nullptr;
};

std::string encoded(const SimRecord& record) {
  ByteWriter out;
  out.svarint(record.key);
  out.svarint(record.time_ms);
  out.svarint(record.id);
  out.svarint(record.value);
  return out.take();
}

SimRecord decoded(std::string_view bytes) {
  ByteReader in(bytes);
  SimRecord record;
  record.key = in.svarint();
  record.time_ms = in.svarint();
  record.id = in.svarint();
  record.value = in.svarint();
  return record;
}

/// Checks what comes in and hands it to the operator proper.
class CheckedOperator : public Operator {
 public:
  explicit CheckedOperator(const SimParameters& parameters) : p_(parameters) {}

  void open(OperatorContext& context) final {
    context_ = &context;
    do_open();
  }
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) final {
    if (ended_.contains(input)) complain("a batch after the end of its input");
    for (const SimRecord& record : records_of(*batch)) {
      if (record.time_ms > watermark_) continue;
      complain(fmt::format("record {} of time {} behind watermark {}", record.id, record.time_ms, watermark_));
      break;
    }
    do_batch(input, records_of(*batch), output);
  }
  void process_watermark(int64_t watermark, OperatorOutput& output) final {
    if (watermark <= watermark_) complain(fmt::format("watermark {} after {}", watermark, watermark_));
    watermark_ = watermark;
    do_watermark(watermark, output);
  }
  void end_input(int input, OperatorOutput& output) final {
    if (!ended_.insert(input).second) complain("the end of an input twice");
    do_end(output);
  }

 protected:
  virtual void do_open() {}
  virtual void do_batch(int input, const std::vector<SimRecord>& records, OperatorOutput& output) = 0;
  virtual void do_watermark(int64_t watermark, OperatorOutput& output) { output.emit_watermark(watermark); }
  /// One of the inputs ended.
  virtual void do_end(OperatorOutput& output) { (void)output; }
  void complain(const std::string& what) const {
    p_.findings->add(fmt::format("'{}' subtask {}: {}", context_->operator_name(), context_->subtask(), what));
  }

  const SimParameters p_;
  OperatorContext* context_ = nullptr;
  int64_t watermark_ = kMinWatermark;

 private:
  std::set<int> ended_;
};

class SimMap final : public CheckedOperator {
 public:
  using CheckedOperator::CheckedOperator;

 private:
  void do_batch(int, const std::vector<SimRecord>& records, OperatorOutput& output) override {
    std::vector<SimRecord> mapped = records;
    for (SimRecord& record : mapped) {
      record.id = derived_id(record.id, p_.node);
      record.value += 7;
      if (p_.a > 0) record.key = record.id % p_.a;
    }
    output.emit(sim_batch(std::move(mapped)));
  }
};

class SimFilter final : public CheckedOperator {
 public:
  using CheckedOperator::CheckedOperator;

 private:
  void do_batch(int, const std::vector<SimRecord>& records, OperatorOutput& output) override {
    std::vector<SimRecord> kept;
    std::copy_if(records.begin(), records.end(), std::back_inserter(kept),
                 [](const SimRecord& record) { return derived_id(record.id, 0) % 3 != 0; });
    output.emit(sim_batch(std::move(kept)));
  }
};

class SimOwned final : public CheckedOperator {
 public:
  using CheckedOperator::CheckedOperator;

 private:
  void do_batch(int, const std::vector<SimRecord>& records, OperatorOutput& output) override {
    const int max = context_->max_parallelism();
    const KeyGroupRange mine = key_groups_of_subtask(context_->subtask(), max, context_->parallelism());
    std::vector<SimRecord> kept;
    std::copy_if(records.begin(), records.end(), std::back_inserter(kept),
                 [&](const SimRecord& record) { return mine.contains(key_group_of(key_bytes(record.key), max)); });
    output.emit(sim_batch(std::move(kept)));
  }
};

class SimExplode final : public CheckedOperator {
 public:
  using CheckedOperator::CheckedOperator;
  bool resume(OperatorOutput& output) override {
    while (!left_.empty()) {
      if (!output.has_room()) return false;
      const SimRecord from = left_.front();
      left_.pop_front();
      std::vector<SimRecord> made;
      for (int64_t i = 0; i < derived_id(from.id, p_.node) % 5; ++i) {
        made.push_back(from);
        made.back().id = derived_id(from.id, p_.node * 16 + i);
      }
      output.emit(sim_batch(std::move(made)));
    }
    return true;
  }

 private:
  void do_batch(int, const std::vector<SimRecord>& records, OperatorOutput& output) override {
    left_.insert(left_.end(), records.begin(), records.end());
    resume(output);
  }

  std::deque<SimRecord> left_;
};

class SimHoldBack final : public CheckedOperator {
 public:
  using CheckedOperator::CheckedOperator;
  OperatorState snapshot(int64_t) override {
    OperatorState state;
    for (const SimRecord& record : held_) state.split_lists["held"].push_back(encoded(record));
    state.union_lists["subtasks"].push_back(std::to_string(context_->subtask()));
    return state;
  }

 private:
  void do_open() override {
    const OperatorState& restored = context_->restored_operator_state();
    const auto held = restored.split_lists.find("held");
    if (held == restored.split_lists.end()) return;
    for (const std::string& bytes : held->second) held_.push_back(decoded(bytes));
  }
  void do_batch(int, const std::vector<SimRecord>& records, OperatorOutput& output) override {
    held_.insert(held_.end(), records.begin(), records.end());
    release(static_cast<size_t>(p_.a), output);
  }
  void do_watermark(int64_t watermark, OperatorOutput& output) override {
    release(0, output);  // else the watermark would pass them
    output.emit_watermark(watermark);
  }
  void do_end(OperatorOutput& output) override { release(0, output); }

  void release(size_t keep, OperatorOutput& output) {
    std::vector<SimRecord> released;
    for (; held_.size() > keep; held_.pop_front()) released.push_back(held_.front());
    if (!released.empty()) output.emit(sim_batch(std::move(released)));
  }

  std::deque<SimRecord> held_;
};

/// What operators with keyed state share: the slots of a batch.
class KeyedOperator : public CheckedOperator {
 public:
  using CheckedOperator::CheckedOperator;

 protected:
  KeyedStateBackend& state() { return context_->keyed_state(); }
  std::vector<Slot> slots_of(const CanonicalKeys& keys) {
    std::vector<Slot> slots(keys.size());
    state().resolve(keys, true, slots);
    return slots;
  }
};

class SimDedup final : public KeyedOperator {
 public:
  using KeyedOperator::KeyedOperator;

 private:
  void do_open() override {
    seen_ = MapCells<bool>(state(),
                           {.name = "seen", .kind = StateKind::kMap, .value_type = "BOOL", .map_key_type = "BIGINT"});
  }
  void do_batch(int, const std::vector<SimRecord>& records, OperatorOutput& output) override {
    const std::vector<Slot> slots = slots_of(keys_of(records));
    std::vector<SimRecord> fresh;
    for (size_t i = 0; i < records.size(); ++i) {
      const std::string_view id = key_bytes(records[i].id);
      bool* seen = nullptr;
      seen_.entries({&slots[i], 1}, {&id, 1}, true, {&seen, 1});
      if (!std::exchange(*seen, true)) fresh.push_back(records[i]);
    }
    state().end_batch();
    output.emit(sim_batch(std::move(fresh)));
  }

  MapCells<bool> seen_;
};

class SimJoin final : public KeyedOperator {
 public:
  using KeyedOperator::KeyedOperator;
  bool resume(OperatorOutput& output) override {
    constexpr size_t kPairs = 3;
    while (!left_.empty()) {
      if (!output.has_room()) return false;
      std::vector<SimRecord> some;
      for (; !left_.empty() && some.size() < kPairs; left_.pop_front()) some.push_back(left_.front());
      output.emit(sim_batch(std::move(some)));
    }
    return true;
  }

 private:
  void do_open() override {
    for (int side = 0; side < 2; ++side) {
      sides_[side] = &state().list_state({.name = fmt::format("side{}", side), .kind = StateKind::kList});
    }
  }
  void do_batch(int input, const std::vector<SimRecord>& records, OperatorOutput& output) override {
    const std::vector<Slot> slots = slots_of(keys_of(records));
    for (size_t i = 0; i < records.size(); ++i) {
      sides_[input]->append(slots[i], encoded(records[i]));
      sides_[1 - input]->for_each(slots[i], [&](std::string_view bytes) {
        const SimRecord other = decoded(bytes);
        const SimRecord& l = input == 0 ? records[i] : other;
        const SimRecord& r = input == 0 ? other : records[i];
        left_.push_back({l.key, std::max(l.time_ms, r.time_ms), derived_id(l.id, derived_id(r.id, p_.node)),
                         l.value * 3 + r.value});
      });
    }
    state().end_batch();
    resume(output);
  }

  ListStateStore* sides_[2] = {};
  std::deque<SimRecord> left_;
};

class SimAggregate final : public KeyedOperator {
 public:
  using KeyedOperator::KeyedOperator;
  void prepare_barrier(OperatorOutput& output) override { flush(output); }

 private:
  static constexpr size_t kBundleMax = 8;

  void do_open() override {
    counts_ = ValueCells<int64_t>(state(), {.name = "count", .value_type = "BIGINT"});
    sums_ = ValueCells<int64_t>(state(), {.name = "sum", .value_type = "BIGINT"});
  }
  void do_batch(int, const std::vector<SimRecord>& records, OperatorOutput& output) override {
    const std::vector<Slot> slots = slots_of(keys_of(records));
    std::vector<int64_t*> counts(slots.size());
    std::vector<int64_t*> sums(slots.size());
    counts_.cells(slots, counts);
    sums_.cells(slots, sums);
    for (size_t i = 0; i < slots.size(); ++i) {
      ++*counts[i];
      *sums[i] += records[i].value;
      bundle_[records[i].key] = {records[i].key, records[i].time_ms, *counts[i], *sums[i]};
    }
    state().end_batch();
    if (p_.a == 0 || bundle_.size() >= kBundleMax) {
      flush(output);
    } else if (p_.a == 2 && !std::exchange(timer_set_, true)) {
      context_->register_processing_timer(context_->clock().wall_ms() + 5, [this] {
        timer_set_ = false;
        flush(context_->output());
      });
    }
  }
  void do_watermark(int64_t watermark, OperatorOutput& output) override {
    flush(output);
    output.emit_watermark(watermark);
  }
  void do_end(OperatorOutput& output) override { flush(output); }

  void flush(OperatorOutput& output) {
    std::vector<SimRecord> updates;
    for (const auto& [key, update] : bundle_) {
      updates.push_back(update);
      updates.back().time_ms = 0;  // which record came last depends on the order
    }
    bundle_.clear();
    if (!updates.empty()) output.emit(sim_batch(std::move(updates)));
  }

  ValueCells<int64_t> counts_;
  ValueCells<int64_t> sums_;
  std::map<int64_t, SimRecord> bundle_;
  bool timer_set_ = false;
};

class SimWindow final : public KeyedOperator {
 public:
  using KeyedOperator::KeyedOperator;
  bool resume(OperatorOutput& output) override {
    constexpr size_t kTimers = 3;
    while (firing_) {
      if (!output.has_room()) return false;
      const DueTimers due = timers_->take_due(*firing_, kTimers);
      if (due.size() != 0) fire(due, output);
      if (due.size() == kTimers) continue;
      output.emit_watermark(*firing_);
      firing_.reset();
    }
    return true;
  }

 private:
  void do_open() override {
    const auto cells = [&](const char* name) {
      return MapCells<int64_t>(
          state(), {.name = name, .kind = StateKind::kMap, .value_type = "BIGINT", .map_key_type = "BIGINT"});
    };
    counts_ = cells("count");
    sums_ = cells("sum");
    timers_.emplace(state(), "timers", p_.b != 0);
  }

  void do_batch(int, const std::vector<SimRecord>& records, OperatorOutput&) override {
    const CanonicalKeys keys = keys_of(records);
    const std::vector<Slot> slots = slots_of(keys);
    std::vector<int64_t> ends;
    std::vector<int64_t> times;
    for (const SimRecord& record : records) {
      ends.push_back((record.time_ms / p_.a + 1) * p_.a);
      times.push_back(ends.back() - 1);
    }
    std::vector<std::string_view> windows;
    std::vector<std::string_view> views;
    for (size_t i = 0; i < records.size(); ++i) {
      windows.push_back(key_bytes(ends[i]));
      views.push_back(keys[i]);
    }
    std::vector<int64_t*> cells(slots.size());
    counts_.entries(slots, windows, true, cells);
    for (int64_t* cell : cells) ++*cell;
    sums_.entries(slots, windows, true, cells);
    for (size_t i = 0; i < cells.size(); ++i) *cells[i] += records[i].value;
    if (p_.b != 0) {
      timers_->add(views, slots, times, windows);
    } else {
      timers_->add(keys, slots, times);
    }
    state().end_batch();
  }

  void do_watermark(int64_t watermark, OperatorOutput& output) override {
    firing_ = watermark;
    resume(output);
  }

  void fire(const DueTimers& due, OperatorOutput& output) {
    std::vector<Slot> slots(due.size());
    state().resolve(due.keys, false, slots);
    std::vector<SimRecord> results;
    std::vector<Slot> empty;
    for (size_t i = 0; i < due.size(); ++i) {
      int64_t key = 0;
      std::memcpy(&key, due.keys[i].data(), sizeof key);
      const int64_t end = due.times_ms[i] + 1;
      const std::string_view window = key_bytes(end);
      int64_t* count = nullptr;
      int64_t* sum = nullptr;
      if (slots[i].exists()) {
        counts_.entries({&slots[i], 1}, {&window, 1}, false, {&count, 1});
        sums_.entries({&slots[i], 1}, {&window, 1}, false, {&sum, 1});
      }
      if (count == nullptr || sum == nullptr) {
        complain(fmt::format("a timer of key {} at {} without its window", key, due.times_ms[i]));
        continue;
      }
      results.push_back({key, end - 1, derived_id(derived_id(key, end), p_.node), *count * 1'000'003 + *sum});
      counts_.store().erase(slots[i], window);
      sums_.store().erase(slots[i], window);
      if (counts_.store().empty(slots[i]) && timers_->empty(slots[i])) empty.push_back(slots[i]);
    }
    state().remove(empty);
    state().end_batch();
    output.emit(sim_batch(std::move(results)));
  }

  MapCells<int64_t> counts_;
  MapCells<int64_t> sums_;
  std::optional<TimerService> timers_;
  std::optional<int64_t> firing_;  ///< a watermark whose timers are not all through
};

class SimOperatorFactory final : public OperatorFactory {
 public:
  SimOperatorFactory(SimOperator kind, const SimParameters& parameters) : kind_(kind), parameters_(parameters) {}

  bool keyed() const override { return kind_ >= SimOperator::kDedup; }
  std::unique_ptr<Operator> create() const override {
    switch (kind_) {
      case SimOperator::kMap:
        return std::make_unique<SimMap>(parameters_);
      case SimOperator::kFilter:
        return std::make_unique<SimFilter>(parameters_);
      case SimOperator::kOwned:
        return std::make_unique<SimOwned>(parameters_);
      case SimOperator::kExplode:
        return std::make_unique<SimExplode>(parameters_);
      case SimOperator::kHoldBack:
        return std::make_unique<SimHoldBack>(parameters_);
      case SimOperator::kDedup:
        return std::make_unique<SimDedup>(parameters_);
      case SimOperator::kJoin:
        return std::make_unique<SimJoin>(parameters_);
      case SimOperator::kAggregate:
        return std::make_unique<SimAggregate>(parameters_);
      case SimOperator::kWindow:
        return std::make_unique<SimWindow>(parameters_);
      default:  // others' kinds
        break;
    }
    return nullptr;
  }

 private:
  SimOperator kind_;
  SimParameters parameters_;
};

}  // namespace

std::shared_ptr<const OperatorFactory> sim_operator(SimOperator kind, int node, int64_t a, int64_t b,
                                                    SimulationFindings& findings) {
  return std::make_shared<SimOperatorFactory>(kind, SimParameters{node, a, b, &findings});
}

}  // namespace yeoul
