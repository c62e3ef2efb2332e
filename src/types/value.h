#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "yeoul/types/logical_type.h"

namespace yeoul {

struct Value;

/// Milliseconds since the epoch and nanoseconds (0 to 999,999) of that millisecond.
struct TimestampValue {
  int64_t millis = 0;
  int32_t nanos = 0;
  auto operator<=>(const TimestampValue&) const = default;
};

using ValueList = std::vector<Value>;

/// One cell outside the hot path: literals, options, tests, printing. Which alternative is held follows from the
/// type: integers, DATE, TIME and intervals int64_t; FLOAT and DOUBLE double; DECIMAL int128 (unscaled); strings and
/// binaries std::string; timestamps TimestampValue whatever their precision; ARRAY and ROW their elements; MAP and
/// MULTISET key and value in turn.
struct Value {
  std::variant<std::monostate, bool, int64_t, double, int128, std::string, TimestampValue, std::shared_ptr<ValueList>>
      data;

  Value() = default;
  template <class T>
    requires(!std::is_same_v<std::decay_t<T>, Value>)
  explicit Value(T&& value) : data(std::forward<T>(value)) {}

  bool is_null() const { return data.index() == 0; }
  bool boolean() const { return std::get<bool>(data); }
  int64_t integer() const { return std::get<int64_t>(data); }
  double real() const { return std::get<double>(data); }
  int128 decimal() const { return std::get<int128>(data); }
  const std::string& string() const { return std::get<std::string>(data); }
  TimestampValue timestamp() const { return std::get<TimestampValue>(data); }
  const ValueList& list() const { return *std::get<std::shared_ptr<ValueList>>(data); }

  bool operator==(const Value& other) const;
};

}  // namespace yeoul
