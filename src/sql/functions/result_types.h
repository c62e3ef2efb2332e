#pragma once

#include <algorithm>
#include <span>

#include "yeoul/sql/functions/registry.h"

namespace yeoul {

// Result types that rows of the function tables name; nullability is the row's NullRule.

template <TypeRoot kRoot>
LogicalType type_of_root(std::span<const ExpressionPtr>) {
  return LogicalType(kRoot);
}
inline LogicalType type_string(std::span<const ExpressionPtr>) {
  return LogicalType::string();
}
inline LogicalType type_bytes(std::span<const ExpressionPtr>) {
  return LogicalType::bytes();
}
template <int kLength>
LogicalType type_char(std::span<const ExpressionPtr>) {
  return LogicalType::char_(kLength);
}
template <int kLength>
LogicalType type_varchar(std::span<const ExpressionPtr>) {
  return LogicalType::varchar(kLength);
}
/// The type of argument kIndex.
template <size_t kIndex>
LogicalType type_of_argument(std::span<const ExpressionPtr> arguments) {
  return arguments[kIndex]->type;
}
/// VARCHAR of the length of argument 0.
inline LogicalType type_varying(std::span<const ExpressionPtr> arguments) {
  return LogicalType::varchar(arguments[0]->type.length());
}
/// VARCHAR of the lengths of arguments 0 and 1 together.
inline LogicalType type_concatenated(std::span<const ExpressionPtr> arguments) {
  const int64_t length = int64_t{arguments[0]->type.length()} + arguments[1]->type.length();
  return LogicalType::varchar(static_cast<int>(std::min<int64_t>(length, LogicalType::kMaxLength)));
}
inline LogicalType type_string_array(std::span<const ExpressionPtr>) {
  return LogicalType::array(LogicalType::string());
}

}  // namespace yeoul
