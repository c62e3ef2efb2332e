#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/datastream/keyed_states.h"
#include "yeoul/datastream/windows.h"

namespace yeoul {

/// What the state holds of one window of one key.
template <class Accumulator, class TriggerState>
struct WindowCell {
  std::optional<Accumulator> contents;
  TriggerState trigger = {};
  // Timers that are known to be set; not stored, since setting one again does no harm.
  int64_t noted_event_timer = kNoTimestamp;
  bool cleanup_noted = false;
};

template <class Accumulator, class TriggerState>
struct TypeInfo<WindowCell<Accumulator, TriggerState>> : PlainTypeInfo<WindowCell<Accumulator, TriggerState>> {
  using Cell = WindowCell<Accumulator, TriggerState>;
  static std::string name() {
    return "WINDOW<" + TypeInfo<Accumulator>::name() + ", " + TypeInfo<TriggerState>::name() + ">";
  }
  static uint32_t version() { return TypeInfo<Accumulator>::version() + TypeInfo<TriggerState>::version() - 1; }
  static void encode(const Cell& cell, ByteWriter& out) {
    TypeInfo<std::optional<Accumulator>>::encode(cell.contents, out);
    TypeInfo<TriggerState>::encode(cell.trigger, out);
  }
  static Cell decode(ByteReader& in) {
    Cell cell;
    cell.contents = TypeInfo<std::optional<Accumulator>>::decode(in);
    cell.trigger = TypeInfo<TriggerState>::decode(in);
    return cell;
  }
};

/// Bytes of a window: its map key in state, and the namespace of its timers.
template <class W>
std::string window_bytes(const W& window) {
  ByteWriter out;
  TypeInfo<W>::encode(window, out);
  return out.take();
}

template <class W>
W window_of_bytes(std::string_view bytes) {
  ByteReader in(bytes);
  return TypeInfo<W>::decode(in);
}

/// The windows of all keys, by key slot and window bytes. Threads: the task's.
template <class W, class Cell>
class WindowCells {
 public:
  void open(KeyedScope& scope) {
    const MapStateDescriptor<W, Cell> descriptor{std::string(ReservedStates::kWindows)};
    handle_ = scope.state<MapStateHandle<Cell>>(descriptor.stored());
  }
  /// The cell of a window of the current key; null where missing and not to be created.
  Cell* cell(std::string_view window, bool create) { return handle_->cell(window, create); }
  void erase(std::string_view window) { handle_->store().erase(handle_->slot(), window); }
  /// The windows of the current key, by start.
  std::vector<W> windows() {
    std::vector<W> windows;
    handle_->store().for_each(handle_->slot(), [&](std::string_view bytes, void*) {
      windows.push_back(window_of_bytes<W>(bytes));
      return true;
    });
    std::sort(windows.begin(), windows.end());
    return windows;
  }
  /// Cells of many windows at once, created where missing.
  void cells(std::span<const Slot> slots, std::span<const std::string_view> windows, std::span<Cell*> out) {
    handle_->store().entries(slots, windows, true, {reinterpret_cast<void**>(out.data()), out.size()});
  }

 private:
  std::shared_ptr<MapStateHandle<Cell>> handle_;
};

}  // namespace yeoul
