#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/connectors/api/sink.h"
#include "yeoul/connectors/api/source.h"
#include "yeoul/runtime/operator.h"

namespace yeoul {

class BatchSplitter;

/// Makes the watermarks of one split, where they do not follow from its rows alone. Threads: the task's.
class SplitWatermarkGenerator {
 public:
  virtual ~SplitWatermarkGenerator() = default;
  /// The next rows of the split. Sets candidates[i] to what row i justifies; kMinWatermark (as it comes) for nothing.
  virtual void on_rows(const BatchBase& batch, const SourceRun& run, std::vector<int64_t>& candidates) = 0;
  /// Every auto-watermark interval while the split is not idle. @return what it justifies; kMinWatermark for nothing
  virtual int64_t on_periodic_emit() = 0;
};

/// Event time of a source: watermark candidates of a whole batch at once, made by the translator or the DataStream API.
/// The runtime keeps one generator per split (D7).
class SourceWatermarkStrategy {
 public:
  virtual ~SourceWatermarkStrategy() = default;
  /// For each row the watermark it would justify, already minus its delay, in milliseconds; kNoTimestamp where there is
  /// none.
  virtual void candidates(const BatchBase& batch, std::vector<int64_t>& out) const = 0;
  /// One for each split, asked instead of candidates(); null: there are none.
  virtual std::unique_ptr<SplitWatermarkGenerator> create_generator() const { return nullptr; }
  /// 'scan.watermark.emit.strategy' = 'on-event': a watermark follows each row that raises it (the batch is cut there).
  bool on_event = false;
  /// For `on_event`: cuts the source's batches; null: they are rows.
  std::shared_ptr<const BatchSplitter> splitter;
  /// 'scan.watermark.idle-timeout' or table.exec.source.idle-timeout; 0: never idle.
  int64_t idle_timeout_ms = 0;
  /// 'scan.watermark.alignment.*': group, drift and update interval; empty group: none.
  std::string alignment_group;
  int64_t alignment_max_drift_ms = 0;
  int64_t alignment_update_interval_ms = 1000;
};

/// How an edge deals out records over the target's subtasks; kRebalance deals whole batches in turn, kCustom as a
/// function of the user's says.
enum class Partitioning : uint8_t { kForward, kHash, kRebalance, kBroadcast, kCustom };

/// Groups of the keys of a batch, and parts of it; for hash edges. Const, shared by tasks.
class KeySelector {
 public:
  virtual ~KeySelector() = default;
  /// The key group of each live record.
  virtual void key_groups(const BatchBase& batch, int max_parallelism, std::vector<uint32_t>& out) const = 0;
};

/// Subtasks for the records of a batch; for custom edges. Const, shared by tasks.
class RecordPartitioner {
 public:
  virtual ~RecordPartitioner() = default;
  /// The partition of each live record, from 0 to `num_partitions` - 1.
  virtual void partitions(const BatchBase& batch, int num_partitions, std::vector<uint32_t>& out) const = 0;
};

/// Cuts batches of one record type at exchanges. Const.
class BatchSplitter {
 public:
  virtual ~BatchSplitter() = default;
  /// The batch without selection.
  virtual BatchPtr compact(const BatchPtr& batch) const = 0;
  /// The given live records (numbers among the live ones), in that order.
  virtual BatchPtr take(const BatchPtr& batch, const std::vector<uint32_t>& records) const = 0;
};

/// Splitter of Batch<Row>; of Batch<T> through the template.
std::shared_ptr<const BatchSplitter> row_batch_splitter();
/// Selector by columns of Batch<Row>.
std::shared_ptr<const KeySelector> row_key_selector(std::vector<int> key_columns);

struct StreamEdge {
  int source = -1;
  int target = -1;
  int target_input = 0;
  std::string output_tag;  ///< empty: the main output
  Partitioning partitioning = Partitioning::kForward;
  std::shared_ptr<const KeySelector> key_selector;       ///< kHash
  std::shared_ptr<const RecordPartitioner> partitioner;  ///< kCustom
  std::shared_ptr<const BatchSplitter> splitter;         ///< all but kForward
};

/// One of source, operator or sink.
struct StreamNode {
  int id = -1;
  std::string name;  ///< "Source: pageviews", "GroupAggregate[…]"
  std::string uid;   ///< identity of its state (D12); unique in the graph
  int parallelism = 1;
  std::shared_ptr<const Source> source;
  std::shared_ptr<const SourceWatermarkStrategy> watermarks;  ///< sources only; null: no event time
  std::shared_ptr<const OperatorFactory> operator_factory;
  std::shared_ptr<const Sink> sink;
  int num_inputs = 0;
  bool chain_with_input = true;  ///< false: starts a chain of its own
};

/// What is to run: nodes and edges, before chaining and placing.
class StreamGraph {
 public:
  int add_source(std::string name, std::string uid, int parallelism, std::shared_ptr<const Source> source,
                 std::shared_ptr<const SourceWatermarkStrategy> watermarks = nullptr);
  int add_operator(std::string name, std::string uid, int parallelism, int num_inputs,
                   std::shared_ptr<const OperatorFactory> factory);
  int add_sink(std::string name, std::string uid, int parallelism, std::shared_ptr<const Sink> sink);
  void connect(StreamEdge edge);

  std::vector<StreamNode>& nodes() { return nodes_; }
  const std::vector<StreamNode>& nodes() const { return nodes_; }
  const std::vector<StreamEdge>& edges() const { return edges_; }
  /// True when every source is bounded.
  bool bounded() const;

 private:
  std::vector<StreamNode> nodes_;
  std::vector<StreamEdge> edges_;
};

}  // namespace yeoul
