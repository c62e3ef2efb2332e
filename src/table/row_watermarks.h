#pragma once

#include <memory>

#include "yeoul/runtime/operator.h"
#include "yeoul/runtime/stream_graph.h"

namespace yeoul {

/// Makes watermarks of a stream's rows by the expression of its table's WATERMARK, every `interval_ms`; those of the
/// stream end here, but for the last.
std::shared_ptr<const OperatorFactory> make_row_watermarks(std::shared_ptr<const SourceWatermarkStrategy> strategy,
                                                           int64_t interval_ms);

}  // namespace yeoul
