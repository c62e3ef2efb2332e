#include "yeoul/types/value.h"

#include <bit>

namespace yeoul {

namespace {

bool same_double(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) || (a != a && b != b);
}

}  // namespace

bool Value::operator==(const Value& other) const {
  if (data.index() != other.data.index()) return false;
  if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&data)) {
    return **list == other.list();
  }
  if (const auto* number = std::get_if<double>(&data)) return same_double(*number, other.real());
  return data == other.data;
}

}  // namespace yeoul
