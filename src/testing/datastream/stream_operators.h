#pragma once

#include <cstdint>
#include <memory>

#include "yeoul/testing/generated_operators.h"

namespace yeoul {

/// Operators of the DataStream API for simulated jobs, as programs get them: a SimOperatorMaker.
std::shared_ptr<const OperatorFactory> stream_operator(SimOperator kind, int node, int64_t a, int64_t b);

}  // namespace yeoul
