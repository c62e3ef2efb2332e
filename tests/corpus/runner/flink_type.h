#pragma once

#include <string>

#include "yeoul/types/logical_type.h"

namespace yeoul {

/// How the corpus spells types: as a logical type's summary, or as Flink's SQL gateway answers.
enum class TypeSpelling : uint8_t { kSummary, kGateway };

/// "DECIMAL(8, 6) NOT NULL" or "DECIMAL(8,6) NOT NULL", "STRING" or "VARCHAR(2147483647)", …
std::string flink_type(const LogicalType& type, TypeSpelling spelling);

}  // namespace yeoul
