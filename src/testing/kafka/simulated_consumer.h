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

/// How a consumer deals with its client.
struct ConsumerHabits {
  /// Goes back to the beginning only: no record is before the position of which the client does not know the epoch.
  bool only_to_begin = false;
  /// A planted fault: the epoch of what was read is lost in a restart.
  bool forgets_epochs = false;
};

/// A consumer that reads all partitions of a topic from the beginning, pauses, goes back, is restarted, and commits how
/// far it came. What it is told to have been lost it takes back, and of a topic that was made anew it takes everything.
class SimulatedConsumer {
 public:
  SimulatedConsumer(std::string name, const FetchConsumerSettings& settings, std::string topic, int num_partitions,
                    ConsumerHabits habits, FakeClock& clock, SeededRandom& random);

  void step(bool winding_up, const ModelCluster& cluster);
  /// It has read all that there is, and nothing is being asked.
  bool is_finished(const ModelCluster& cluster) const;
  const std::string& finding() const { return finding_; }
  /// Compares what was read with the logs; when all is finished.
  std::string check(const ModelCluster& cluster) const;
  std::string state(const ModelCluster& cluster) const;
  int64_t num_read() const { return num_read_; }
  int64_t num_truncations() const { return num_truncations_; }
  int64_t num_recreations() const { return num_recreations_; }
  uint64_t trace() const { return trace_; }

 private:
  struct Reading {
    FetchPosition position;
    bool paused = false;
    std::vector<ModelRecord> records;
    std::vector<FetchPosition> before;  ///< positions that it had
  };

  void create();
  void take(const FetchedRun& run, const ModelCluster& cluster);
  void on_trouble(const FetchedRun& run, const ModelCluster& cluster);
  void go_back(const TopicPartition& partition, Reading& reading, int64_t offset_max);
  void disturb();
  void ask();
  void look_at_answers(const ModelCluster& cluster);
  bool is_finished(const TopicPartition& partition, const Reading& reading, const ModelCluster& cluster) const;

  std::string name_;
  FetchConsumerSettings settings_;
  ConsumerHabits habits_;
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
  int64_t num_truncations_ = 0;
  int64_t num_recreations_ = 0;
  uint64_t trace_ = 14695981039346656037ull;
};

}  // namespace yeoul
