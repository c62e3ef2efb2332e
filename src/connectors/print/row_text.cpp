#include "yeoul/connectors/print/row_text.h"

#include <fmt/format.h>

#include <iterator>

#include "yeoul/types/text.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {
namespace {

/// Seconds and fraction as java.time prints them: nothing where both are zero (unless `always`), else three, six or
/// nine digits of the fraction.
void append_seconds(int64_t second, int32_t nanos, bool always, std::string& out) {
  if (second == 0 && nanos == 0 && !always) return;
  fmt::format_to(std::back_inserter(out), ":{:02}", second);
  if (nanos == 0) return;
  if (nanos % 1'000'000 == 0) {
    fmt::format_to(std::back_inserter(out), ".{:03}", nanos / 1'000'000);
  } else if (nanos % 1000 == 0) {
    fmt::format_to(std::back_inserter(out), ".{:06}", nanos / 1000);
  } else {
    fmt::format_to(std::back_inserter(out), ".{:09}", nanos);
  }
}

void append_clock(int64_t millis_of_day, int32_t nanos, bool always_seconds, std::string& out) {
  const int64_t seconds = millis_of_day / 1000;
  fmt::format_to(std::back_inserter(out), "{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
  append_seconds(seconds % 60, static_cast<int32_t>(millis_of_day % 1000) * 1'000'000 + nanos, always_seconds, out);
}

void append_timestamp(TimestampValue value, bool instant, std::string& out) {
  constexpr int64_t kDay = 86'400'000;
  const int64_t days = value.millis / kDay - (value.millis % kDay < 0 ? 1 : 0);
  append_date_text(static_cast<int32_t>(days), out);
  out += 'T';
  append_clock(value.millis - days * kDay, value.nanos, instant, out);
  if (instant) out += 'Z';
}

/// java.time.Duration.
void append_duration(int64_t millis, std::string& out) {
  if (millis == 0) {
    out += "PT0S";
    return;
  }
  out += "PT";
  const int64_t seconds = millis / 1000;
  if (seconds / 3600 != 0) fmt::format_to(std::back_inserter(out), "{}H", seconds / 3600);
  if (seconds / 60 % 60 != 0) fmt::format_to(std::back_inserter(out), "{}M", seconds / 60 % 60);
  if (millis % 60'000 == 0) return;
  if (millis < 0 && seconds % 60 == 0) out += '-';
  fmt::format_to(std::back_inserter(out), "{}", seconds % 60);
  if (int64_t fraction = std::abs(millis % 1000); fraction != 0) {
    std::string digits = fmt::format("{:03}", fraction);
    while (digits.back() == '0') digits.pop_back();
    out += '.' + digits;
  }
  out += 'S';
}

/// java.time.Period.
void append_period(int32_t months, std::string& out) {
  if (months == 0) {
    out += "P0D";
    return;
  }
  out += 'P';
  if (months / 12 != 0) fmt::format_to(std::back_inserter(out), "{}Y", months / 12);
  if (months % 12 != 0) fmt::format_to(std::back_inserter(out), "{}M", months % 12);
}

void append_cell(const Column& column, size_t row, std::string& out);

void append_elements(const Column& column, size_t row, std::string& out) {
  const bool is_map = column.type().physical() == PhysicalType::kMap;
  out += is_map ? '{' : '[';
  const int32_t begin = column.offsets()[row];
  for (int32_t i = begin; i < column.offsets()[row + 1]; ++i) {
    if (i != begin) out += ", ";
    append_cell(column.child(0), static_cast<size_t>(i), out);
    if (!is_map) continue;
    out += '=';
    append_cell(column.child(1), static_cast<size_t>(i), out);
  }
  out += is_map ? '}' : ']';
}

void append_cell(const Column& column, size_t row, std::string& out) {
  if (column.is_null(row)) {
    out += "null";
    return;
  }
  switch (column.type().root()) {
    case TypeRoot::kBoolean:
      out += column.values<uint8_t>()[row] != 0 ? "true" : "false";
      return;
    case TypeRoot::kTime:
      return append_clock(column.values<int32_t>()[row], 0, false, out);
    case TypeRoot::kTimestamp:
      return append_timestamp(column.timestamp_at(row), false, out);
    case TypeRoot::kTimestampLtz:
      return append_timestamp(column.timestamp_at(row), true, out);
    case TypeRoot::kIntervalDayTime:
      return append_duration(column.values<int64_t>()[row], out);
    case TypeRoot::kIntervalYearMonth:
      return append_period(column.values<int32_t>()[row], out);
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary: {
      out += '[';
      const std::string_view bytes = column.string_at(row);
      for (size_t i = 0; i < bytes.size(); ++i) {
        fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ", ",
                       static_cast<int>(static_cast<int8_t>(bytes[i])));
      }
      out += ']';
      return;
    }
    case TypeRoot::kArray:
    case TypeRoot::kMap:
    case TypeRoot::kMultiset:
      return append_elements(column, row, out);
    case TypeRoot::kRow:
      out += "+I[";
      for (size_t i = 0; i < column.children().size(); ++i) {
        if (i != 0) out += ", ";
        append_cell(column.child(i), row, out);
      }
      out += ']';
      return;
    default:
      return append_text(column, row, TimeZone(), out);
  }
}

}  // namespace

void append_row_text(const RowBatch& batch, size_t row, std::string& out) {
  out += short_name(batch.kind(row));
  out += '[';
  for (size_t i = 0; i < batch.columns.size(); ++i) {
    if (i != 0) out += ", ";
    append_cell(*batch.columns[i], row, out);
  }
  out += ']';
}

}  // namespace yeoul
