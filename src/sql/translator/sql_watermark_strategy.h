#pragma once

#include <memory>

#include "yeoul/runtime/stream_graph.h"
#include "yeoul/sql/binder/logical_plan.h"
#include "yeoul/sql/functions/evaluator.h"

namespace yeoul {

/// WATERMARK FOR c AS expression, evaluated over whole batches of a scan; with the table's 'scan.watermark.*' options
/// and the session's table.exec.source.idle-timeout.
std::shared_ptr<const SourceWatermarkStrategy> sql_watermark_strategy(const ScanWatermark& watermark,
                                                                      const OptionMap& session,
                                                                      const EvaluationConfig& config);

}  // namespace yeoul
