#include "yeoul/kafka/native/transaction_questions.h"

#include <utility>

namespace yeoul {
namespace {

constexpr int8_t kTransactionKeyType = 1;

}  // namespace

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
    : ClusterQuestion("describing a transaction", settings, now_ns), transactional_id_(std::move(transactional_id)) {}

std::set<int32_t> DescribeTransactionQuestion::targets(ClusterView& cluster, int64_t now_ns) {
  if (on_its_way_ || !may_ask(now_ns)) return {};
  if (coordinator_ != kAnyBroker && !cluster.brokers().contains(coordinator_)) cluster.request_refresh();
  return {coordinator_};
}

QuestionRequest DescribeTransactionQuestion::take_request(int32_t target, const ClusterView& cluster) {
  (void)cluster;
  on_its_way_ = true;
  if (target != kAnyBroker) {
    DescribeTransactionsRequest describe;
    describe.transactional_ids = {transactional_id_};
    return describe;
  }
  FindCoordinatorRequest find;
  find.key = transactional_id_;
  find.key_type = kTransactionKeyType;
  find.coordinator_keys = {transactional_id_};
  return find;
}

void DescribeTransactionQuestion::on_coordinator(const std::string& broker, const FindCoordinatorResponse& response,
                                                 ClusterView& cluster, int64_t now_ns) {
  const bool several = !response.coordinators.empty();
  const int16_t error = several ? response.coordinators.front().error_code : response.error_code;
  if (judge({kafka_error(error), {}}, broker, cluster, now_ns)) return;
  coordinator_ = several ? response.coordinators.front().node_id : response.node_id;
}

void DescribeTransactionQuestion::on_answer(int32_t target, const std::string& broker, const QuestionResponse& response,
                                            ClusterView& cluster, int64_t now_ns) {
  on_its_way_ = false;
  if (is_done()) return;
  if (target == kAnyBroker) return on_coordinator(broker, std::get<FindCoordinatorResponse>(response), cluster, now_ns);
  const auto& states = std::get<DescribeTransactionsResponse>(response).transaction_states;
  const KafkaError error = states.empty() ? KafkaError::kUnknownServerError : kafka_error(states[0].error_code);
  if (error == KafkaError::kTransactionalIdNotFound) return succeed();
  if (error == KafkaError::kNotCoordinator || error == KafkaError::kCoordinatorNotAvailable) coordinator_ = kAnyBroker;
  if (judge({error, {}}, broker, cluster, now_ns)) return;
  description_ = {states[0].transaction_state,
                  {states[0].producer_id, states[0].producer_epoch},
                  states[0].transaction_timeout_ms,
                  states[0].transaction_start_time_ms,
                  {}};
  for (const auto& topic : states[0].topics) {
    for (const int32_t partition : topic.partitions) description_->partitions.push_back({topic.topic, partition});
  }
  succeed();
}

void DescribeTransactionQuestion::on_failure(int32_t target, const std::string& reason, ClusterView& cluster,
                                             int64_t now_ns) {
  (void)target;
  on_its_way_ = false;
  coordinator_ = kAnyBroker;
  cluster.request_refresh();
  retry_later(reason, now_ns);
}

}  // namespace yeoul
