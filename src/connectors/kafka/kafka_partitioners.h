#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/connectors/kafka/sink_topics.h"
#include "yeoul/kafka/client/producer.h"

namespace yeoul {

/// Each subtask writes to one partition of a topic, as Flink's partitioner of that name.
struct FlinkFixedPartitioner {};

/// True for classes with `int32_t partition(const T& record, std::string_view key, std::string_view value,
/// std::string_view topic, std::span<const int32_t> partitions)`, and functions of these: one of `partitions`. The
/// key's `data()` is null where a record has none. A class may have `void open(int subtask, int parallelism)`; each
/// subtask has its own copy.
template <class P, class T>
concept KafkaPartitionerFor =
    std::is_invocable_r_v<int32_t, P&, const T&, std::string_view, std::string_view, std::string_view,
                          std::span<const int32_t>> ||
    requires(P& partitioner, const T& record, std::string_view bytes, std::span<const int32_t> partitions) {
      { partitioner.partition(record, bytes, bytes, bytes, partitions) } -> std::convertible_to<int32_t>;
    };

/// Partitions of a batch's records. Threads: one.
template <class T>
class BatchPartitioner {
 public:
  virtual ~BatchPartitioner() = default;
  /// A copy for a writer.
  virtual std::unique_ptr<BatchPartitioner> create(int subtask, int parallelism) const = 0;
  /// Appends to `out` the partitions of the records from number `out.size()` on. False: those of a topic are not known
  /// yet; goes on there when it is called again. @param indexes  of topics, for each record; empty: topic 0 for all
  virtual bool assign(const std::vector<T>& values, const std::vector<ProducedRecord>& records,
                      const std::vector<uint32_t>& indexes, SinkTopics& topics, std::vector<int32_t>& out) = 0;
};

/// By a program's own class or function, inlined into the loop over the batch.
template <class T, class P>
class ProgramPartitioner final : public BatchPartitioner<T> {
 public:
  explicit ProgramPartitioner(P partitioner) : partitioner_(std::move(partitioner)) {}

  std::unique_ptr<BatchPartitioner<T>> create(int subtask, int parallelism) const override {
    auto copy = std::make_unique<ProgramPartitioner>(partitioner_);
    if constexpr (requires { copy->partitioner_.open(subtask, parallelism); }) {
      copy->partitioner_.open(subtask, parallelism);
    }
    return copy;
  }
  bool assign(const std::vector<T>& values, const std::vector<ProducedRecord>& records,
              const std::vector<uint32_t>& indexes, SinkTopics& topics, std::vector<int32_t>& out) override {
    for (size_t i = out.size(); i < values.size(); ++i) {
      const uint32_t topic = indexes.empty() ? 0 : indexes[i];
      const std::span<const int32_t> partitions = topics.partitions(topic);
      if (partitions.empty()) return false;
      if constexpr (requires {
                      partitioner_.partition(values[i], std::string_view(), std::string_view(), std::string_view(),
                                             partitions);
                    }) {
        out.push_back(
            partitioner_.partition(values[i], records[i].key, records[i].value, topics.name(topic), partitions));
      } else {
        out.push_back(partitioner_(values[i], records[i].key, records[i].value, topics.name(topic), partitions));
      }
    }
    return true;
  }

 private:
  P partitioner_;
};

}  // namespace yeoul
