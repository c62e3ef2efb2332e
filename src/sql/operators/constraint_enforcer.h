#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "yeoul/runtime/operator.h"

namespace yeoul {

/// Holds rows to the types of a sink's columns (Flink's ConstraintEnforcer).
struct ConstraintEnforcerSpec {
  /// table.exec.sink.type-length-enforcer
  enum class Length : uint8_t {
    kIgnore,
    kTrimPad,  ///< cut what is too long, pad CHAR with blanks and BINARY with zero bytes
    kThrow,
  };
  /// Names and types of the sink's columns.
  Schema columns;
  /// Columns in which no NULL may be written.
  std::vector<int> not_null;
  /// table.exec.sink.not-null-enforcer = DROP: a row with such a NULL is dropped; else it is a user error.
  bool drop_nulls = false;
  Length length = Length::kIgnore;
};

/// @throws user error 3110 for a NULL, 3111 for a length; both in Flink's words
std::shared_ptr<const OperatorFactory> make_constraint_enforcer(ConstraintEnforcerSpec spec);

}  // namespace yeoul
