#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "yeoul/kafka/native/coordinator_question.h"
#include "yeoul/kafka/native/produce_settings.h"
#include "yeoul/kafka/native/topic_partition.h"

namespace yeoul {

/// A transactional.id as coordinators list them.
struct ListedTransaction {
  std::string transactional_id;
  int64_t producer_id = -1;
  std::string state;  ///< Kafka's word: "Ongoing", "PrepareCommit", "CompleteAbort", "Empty", …
};

/// What its coordinator knows of a transactional.id.
struct TransactionDescription {
  std::string state;
  ProducerIdentity producer;
  int64_t timeout_ms = 0;
  int64_t start_time_ms = -1;  ///< since 1970; -1: no transaction is open
  std::vector<TopicPartition> partitions;
};

/// Asks all brokers for the transactional ids that begin with a prefix: each knows those it coordinates.
class ListTransactionsQuestion final : public ClusterQuestion {
 public:
  ListTransactionsQuestion(std::string prefix, const QuestionSettings& settings, int64_t now_ns);

  const std::vector<ListedTransaction>& transactions() const { return transactions_; }

  std::set<int32_t> targets(ClusterView& cluster, int64_t now_ns) override;
  QuestionRequest take_request(int32_t target, const ClusterView& cluster) override;
  void on_answer(int32_t target, const std::string& broker, const QuestionResponse& response, ClusterView& cluster,
                 int64_t now_ns) override;
  void on_failure(int32_t target, const std::string& reason, ClusterView& cluster, int64_t now_ns) override;

 private:
  std::string prefix_;
  std::optional<std::set<int32_t>> brokers_;  ///< that have not answered; none: not known yet whom to ask
  std::set<int32_t> on_its_way_;
  std::vector<ListedTransaction> transactions_;
};

/// Asks a transactional.id's coordinator what it knows of it.
class DescribeTransactionQuestion final : public CoordinatorQuestion {
 public:
  DescribeTransactionQuestion(std::string transactional_id, const QuestionSettings& settings, int64_t now_ns);

  /// None: it is not known there.
  const std::optional<TransactionDescription>& description() const { return description_; }

 protected:
  QuestionRequest request() const override;
  Verdict take(const QuestionResponse& response) override;

 private:
  std::optional<TransactionDescription> description_;
};

}  // namespace yeoul
