#pragma once

#include <memory>
#include <string>

#include "yeoul/connectors/api/table_factory.h"
#include "yeoul/runtime/stream_graph.h"

namespace yeoul {

/// What a scan of a stream's table is to give.
struct StreamScan {
  std::string name;  ///< of the operator
  std::string uid;   ///< of its state; further operators append to it
  ScanRequest request;
  std::shared_ptr<const SourceWatermarkStrategy> watermarks;  ///< null: none are made
  bool source_watermarks = false;                             ///< the stream's own are handed on
};

/// A table whose rows come from operators of the graph that the plan becomes part of, not from a source of its own
/// (Flink's DataStreamScanProvider).
class StreamTableSource : public TableSource {
 public:
  /// Adds what makes rows of the stream's records; all parallelisms are settled. Returns the node that gives them.
  virtual int add_scan(StreamGraph& graph, StreamScan scan) const = 0;

  bool supports_source_watermark() const override { return true; }
  std::shared_ptr<const Source> create_source(const ScanRequest&) const final {
    throw internal_error(9005, "a stream's table has no source");
  }
};

}  // namespace yeoul
