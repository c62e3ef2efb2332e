#include <bit>
#include <cstring>

#include "yeoul/types/dispatch.h"
#include "yeoul/types/kernels.h"
#include "yeoul/types/stored_cell.h"

// Sortable bytes are stored as keys of sorted-map state: nothing that this file writes may change. Every cell starts
// with 0 (NULL) or 1. Numbers are big-endian with the sign bit turned; a negative float has all its bits turned. Bytes
// end with 00 00, and a 00 inside is 00 ff. Each element of a list is preceded by 01, and 00 ends the list.

namespace yeoul {

namespace {

constexpr char kEnd = 0;
constexpr char kMore = 1;
constexpr char kEscapedZero = static_cast<char>(0xff);

template <size_t kBytes>
using Unsigned = std::conditional_t<
    kBytes == 1, uint8_t,
    std::conditional_t<kBytes == 2, uint16_t,
                       std::conditional_t<kBytes == 4, uint32_t, std::conditional_t<kBytes == 8, uint64_t, uint128>>>>;

template <class T>
Unsigned<sizeof(T)> to_ordered_bits(T value) {
  using Bits = Unsigned<sizeof(T)>;
  constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value) value = std::numeric_limits<T>::quiet_NaN();
    const auto bits = std::bit_cast<Bits>(value);
    return bits & kSign ? ~bits : bits | kSign;
  } else {
    return static_cast<Bits>(value) ^ kSign;
  }
}

template <class T>
T from_ordered_bits(Unsigned<sizeof(T)> bits) {
  using Bits = Unsigned<sizeof(T)>;
  constexpr Bits kSign = Bits{1} << (sizeof(T) * 8 - 1);
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(static_cast<Bits>(bits & kSign ? bits ^ kSign : ~bits));
  } else {
    return static_cast<T>(static_cast<Bits>(bits ^ kSign));
  }
}

template <class T>
void append_number(T value, std::string& out) {
  auto bits = to_ordered_bits(value);
  char bytes[sizeof(T)];
  for (size_t i = sizeof(T); i-- > 0;) {
    bytes[i] = static_cast<char>(bits & 0xff);
    bits = static_cast<decltype(bits)>(bits >> (sizeof(T) > 1 ? 8 : 0));
  }
  out.append(bytes, sizeof bytes);
}

char cut_byte(std::string_view& bytes) {
  if (bytes.empty()) throw_damaged_cell("a sortable cell ends too early");
  const char byte = bytes[0];
  bytes.remove_prefix(1);
  return byte;
}

template <class T>
T cut_number(std::string_view& bytes) {
  Unsigned<sizeof(T)> bits = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    bits = static_cast<decltype(bits)>((bits << (sizeof(T) > 1 ? 8 : 0)) | static_cast<uint8_t>(cut_byte(bytes)));
  }
  return from_ordered_bits<T>(bits);
}

void append_escaped(std::string_view bytes, std::string& out) {
  for (size_t zero; (zero = bytes.find('\0')) != std::string_view::npos;) {
    out.append(bytes.substr(0, zero + 1));
    out.push_back(kEscapedZero);
    bytes.remove_prefix(zero + 1);
  }
  out.append(bytes);
  out.append(2, '\0');
}

std::string cut_escaped(std::string_view& bytes) {
  std::string text;
  while (true) {
    const size_t zero = bytes.find('\0');
    if (zero == std::string_view::npos) throw_damaged_cell("a sortable string has no end");
    text.append(bytes.substr(0, zero));
    bytes.remove_prefix(zero + 1);
    const char next = cut_byte(bytes);
    if (next == kEnd) return text;
    if (next != kEscapedZero) throw_damaged_cell("a sortable string has a wrong escape");
    text.push_back('\0');
  }
}

}  // namespace

void append_sortable(const Column& column, size_t row, std::string& out) {
  if (column.is_null(row)) {
    out.push_back(kNullCell);
    return;
  }
  out.push_back(kPresentCell);
  const PhysicalType physical = column.type().physical();
  // Bools are unsigned, yet the turned top bit keeps their order.
  const bool fixed =
      visit_fixed_width(physical, [&]<class T>(std::type_identity<T>) { append_number(column.values<T>()[row], out); });
  if (fixed) return;
  switch (physical) {
    case PhysicalType::kTimestampNanos:
      append_number(column.values<int64_t>()[row], out);
      append_number(column.nanos()[row], out);
      break;
    case PhysicalType::kBytes:
      append_escaped(column.string_at(row), out);
      break;
    case PhysicalType::kList:
      for (int32_t i = column.offsets()[row]; i < column.offsets()[row + 1]; ++i) {
        out.push_back(kMore);
        append_sortable(column.child(0), i, out);
      }
      out.push_back(kEnd);
      break;
    case PhysicalType::kMap:
      for (const uint32_t entry : entries_in_key_order(column, row)) {
        out.push_back(kMore);
        append_sortable(column.child(0), entry, out);
        append_sortable(column.child(1), entry, out);
      }
      out.push_back(kEnd);
      break;
    case PhysicalType::kStruct:
      for (const ColumnPtr& child : column.children()) append_sortable(*child, row, out);
      break;
    default:
      break;
  }
}

void append_from_sortable(std::string_view& bytes, ColumnBuilder& builder) {
  const char presence = cut_byte(bytes);
  if (presence == kNullCell) return builder.append_null();
  if (presence != kPresentCell) throw_damaged_cell("a sortable cell starts with neither 0 nor 1");
  const PhysicalType physical = builder.type().physical();
  const bool fixed =
      visit_fixed_width(physical, [&]<class T>(std::type_identity<T>) { builder.append(cut_number<T>(bytes)); });
  if (fixed) return;
  switch (physical) {
    case PhysicalType::kTimestampNanos: {
      const auto millis = cut_number<int64_t>(bytes);
      return builder.append_timestamp_nanos(millis, cut_number<int32_t>(bytes));
    }
    case PhysicalType::kBytes:
      return builder.append_string(cut_escaped(bytes));
    case PhysicalType::kList:
    case PhysicalType::kMap:
      while (cut_byte(bytes) == kMore) {
        for (size_t c = 0; c < builder.type().fields().size(); ++c) append_from_sortable(bytes, builder.child(c));
      }
      return builder.finish_list();
    case PhysicalType::kStruct:
      for (size_t c = 0; c < builder.type().fields().size(); ++c) append_from_sortable(bytes, builder.child(c));
      return builder.finish_struct();
    default:
      throw_damaged_cell("a sortable cell of a type that has only NULL");
  }
}

}  // namespace yeoul
