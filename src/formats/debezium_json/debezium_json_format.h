#pragma once

#include <memory>

#include "yeoul/formats/api/format.h"

namespace yeoul {

/// The format 'debezium-json': Debezium's change events, without metadata columns.
std::unique_ptr<FormatFactory> make_debezium_json_format();

}  // namespace yeoul
