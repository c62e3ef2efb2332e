#pragma once

#include <cstdint>
#include <string_view>

namespace yeoul {

/// What a changelog row does; Flink's values and short names.
enum class RowKind : uint8_t { kInsert = 0, kUpdateBefore = 1, kUpdateAfter = 2, kDelete = 3 };

/// "+I", "-U", "+U", "-D".
constexpr std::string_view short_name(RowKind kind) {
  constexpr std::string_view kNames[] = {"+I", "-U", "+U", "-D"};
  return kNames[static_cast<int>(kind)];
}

/// True for -U and -D.
constexpr bool is_retraction(RowKind kind) {
  return kind == RowKind::kUpdateBefore || kind == RowKind::kDelete;
}

}  // namespace yeoul
