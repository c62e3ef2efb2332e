#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "yeoul/common/utf8.h"
#include "yeoul/sql/functions/cast.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/types/text.h"

namespace yeoul {

namespace {

/// Cuts or pads what was appended since `start` to the length of CHAR(n), VARCHAR(n).
void fit_length(const LogicalType& type, size_t start, Buffer& out) {
  if (type.length() == LogicalType::kMaxLength) return;
  const auto length = static_cast<size_t>(type.length());
  const size_t bytes = out.size() - start;
  if (bytes <= length && type.is(TypeRoot::kVarchar)) return;
  const std::string_view text(out.data() + start, bytes);
  const size_t end = utf8_offset(text, length);
  if (end < bytes) {
    out.resize(start + end);
    return;
  }
  if (type.is(TypeRoot::kChar)) {
    for (size_t have = utf8_length(text); have < length; ++have) out.append(" ", 1);
  }
}

ColumnPtr text_to_text(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const size_t start = out.size();
    append_bytes(out, in[i]);
    fit_length(call.type, start, out);
    return true;
  });
}

template <class T>
ColumnPtr integer_to_text(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<T> in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, int64_t{in[i]}).ptr;
    const size_t start = out.size();
    out.append(digits, static_cast<size_t>(end - digits));
    fit_length(call.type, start, out);
    return true;
  });
}

ColumnPtr any_to_text(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::string text;
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    text.clear();
    append_text(*arguments[0].column, arguments[0].row(i), context.config().zone, text);
    const size_t start = out.size();
    append_bytes(out, text);
    fit_length(call.type, start, out);
    return true;
  });
}

ColumnPtr binary_to_text(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const size_t start = out.size();
    append_valid_utf8(in[i], out);
    fit_length(call.type, start, out);
    return true;
  });
}

/// Bytes cut to n, and filled up with zeros for BINARY(n).
ColumnPtr to_binary(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const auto length = static_cast<size_t>(call.type.length());
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const std::string_view bytes = in[i].substr(0, length);
    append_bytes(out, bytes);
    if (call.type.is(TypeRoot::kBinary)) {
      for (size_t have = bytes.size(); have < length; ++have) out.append("", 1);
    }
    return true;
  });
}

/// Flink's own parser of integers: blanks around, a sign, digits, and a fraction that is dropped.
enum class ParseFailure : uint8_t { kNone, kEmpty, kInvalid, kOverflow };
ParseFailure parse_integer_text(std::string_view text, int64_t low, int64_t high, int64_t& value) {
  text = trim_blanks(text);
  if (text.empty()) return ParseFailure::kEmpty;
  const bool negative = text[0] == '-';
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  if (text.empty()) return ParseFailure::kInvalid;
  int128 number = 0;
  size_t i = 0;
  for (; i < text.size() && text[i] != '.'; ++i) {
    if (text[i] < '0' || text[i] > '9') return ParseFailure::kInvalid;
    if (number <= std::numeric_limits<int64_t>::max()) number = number * 10 + (text[i] - '0');
  }
  for (++i; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') return ParseFailure::kInvalid;
  }
  if (negative) number = -number;
  if (number < low || number > high) return ParseFailure::kOverflow;
  value = static_cast<int64_t>(number);
  return ParseFailure::kNone;
}

template <class T>
ColumnPtr text_to_integer(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                          size_t n) {
  const StringReader in(arguments[0]);
  return write_cells<T>(call, arguments, n, [&](size_t i) -> std::optional<T> {
    int64_t value = 0;
    const ParseFailure failure =
        parse_integer_text(in[i], std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), value);
    if (failure == ParseFailure::kNone) return static_cast<T>(value);
    context.row_error(static_cast<uint32_t>(i),
                      fmt::format("For input string: '{}'. {}", in[i],
                                  failure == ParseFailure::kEmpty      ? "Input is empty."
                                  : failure == ParseFailure::kOverflow ? "Overflow."
                                                                       : "Invalid character found."));
    return std::nullopt;
  });
}

template <class T>
ColumnPtr text_to_real(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_cells<T>(call, arguments, n, [&](size_t i) -> std::optional<T> {
    const std::optional<double> value = parse_double_text(in[i]);
    if (!value) {
      context.row_error(static_cast<uint32_t>(i), trim_blanks(in[i]).empty()
                                                      ? std::string("empty String")
                                                      : fmt::format("For input string: \"{}\"", in[i]));
      return std::nullopt;
    }
    if constexpr (std::is_same_v<T, float>) {
      // Rounded once, from the text, as Float.parseFloat.
      const std::string text(trim_blanks(in[i]));
      if (std::isfinite(*value)) return std::strtof(text.c_str(), nullptr);
    }
    return static_cast<T>(*value);
  });
}

ColumnPtr text_to_decimal(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                          size_t n) {
  const StringReader in(arguments[0]);
  return write_cells<int128>(call, arguments, n, [&](size_t i) -> std::optional<int128> {
    const std::string_view text = trim_blanks(in[i]);
    // Flink's parser lets one last byte that is no digit pass; a text that is nothing else is 0.
    if (text.size() == 1 && static_cast<uint8_t>(text[0]) >= 'A') return int128{0};
    const std::optional<int128> value = parse_decimal(text, call.type.precision(), call.type.scale());
    if (!value) context.row_error(static_cast<uint32_t>(i), fmt::format("For input string: '{}'. Overflow.", in[i]));
    return value;
  });
}

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]) != lower[i]) return false;
  }
  return true;
}

