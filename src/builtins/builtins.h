#pragma once

#include <memory>

#include "yeoul/engine/table_environment.h"

namespace yeoul {

/// Every connector, format and state backend of the program.
std::shared_ptr<const Registries> builtin_registries();

}  // namespace yeoul
