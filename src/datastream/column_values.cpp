#include "yeoul/datastream/column_values.h"

#include <limits>

#include "yeoul/common/error.h"

namespace yeoul {

void throw_null(const std::string& cpp_name) {
  throw user_error(
      3300,
      "it is NULL, which {} cannot be: make it std::optional<{}>, or let none come (of a query, by COALESCE or "
      "WHERE … IS NOT NULL)",
      cpp_name, cpp_name);
}

void check_text_bytes(size_t bytes) {
  constexpr auto kBytesMax = static_cast<size_t>(std::numeric_limits<int32_t>::max());
  if (bytes > kBytesMax) {
    throw user_error(3303, "the texts of one batch are {} bytes long; at most {} are possible: make batches smaller",
                     bytes, kBytesMax);
  }
}

void ColumnValues<TimestampValue>::append(ColumnBuilder& builder, const TimestampValue& value) {
  if (builder.type().physical() == PhysicalType::kTimestampNanos) {
    builder.append_timestamp_nanos(value.millis, value.nanos);
  } else if (builder.type().precision() <= 3) {
    builder.append<int64_t>(value.millis);
  } else {
    builder.append<int64_t>(value.millis * 1000 + value.nanos / 1000);
  }
}

}  // namespace yeoul
