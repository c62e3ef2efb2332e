#include "yeoul/sql/translator/sql_watermark_strategy.h"

namespace yeoul {
namespace {

constexpr OptionSpec kOptions[] = {
    {.key = "scan.watermark.emit.strategy",
     .type = OptionType::kEnum,
     .fallback = "on-periodic",
     .help = "When watermarks are emitted.",
     .values = "on-periodic|on-event"},
    {.key = "scan.watermark.idle-timeout",
     .type = OptionType::kDuration,
     .help = "A split without records for that long does not hold the watermark back."},
    {.key = "scan.watermark.alignment.group", .help = "Sources of one group wait for each other."},
    {.key = "scan.watermark.alignment.max-drift",
     .type = OptionType::kDuration,
     .fallback = "0 ms",
     .help = "How far a split may run ahead of its group."},
    {.key = "scan.watermark.alignment.update-interval",
     .type = OptionType::kDuration,
     .fallback = "1 s",
     .help = "How often the group's watermark is taken."},
};

class SqlWatermarkStrategy final : public SourceWatermarkStrategy {
 public:
  SqlWatermarkStrategy(ExpressionPtr expression, EvaluationConfig config)
      : expression_(make_cast(expression, milliseconds_type(expression->type))), config_(std::move(config)) {}

  void candidates(const BatchBase& batch, std::vector<int64_t>& out) const override {
    // An evaluator holds scratch memory and belongs to one thread; making one is cheap beside a batch.
    ExpressionEvaluator evaluator({expression_}, config_);
    const ColumnPtr column = evaluator.evaluate(static_cast<const RowBatch&>(batch))[0];
    const int64_t* values = column->values<int64_t>();
    out.assign(values, values + column->size());
    if (!column->may_have_nulls()) return;
    for (size_t row = 0; row < out.size(); ++row) {
      if (column->is_null(row)) out[row] = kNoTimestamp;
    }
  }

 private:
  static LogicalType milliseconds_type(const LogicalType& type) {
    const LogicalType millis =
        type.is(TypeRoot::kTimestamp) ? LogicalType::timestamp(3) : LogicalType::timestamp_ltz(3);
    return millis.as_nullable(type.nullable());
  }

  ExpressionPtr expression_;
  EvaluationConfig config_;
};

}  // namespace

std::shared_ptr<const SourceWatermarkStrategy> sql_watermark_strategy(const ScanWatermark& watermark,
                                                                      const OptionMap& session,
                                                                      const EvaluationConfig& config) {
  const Options options(fmt::format("watermark of column '{}'", watermark.column), kOptions, watermark.options);
  auto strategy = std::make_shared<SqlWatermarkStrategy>(watermark.expression, config);
  strategy->on_event = options.text("scan.watermark.emit.strategy") == "on-event";
  if (options.has("scan.watermark.idle-timeout")) {
    strategy->idle_timeout_ms = options.duration_ms("scan.watermark.idle-timeout");
  } else if (const auto it = session.find("table.exec.source.idle-timeout"); it != session.end()) {
    strategy->idle_timeout_ms = parse_duration_ms(it->first, it->second);
  }
  const bool aligned = options.has("scan.watermark.alignment.group");
  if (aligned != options.has("scan.watermark.alignment.max-drift")) {
    throw user_error(2014, "{}: '{}' needs '{}' too: watermark alignment is by a group and a drift", options.owner(),
                     aligned ? "scan.watermark.alignment.group" : "scan.watermark.alignment.max-drift",
                     aligned ? "scan.watermark.alignment.max-drift" : "scan.watermark.alignment.group");
  }
  if (options.duration_ms("scan.watermark.alignment.update-interval") <= 0) {
    throw user_error(2010, "{}: option 'scan.watermark.alignment.update-interval' must be above 0", options.owner());
  }
  strategy->alignment_group = options.text("scan.watermark.alignment.group");
  strategy->alignment_max_drift_ms = options.duration_ms("scan.watermark.alignment.max-drift");
  strategy->alignment_update_interval_ms = options.duration_ms("scan.watermark.alignment.update-interval");
  return strategy;
}

}  // namespace yeoul
