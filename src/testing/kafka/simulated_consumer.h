#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "yeoul/kafka/native/fetch_consumer.h"
#include "yeoul/kafka/native/group_question.h"
#include "yeoul/kafka/native/list_offsets_question.h"
#include "yeoul/testing/fake_clock.h"
#include "yeoul/testing/kafka/model_cluster.h"
#include "yeoul/testing/kafka/model_records.h"
#include "yeoul/testing/seeded_random.h"

namespace yeoul {

/// A consumer that reads all partitions of a topic from the beginning, pauses, goes back, is restarted, and commits how
/// far it came.
class SimulatedConsumer {
 public:
  SimulatedConsumer(std::string name, const FetchConsumerSettings& settings, std::string topic, int num_partitions,
                    FakeClock& clock, SeededRandom& random);

  void step(bool winding_up);
  /// It has read all that there is, and nothing is being asked.
  bool is_finished(const ModelCluster& cluster) const;
  const std::string& finding() const { return finding_; }
  /// Compares what was read with the logs; when all is finished.
  std::string check(const ModelCluster& cluster) const;
  std::string state(const ModelCluster& cluster) const;
  int64_t num_read() const { return num_read_; }
  uint64_t trace() const { return trace_; }

 private:
  struct Reading {
    int64_t position = 0;
    int32_t epoch = -1;
    Uuid topic_id;
    bool paused = false;
    std::vector<ModelRecord> records;
  };

  void create();
  void take(const FetchedRun& run);
  void disturb();
  void ask();
  void look_at_answers();

  std::string name_;
  FetchConsumerSettings settings_;
  FakeClock& clock_;
  SeededRandom& random_;
  std::unique_ptr<FetchConsumer> client_;
  std::map<TopicPartition, Reading> readings_;
  std::vector<FetchedRun> runs_;
  std::unique_ptr<OffsetCommitQuestion> commit_;
  PartitionOffsets being_committed_;
  std::set<PartitionOffsets> commits_;  ///< that were ever asked for
  bool has_committed_ = false;
  std::unique_ptr<OffsetFetchQuestion> committed_question_;
  std::unique_ptr<ListOffsetsQuestion> end_question_;
  PartitionOffsets ends_;  ///< as answered last
  std::string finding_;
  int64_t num_read_ = 0;
  uint64_t trace_ = 14695981039346656037ull;
};

}  // namespace yeoul
