#include "yeoul/kafka/native/transaction_questions.h"

#include <utility>

namespace yeoul {

ListTransactionsQuestion::ListTransactionsQuestion(std::string prefix, const QuestionSettings& settings, int64_t now_ns)
    : ClusterQuestion("listing transactions", settings, now_ns), prefix_(std::move(prefix)) {}

std::set<int32_t> ListTransactionsQuestion::targets(ClusterView& cluster, int64_t now_ns) {
  if (!may_ask(now_ns)) return {};
  if (!brokers_) {
    if (cluster.brokers().empty()) {
      cluster.request_refresh();
      return {};
    }
    brokers_.emplace();
    for (const auto& [broker, address] : cluster.brokers()) brokers_->insert(broker);
  }
  std::set<int32_t> targets;
  for (const int32_t broker : *brokers_) {
    if (!on_its_way_.contains(broker)) targets.insert(broker);
  }
  return targets;
}

QuestionRequest ListTransactionsQuestion::take_request(int32_t target, const ClusterView& cluster) {
  (void)cluster;
  on_its_way_.insert(target);
  return ListTransactionsRequest();
}

void ListTransactionsQuestion::on_answer(int32_t target, const std::string& broker, const QuestionResponse& response,
                                         ClusterView& cluster, int64_t now_ns) {
  on_its_way_.erase(target);
  if (is_done()) return;
  const auto& list = std::get<ListTransactionsResponse>(response);
  if (judge({kafka_error(list.error_code), {}}, broker, cluster, now_ns)) return;
  for (const auto& state : list.transaction_states) {
    if (!state.transactional_id.starts_with(prefix_)) continue;
    transactions_.push_back({state.transactional_id, state.producer_id, state.transaction_state});
  }
  brokers_->erase(target);
  if (brokers_->empty()) succeed();
}

void ListTransactionsQuestion::on_failure(int32_t target, const std::string& reason, ClusterView& cluster,
                                          int64_t now_ns) {
  on_its_way_.erase(target);
  cluster.request_refresh();
  retry_later(reason, now_ns);
}

DescribeTransactionQuestion::DescribeTransactionQuestion(std::string transactional_id, const QuestionSettings& settings,
                                                         int64_t now_ns)
    : CoordinatorQuestion("describing a transaction", {CoordinatorType::kTransaction, std::move(transactional_id)},
                          settings, now_ns) {}

QuestionRequest DescribeTransactionQuestion::request() const {
  DescribeTransactionsRequest describe;
  describe.transactional_ids = {id()};
  return describe;
}

Verdict DescribeTransactionQuestion::take(const QuestionResponse& response) {
  const auto& states = std::get<DescribeTransactionsResponse>(response).transaction_states;
  if (states.empty()) return {KafkaError::kUnknownServerError, "the answer is empty"};
  const auto& state = states.front();
  const KafkaError error = kafka_error(state.error_code);
  if (error == KafkaError::kTransactionalIdNotFound) return {};
  if (error != KafkaError::kNone) return {error, {}};
  description_ = {state.transaction_state,
                  {state.producer_id, state.producer_epoch},
                  state.transaction_timeout_ms,
                  state.transaction_start_time_ms,
                  {}};
  for (const auto& topic : state.topics) {
    for (const int32_t partition : topic.partitions) description_->partitions.push_back({topic.topic, partition});
  }
  return {};
}

}  // namespace yeoul
