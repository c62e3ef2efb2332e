#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "yeoul/runtime/job.h"
#include "yeoul/testing/generated_operators.h"
#include "yeoul/testing/planted_bug.h"
#include "yeoul/testing/seeded_random.h"
#include "yeoul/testing/simulated_kafka.h"
#include "yeoul/testing/simulated_kafka_sink.h"

namespace yeoul {

/// A job drawn from a seed: its data, shape and event time. Its results depend on neither parallelism nor speed.
class GeneratedJob {
 public:
  /// @param maker  of the operators that it brings; null: the job has none of them
  explicit GeneratedJob(uint64_t seed, SimOperatorMaker maker = nullptr);

  /// Adds the topics, those of sources first. The same in each cluster.
  void create_topics(SimulatedKafka& kafka) const;
  /// @param parallelism  by group: nodes that forward edges join
  StreamGraph graph(const std::vector<int>& parallelism, SimulatedKafka& kafka, SimulationFindings& findings,
                    PlantedBug bug) const;
  int num_groups() const { return num_groups_; }
  int max_parallelism() const { return max_parallelism_; }
  /// The largest to run a group with.
  int parallelism_max(int group) const;
  /// Splits may become idle: the clock then stands still while anyone can go on, since a task that is starved for
  /// longer than an idle timeout makes records late, as it does in Flink.
  bool idleness() const { return idle_timeout_ms_ > 0; }
  int64_t auto_watermark_interval_ms() const { return auto_watermark_interval_ms_; }
  /// Some source goes on until the input is closed.
  bool unbounded() const;
  /// Partitions that are created while it runs.
  int64_t num_late_partitions() const;

  struct Output {
    int topic = 0;
    SimulatedKafkaSink::Guarantee guarantee;
  };
  const std::vector<Output>& outputs() const { return outputs_; }
  /// One line per node.
  std::string describe() const;

 private:
  enum class NodeKind { kSource, kOperator, kSink };
  struct Input {
    int node = 0;
    int input = 0;
    Partitioning partitioning = Partitioning::kForward;
  };
  struct Node {
    NodeKind kind = NodeKind::kSource;
    int group = 0;
    SimOperator what = SimOperator::kMap;
    int64_t a = 0;
    int64_t b = 0;
    std::vector<Input> inputs;
    int topic = 0;
    bool watermarks = false;
    bool on_event = false;
    int64_t discovery_interval_ms = 0;  ///< 0: a bounded source
    SimulatedKafkaSink::Guarantee guarantee = SimulatedKafkaSink::Guarantee::kAtLeastOnce;
  };
  /// An output that nobody reads yet.
  struct Stream {
    int node = 0;
    bool last = false;     ///< only a sink may read it
    bool updates = false;  ///< its records replace those of the same key
    int64_t records = 0;   ///< about
  };

  /// Of a stream, about.
  int64_t records_max() const;
  void draw_source();
  /// @param created_at_ms  when its first records come  @param shift_ms  how far their event times are ahead
  SimulatedKafka::Partition draw_partition(int partition, int64_t num_keys, int64_t created_at_ms, int64_t shift_ms);
  void draw_operator();
  /// A second input of an operator that has two, or another one of a union.
  void draw_second_input(Node& node, Partitioning partitioning, int64_t& records);
  SimOperator draw_what(const Stream& stream);
  void draw_parameters(Node& node);
  size_t draw_stream();
  Partitioning draw_partitioning();
  void add_input(Node& node, size_t stream, int input, Partitioning partitioning);
  void draw_sink(const Stream& stream);
  int add(Node node);
  StreamEdge edge(const Node& node, int id, const Input& input) const;

  SeededRandom random_;
  SimOperatorMaker maker_;
  std::vector<std::vector<SimulatedKafka::Partition>> topics_;
  std::vector<std::vector<int64_t>> created_at_ms_;  ///< of their partitions
  std::vector<Node> nodes_;
  std::vector<Stream> open_;
  std::vector<Output> outputs_;
  int num_groups_ = 0;
  std::map<int, int> limits_;  ///< of the parallelism of groups
  int max_parallelism_ = 128;
  int64_t disorder_ms_ = 0;
  int64_t idle_timeout_ms_ = 0;
  int64_t auto_watermark_interval_ms_ = 0;
  int64_t alignment_drift_ms_ = 0;  ///< how far ahead a source may be; 0: as far as it likes
};

}  // namespace yeoul
