#pragma once

#include <memory>

#include "yeoul/runtime/operator.h"

namespace yeoul {

/// Drops -U rows, for consumers that do not want them (Flink's DropUpdateBefore).
std::shared_ptr<const OperatorFactory> make_drop_update_before();

}  // namespace yeoul
