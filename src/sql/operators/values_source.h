#pragma once

#include <memory>
#include <vector>

#include "yeoul/connectors/api/source.h"
#include "yeoul/types/value.h"

namespace yeoul {

/// VALUES as a table: a bounded source of literal rows, read by subtask 0 in their order. Its position is part of its
/// split, so that a restored job goes on behind the last row.
std::shared_ptr<const Source> make_values_source(Schema schema, std::vector<ValueList> rows);

}  // namespace yeoul
