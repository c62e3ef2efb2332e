#include "yeoul/kafka/native/coordinator_question.h"

#include <utility>

namespace yeoul {
namespace {

bool names_other_coordinator(KafkaError error) {
  return error == KafkaError::kNotCoordinator || error == KafkaError::kCoordinatorNotAvailable;
}

}  // namespace

CoordinatorQuestion::CoordinatorQuestion(std::string what, CoordinatorKey key, const QuestionSettings& settings,
                                         int64_t now_ns)
    : ClusterQuestion(std::move(what), settings, now_ns), key_(std::move(key)) {}

std::set<int32_t> CoordinatorQuestion::targets(ClusterView& cluster, int64_t now_ns) {
  if (on_its_way_ || !may_ask(now_ns)) return {};
  const int32_t coordinator = cluster.coordinator(key_);
  return {coordinator < 0 ? kAnyBroker : coordinator};
}

QuestionRequest CoordinatorQuestion::take_request(int32_t target, const ClusterView& cluster) {
  (void)cluster;
  on_its_way_ = true;
  if (target != kAnyBroker) return request();
  FindCoordinatorRequest find;
  find.key = key_.id;
  find.key_type = static_cast<int8_t>(key_.type);
  find.coordinator_keys = {key_.id};
  return find;
}

void CoordinatorQuestion::on_answer(int32_t target, const std::string& broker, const QuestionResponse& response,
                                    ClusterView& cluster, int64_t now_ns) {
  on_its_way_ = false;
  if (is_done()) return;
  if (target == kAnyBroker) return on_coordinator(broker, std::get<FindCoordinatorResponse>(response), cluster, now_ns);
  const Verdict verdict = take(response);
  if (names_other_coordinator(verdict.error)) cluster.forget_coordinator(key_);
  if (!judge(verdict, broker, cluster, now_ns)) succeed();
}

void CoordinatorQuestion::on_coordinator(const std::string& broker, const FindCoordinatorResponse& response,
                                         ClusterView& cluster, int64_t now_ns) {
  FindCoordinatorResponse::Coordinator found{key_.id,       response.node_id,    response.host,
                                             response.port, response.error_code, response.error_message};
  for (const auto& one : response.coordinators) {
    if (one.key == key_.id) found = one;
  }
  const Verdict verdict{kafka_error(found.error_code), found.error_message.value_or("")};
  if (judge(verdict, broker, cluster, now_ns)) return;
  cluster.set_coordinator(key_, found.node_id, {found.host, found.port});
}

void CoordinatorQuestion::on_failure(int32_t target, const std::string& reason, ClusterView& cluster, int64_t now_ns) {
  on_its_way_ = false;
  if (target != kAnyBroker) cluster.forget_coordinator(key_);
  retry_later(reason, now_ns);
}

void CoordinatorQuestion::on_unreachable(int32_t target, const std::string& reason, ClusterView& cluster) {
  if (target != kAnyBroker) cluster.forget_coordinator(key_);
  note(reason);
}

}  // namespace yeoul
