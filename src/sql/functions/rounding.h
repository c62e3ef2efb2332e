#pragma once

#include <string_view>

#include "yeoul/sql/functions/expression.h"

namespace yeoul {

/// FLOOR and CEIL of a number; DECIMAL(p, s) becomes DECIMAL(p, 0).
ExpressionPtr make_whole_number(std::string_view name, ExpressionPtr argument, bool ceil);

}  // namespace yeoul
