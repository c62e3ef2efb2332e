#include "yeoul/runtime/timer_service.h"

#include <utility>

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

StateDescriptor timer_descriptor(const std::string& name, bool namespaced) {
  return {.name = name,
          .kind = StateKind::kSortedMap,
          .value_type = "BOOL",
          .map_key_type = namespaced ? "BIGINT, BYTES" : "BIGINT"};
}

/// Map keys of many timers at once: the time, then the namespace.
class TimerKeys {
 public:
  template <class Namespace>
  TimerKeys(std::span<const int64_t> times_ms, std::span<const Namespace> namespaces) {
    std::vector<size_t> ends;
    for (size_t i = 0; i < times_ms.size(); ++i) {
      append_time(times_ms[i], bytes_);
      if (!namespaces.empty()) bytes_ += namespaces[i];
      ends.push_back(bytes_.size());
    }
    size_t start = 0;
    for (const size_t end : ends) {
      views_.push_back(std::string_view(bytes_).substr(start, end - start));
      start = end;
    }
  }
  std::span<const std::string_view> views() const { return views_; }

 private:
  std::string bytes_;
  std::vector<std::string_view> views_;
};

void append(DueTimers& timers, int64_t time_ms, std::string_view key, std::string name_space) {
  timers.times_ms.push_back(time_ms);
  timers.keys.bytes += key;
  timers.keys.offsets.push_back(static_cast<uint32_t>(timers.keys.bytes.size()));
  timers.namespaces.push_back(std::move(name_space));
}

std::vector<std::string_view> views_of(const CanonicalKeys& keys) {
  std::vector<std::string_view> views;
  views.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) views.push_back(keys[i]);
  return views;
}

}  // namespace

TimerService::TimerService(KeyedStateBackend& backend, const std::string& name, bool namespaced)
    : backend_(backend), state_(backend, timer_descriptor(name, namespaced)) {}

void TimerService::add(const CanonicalKeys& keys, std::span<const Slot> slots, std::span<const int64_t> times_ms) {
  add(views_of(keys), slots, times_ms, {});
}

void TimerService::remove(const CanonicalKeys& keys, std::span<const Slot> slots, std::span<const int64_t> times_ms) {
  remove(views_of(keys), slots, times_ms, {});
}

void TimerService::add(std::span<const std::string_view> keys, std::span<const Slot> slots,
                       std::span<const int64_t> times_ms, std::span<const std::string_view> namespaces) {
  ensure_index();
  const TimerKeys timer_keys(times_ms, namespaces);
  std::vector<bool*> cells(slots.size());
  state_.entries(slots, timer_keys.views(), true, cells);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (std::exchange(*cells[i], true)) continue;  // it has that timer
    index_.emplace(times_ms[i], keys[i], namespaces.empty() ? std::string_view() : namespaces[i]);
  }
}

void TimerService::remove(std::span<const std::string_view> keys, std::span<const Slot> slots,
                          std::span<const int64_t> times_ms, std::span<const std::string_view> namespaces) {
  ensure_index();
  const TimerKeys timer_keys(times_ms, namespaces);
  for (size_t i = 0; i < slots.size(); ++i) {
    state_.store().erase(slots[i], timer_keys.views()[i]);
    index_.erase({times_ms[i], std::string(keys[i]), namespaces.empty() ? std::string() : std::string(namespaces[i])});
  }
}

DueTimers TimerService::take_due(int64_t until_ms, size_t max) {
  ensure_index();
  DueTimers due;
  due.keys.offsets.push_back(0);
  while (due.size() < max && !index_.empty() && next_ms() <= until_ms) {
    DueTimers candidates;
    candidates.keys.offsets.push_back(0);
    while (due.size() + candidates.size() < max && !index_.empty() && std::get<0>(*index_.begin()) <= until_ms) {
      auto timer = index_.extract(index_.begin());
      append(candidates, std::get<0>(timer.value()), std::get<1>(timer.value()), std::move(std::get<2>(timer.value())));
    }
    std::vector<Slot> slots(candidates.size());
    backend_.resolve(candidates.keys, false, slots);
    const TimerKeys timer_keys(candidates.times_ms, std::span<const std::string>(candidates.namespaces));
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i].exists()) continue;
      bool* cell = nullptr;
      state_.entries({&slots[i], 1}, timer_keys.views().subspan(i, 1), false, {&cell, 1});
      if (cell == nullptr) continue;  // its key was removed, and perhaps made again
      state_.store().erase(slots[i], timer_keys.views()[i]);
      append(due, candidates.times_ms[i], candidates.keys[i], std::move(candidates.namespaces[i]));
    }
    backend_.end_batch();
  }
  return due;
}

int64_t TimerService::next_ms() {
  ensure_index();
  return index_.empty() ? kNever : std::get<0>(*index_.begin());
}

void TimerService::ensure_index() {
  if (indexed_) return;
  indexed_ = true;
  backend_.for_each_key([&](std::string_view key, Slot slot) {
    state_.store().for_each(slot, [&](std::string_view timer, void* cell) {
      *static_cast<bool*>(cell) = true;
      index_.emplace(read_time(timer.substr(0, kTimeBytes)), key, timer.substr(kTimeBytes));
      return true;
    });
  });
}

}  // namespace yeoul