ColumnPtr text_to_boolean(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                          size_t n) {
  const StringReader in(arguments[0]);
  return write_cells<uint8_t>(call, arguments, n, [&](size_t i) -> std::optional<uint8_t> {
    for (const std::string_view word : {"t", "true", "y", "yes", "1"}) {
      if (equal_ignoring_case(in[i], word)) return uint8_t{1};
    }
    for (const std::string_view word : {"f", "false", "n", "no", "0"}) {
      if (equal_ignoring_case(in[i], word)) return uint8_t{0};
    }
    context.row_error(static_cast<uint32_t>(i), fmt::format("Cannot parse '{}' as BOOLEAN.", in[i]));
    return std::nullopt;
  });
}

ColumnPtr text_to_date(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> std::optional<int32_t> {
    const std::optional<int32_t> days = parse_date_text(trim_blanks(in[i]));
    if (!days) context.row_error(static_cast<uint32_t>(i), fmt::format("For input string: '{}'.", in[i]));
    return days;
  });
}

ColumnPtr text_to_time(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  static constexpr int32_t kUnits[] = {1000, 100, 10, 1};
  const int32_t unit = kUnits[std::min(call.type.precision(), 3)];
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> std::optional<int32_t> {
    const std::optional<int32_t> millis = parse_time_text(trim_blanks(in[i]));
    if (!millis) {
      context.row_error(static_cast<uint32_t>(i),
                        fmt::format("Invalid time format: '{}'. Expected format: HH:mm:ss[.fff] where HH is 00-23, mm "
                                    "is 00-59, ss is 00-59",
                                    in[i]));
      return std::nullopt;
    }
    return *millis / unit * unit;
  });
}

ColumnPtr text_to_timestamp(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                            size_t n) {
  const StringReader in(arguments[0]);
  const bool local = call.type.is(TypeRoot::kTimestampLtz);
  return write_timestamps(call, arguments, n, [&](size_t i) -> std::optional<TimestampValue> {
    std::string error;
    std::optional<TimestampValue> value = parse_timestamp_text(in[i], error);
    if (!value) {
      context.row_error(static_cast<uint32_t>(i), error);
      return std::nullopt;
    }
    if (local) value->millis = context.config().zone.local_to_instant_ms(value->millis);
    return truncate_timestamp(*value, call.type.precision(), true);
  });
}

Kernel kernel_to_text(const LogicalType& from) {
  switch (from.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return text_to_text;
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return binary_to_text;
    case TypeRoot::kTinyint:
      return integer_to_text<int8_t>;
    case TypeRoot::kSmallint:
      return integer_to_text<int16_t>;
    case TypeRoot::kInteger:
      return integer_to_text<int32_t>;
    case TypeRoot::kBigint:
      return integer_to_text<int64_t>;
    case TypeRoot::kTimestampTz:
    case TypeRoot::kRaw:
    case TypeRoot::kNull:
    case TypeRoot::kVariant:
    case TypeRoot::kSymbol:
      return nullptr;
    default:
      return any_to_text;
  }
}

Kernel kernel_from_text(const LogicalType& to) {
  switch (to.root()) {
    case TypeRoot::kBoolean:
      return text_to_boolean;
    case TypeRoot::kTinyint:
      return text_to_integer<int8_t>;
    case TypeRoot::kSmallint:
      return text_to_integer<int16_t>;
    case TypeRoot::kInteger:
      return text_to_integer<int32_t>;
    case TypeRoot::kBigint:
      return text_to_integer<int64_t>;
    case TypeRoot::kFloat:
      return text_to_real<float>;
    case TypeRoot::kDouble:
      return text_to_real<double>;
    case TypeRoot::kDecimal:
      return text_to_decimal;
    case TypeRoot::kDate:
      return text_to_date;
    case TypeRoot::kTime:
      return text_to_time;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return text_to_timestamp;
    default:
      return nullptr;
  }
}

}  // namespace

CastRule text_cast(const LogicalType& from, const LogicalType& to) {
  if (to.is_string()) return {kernel_to_text(from), false};
  if (to.is_binary() && (from.is_string() || from.is_binary())) return {to_binary, false};
  if (from.is_string()) return {kernel_from_text(to), true};
  return {};
}

std::optional<double> parse_double_text(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  std::string_view body = text;
  const bool negative = !body.empty() && body[0] == '-';
  if (!body.empty() && (body[0] == '-' || body[0] == '+')) body.remove_prefix(1);
  if (body == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (body == "Infinity") {
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  if (!body.empty() && std::string_view("dDfF").find(body.back()) != std::string_view::npos) body.remove_suffix(1);
  if (body.empty()) return std::nullopt;
  double value = 0;
  const bool hex = body.starts_with("0x") || body.starts_with("0X");
  if (hex) {
    body.remove_prefix(2);
    if (body.find_first_of("pP") == std::string_view::npos) return std::nullopt;
  } else if ((body[0] < '0' || body[0] > '9') && body[0] != '.') {
    return std::nullopt;
  }
  const auto result = std::from_chars(body.data(), body.data() + body.size(), value,
                                      hex ? std::chars_format::hex : std::chars_format::general);
  if (result.ptr != body.data() + body.size() || result.ec == std::errc::invalid_argument) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) value = std::strtod(std::string(body).c_str(), nullptr);
  return negative ? -value : value;
}

}  // namespace yeoul
