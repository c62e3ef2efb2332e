#pragma once

#include <string_view>

#include "yeoul/sql/functions/registry.h"

namespace yeoul {

/// Result types of Flink's LogicalTypeMerging; `operation` is one of + - * / %.
LogicalType decimal_result_type(char operation, const LogicalType& a, const LogicalType& b);
/// The kernel of + - * / or MOD over two arguments of that result type (decimals: of any precision and scale).
Kernel arithmetic_kernel(char operation, const LogicalType& type);
/// + - * / where one side is a time or an interval; null when neither is. User error 1103 where they do not fit.
ExpressionPtr resolve_datetime_arithmetic(std::string_view name, const Arguments& arguments);

}  // namespace yeoul
