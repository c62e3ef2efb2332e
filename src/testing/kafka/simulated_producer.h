#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/kafka/native/produce_client.h"
#include "yeoul/testing/fake_clock.h"
#include "yeoul/testing/kafka/model_cluster.h"
#include "yeoul/testing/kafka/model_records.h"
#include "yeoul/testing/seeded_random.h"

namespace yeoul {

/// A producer that numbers what it sends, alone or in transactions that it commits, aborts, or leaves to a successor.
class SimulatedProducer {
 public:
  SimulatedProducer(std::string name, const ProduceClientSettings& settings, std::string topic, int num_partitions,
                    FakeClock& clock, SeededRandom& random);

  /// One turn of the client, and perhaps something new. @param winding_up  nothing new
  void step(bool winding_up);
  bool is_finished() const;
  /// What is wrong; empty: nothing so far.
  const std::string& finding() const { return finding_; }
  /// Compares the logs with what was sent; when all is finished.
  std::string check(const ModelCluster& cluster) const;
  int64_t num_sent() const { return num_sent_; }
  int64_t num_transactions() const { return static_cast<int64_t>(outcomes_.size()); }

 private:
  enum class Outcome { kUndecided, kCommitted, kAborted };
  struct Sent {
    std::string value;
    size_t transaction;
  };

  bool transactional() const { return !settings_.produce.transactional_id.empty(); }
  void create();
  void send_some();
  void end_transaction();
  void decided(Outcome outcome);
  std::vector<std::string> sent_to(int32_t partition) const;
  std::vector<std::string> own_values(const std::vector<ModelRecord>& records) const;
  std::string check_despite_losses(const TopicPartition& name, const std::vector<const ModelPartition*>& ever) const;

  std::string name_;
  ProduceClientSettings settings_;
  std::string topic_;
  int num_partitions_;
  FakeClock& clock_;
  SeededRandom& random_;
  std::unique_ptr<ProduceClient> client_;
  bool busy_ = false;  ///< waits for the client
  bool open_ = false;
  bool flushed_ = true;
  std::vector<Outcome> outcomes_;
  std::map<int32_t, std::vector<Sent>> sent_;
  int64_t num_sent_ = 0;
  std::string finding_;
};

}  // namespace yeoul
