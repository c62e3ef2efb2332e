#pragma once

#include <string>

#include "yeoul/types/batch.h"

namespace yeoul {

/// Appends a row as org.apache.flink.types.Row.toString writes it: "+I[a, 1, null]". Cells are written as their Java
/// classes print themselves (2024-01-01T00:00 for a TIMESTAMP, an Instant for TIMESTAMP_LTZ, [1, 2] for BYTES, {k=v}).
void append_row_text(const RowBatch& batch, size_t row, std::string& out);

}  // namespace yeoul
