#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yeoul/common/options.h"
#include "yeoul/types/column.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {

/// Makes the cells of one column (or of a field inside one) from row numbers.
struct FieldGenerator {
  LogicalType type;
  bool sequence = false;
  uint64_t seed = 0;
  double null_rate = 0;
  // Of integers, intervals and DECIMAL (unscaled): random values lie in [min, max]; a sequence starts at min and ends
  // at max, by whole numbers (`step` unscaled).
  int128 min = 0;
  int128 max = 0;
  int128 step = 1;
  // Of FLOAT and DOUBLE.
  double real_min = 0;
  double real_max = 0;
  int length = 0;
  bool variable_length = false;
  int64_t max_past_ms = 0;
  std::vector<FieldGenerator> children;

  /// Rows that a sequence gives; a negative number for random fields.
  int64_t sequence_rows() const;
  /// Cells of rows first, first + stride, …
  /// @param now_ms  what "now" is for times
  ColumnPtr generate(uint64_t first, uint64_t stride, size_t count, int64_t now_ms, const TimeZone& zone) const;

  /// Reads the options "fields.<path>.…" of a column; adds the keys it knows to `known`.
  /// @throws user error 2010 for a value that does not fit, 2014 for a type that cannot be generated.
  static FieldGenerator read(const std::string& path, const LogicalType& type, const OptionMap& options, uint64_t seed,
                             std::vector<std::string>& known);
};

}  // namespace yeoul
