#pragma once

#include <string>
#include <utility>
#include <vector>

#include "yeoul/runtime/node_metrics.h"
#include "yeoul/runtime/output_target.h"

namespace yeoul {

/// What a node emits into: hands batches to each target of the tag, watermarks to all. Threads: the task's.
class NodeOutput final : public OperatorOutput {
 public:
  NodeOutput(const std::string& node_name, NodeMetrics& metrics) : node_name_(node_name), metrics_(metrics) {}

  /// @param tag  empty: the main output
  void add_target(const std::string& tag, OutputTarget* target);

  void emit(BatchPtr batch) override;
  void emit_side(std::string_view tag, BatchPtr batch) override;
  void emit_watermark(int64_t watermark) override;
  bool has_room() const override;

  /// has_room() without noting that the operator was told so.
  bool targets_have_room() const;
  /// Whether the operator was told that there is no room since the last call: it may hold a cursor.
  bool take_cut() { return std::exchange(cut_, false); }

 private:
  const std::string& node_name_;
  NodeMetrics& metrics_;
  std::vector<OutputTarget*> main_;
  std::vector<std::pair<std::string, std::vector<OutputTarget*>>> sides_;
  std::vector<OutputTarget*> all_;
  int64_t last_watermark_ = kMinWatermark;
  mutable bool cut_ = false;
};

}  // namespace yeoul
