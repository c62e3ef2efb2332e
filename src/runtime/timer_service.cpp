#include "yeoul/runtime/timer_service.h"

#include <bit>

namespace yeoul {
namespace {

constexpr size_t kTimeBytes = 8;

/// Bytes whose memcmp order is the order of times.
void append_time(int64_t time_ms, std::string& out) {
  const uint64_t bits = static_cast<uint64_t>(time_ms) ^ (uint64_t{1} << 63);
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(bits >> shift));
}

int64_t read_time(std::string_view bytes) {
  uint64_t bits = 0;
  for (const char c : bytes) bits = bits << 8 | static_cast<uint8_t>(c);
  return static_cast<int64_t>(bits ^ (uint64_t{1} << 63));
}

StateDescriptor timer_descriptor(const std::string& name) {
  return {.name = name, .kind = StateKind::kSortedMap, .value_type = "BOOL", .map_key_type = "BIGINT"};
}

/// Map keys of many times at once.
class TimeKeys {
 public:
  explicit TimeKeys(std::span<const int64_t> times_ms) {
    for (const int64_t time : times_ms) append_time(time, bytes_);
    for (size_t i = 0; i < times_ms.size(); ++i) {
      views_.push_back(std::string_view(bytes_).substr(i * kTimeBytes, kTimeBytes));
    }
  }
  std::span<const std::string_view> views() const { return views_; }

 private:
  std::string bytes_;
  std::vector<std::string_view> views_;
};

}  // namespace

TimerService::TimerService(KeyedStateBackend& backend, const std::string& name)
    : backend_(backend), state_(backend, timer_descriptor(name)) {}

void TimerService::add(const CanonicalKeys& keys, std::span<const Slot> slots, std::span<const int64_t> times_ms) {
  ensure_index();
  const TimeKeys time_keys(times_ms);
  std::vector<bool*> cells(slots.size());
  state_.entries(slots, time_keys.views(), true, cells);
  for (size_t i = 0; i < slots.size(); ++i) index_.emplace(times_ms[i], keys[i]);
}

void TimerService::remove(const CanonicalKeys& keys, std::span<const Slot> slots, std::span<const int64_t> times_ms) {
  ensure_index();
  const TimeKeys time_keys(times_ms);
  for (size_t i = 0; i < slots.size(); ++i) {
    state_.store().erase(slots[i], time_keys.views()[i]);
    index_.erase({times_ms[i], std::string(keys[i])});
  }
}

DueTimers TimerService::take_due(int64_t until_ms, size_t max) {
  ensure_index();
  DueTimers due;
  while (due.size() < max && !index_.empty() && index_.begin()->first <= until_ms) {
    std::vector<int64_t> times_ms;
    CanonicalKeys keys{.offsets = {0}};
    while (due.size() + times_ms.size() < max && !index_.empty() && index_.begin()->first <= until_ms) {
      times_ms.push_back(index_.begin()->first);
      keys.bytes += index_.begin()->second;
      keys.offsets.push_back(static_cast<uint32_t>(keys.bytes.size()));
      index_.erase(index_.begin());
    }
    std::vector<Slot> slots(keys.size());
    backend_.resolve(keys, false, slots);
    const TimeKeys time_keys(times_ms);
    if (due.keys.offsets.empty()) due.keys.offsets.push_back(0);
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i].exists()) continue;
      bool* cell = nullptr;
      state_.entries({&slots[i], 1}, time_keys.views().subspan(i, 1), false, {&cell, 1});
      if (cell == nullptr) continue;  // its key was removed, and perhaps made again
      state_.store().erase(slots[i], time_keys.views()[i]);
      due.times_ms.push_back(times_ms[i]);
      due.keys.bytes += keys[i];
      due.keys.offsets.push_back(static_cast<uint32_t>(due.keys.bytes.size()));
    }
    backend_.end_batch();
  }
  return due;
}

int64_t TimerService::next_ms() {
  ensure_index();
  return index_.empty() ? kNever : index_.begin()->first;
}

void TimerService::ensure_index() {
  if (indexed_) return;
  indexed_ = true;
  backend_.for_each_key([&](std::string_view key, Slot slot) {
    state_.store().for_each(slot, [&](std::string_view time, void*) {
      index_.emplace(read_time(time), key);
      return true;
    });
  });
}

}  // namespace yeoul
