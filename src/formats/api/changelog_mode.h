#pragma once

#include <cstdint>
#include <string>

#include "yeoul/types/row_kind.h"

namespace yeoul {

/// The set of row kinds that a stream may carry (Flink's ChangelogMode).
class ChangelogMode {
 public:
  constexpr ChangelogMode() = default;
  static constexpr ChangelogMode insert_only() { return ChangelogMode(0b0001); }
  /// +I, +U, -D: the key says which row changes.
  static constexpr ChangelogMode upsert() { return ChangelogMode(0b1101); }
  static constexpr ChangelogMode all() { return ChangelogMode(0b1111); }

  constexpr ChangelogMode with(RowKind kind) const { return ChangelogMode(bits_ | (1u << static_cast<int>(kind))); }
  constexpr ChangelogMode without(RowKind kind) const { return ChangelogMode(bits_ & ~(1u << static_cast<int>(kind))); }
  constexpr bool contains(RowKind kind) const { return (bits_ >> static_cast<int>(kind)) & 1; }
  constexpr bool is_insert_only() const { return bits_ == 0b0001; }
  constexpr ChangelogMode operator|(ChangelogMode other) const { return ChangelogMode(bits_ | other.bits_); }
  constexpr bool operator==(const ChangelogMode&) const = default;
  /// "[I,UB,UA,D]", as Flink's EXPLAIN CHANGELOG_MODE prints.
  std::string to_string() const {
    std::string text = "[";
    const char* names[] = {"I", "UB", "UA", "D"};
    for (int i = 0; i < 4; ++i) {
      if ((bits_ >> i) & 1) text += (text.size() > 1 ? std::string(",") : std::string()) + names[i];
    }
    return text + "]";
  }

 private:
  constexpr explicit ChangelogMode(uint32_t bits) : bits_(static_cast<uint8_t>(bits)) {}
  uint8_t bits_ = 0;
};

}  // namespace yeoul
