#include "yeoul/kafka/native/cluster_question.h"

#include <algorithm>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

constexpr int64_t kNeverDue = INT64_MAX;

}  // namespace

ClusterQuestion::ClusterQuestion(std::string what, const QuestionSettings& settings, int64_t now_ns)
    : what_(std::move(what)),
      timeout_ns_(settings.timeout_ns),
      deadline_ns_(settings.timeout_ns > kNeverDue - now_ns ? kNeverDue : now_ns + settings.timeout_ns),
      backoff_(settings.backoff_ns, settings.backoff_max_ns, static_cast<uint32_t>(now_ns)) {}

int64_t ClusterQuestion::due_at_ns(int64_t now_ns) const {
  return not_before_ns_ > now_ns ? std::min(not_before_ns_, deadline_ns_) : deadline_ns_;
}

void ClusterQuestion::on_time(int64_t now_ns) {
  if (done_ || now_ns < deadline_ns_) return;
  fail(fmt::format("no answer within {} ms{}{}", timeout_ns_ / 1'000'000,
                   last_reason_.empty() ? "" : "; the last try: ", last_reason_));
}

void ClusterQuestion::fail(std::string reason, int code) {
  if (done_) return;
  done_ = true;
  failure_ = std::move(reason);
  failure_code_ = code;
}

void ClusterQuestion::on_unreachable(int32_t target, const std::string& reason, ClusterView& cluster) {
  if (target != kAnyBroker) cluster.request_refresh();
  note(reason);
}

void ClusterQuestion::retry_later(std::string reason, int64_t now_ns) {
  note(std::move(reason));
  not_before_ns_ = now_ns + backoff_.next_ns();
}

bool ClusterQuestion::judge(const Verdict& verdict, const std::string& broker, ClusterView& cluster, int64_t now_ns) {
  if (verdict.error == KafkaError::kNone) return false;
  std::string text = fmt::format("{} answered {}", broker, name_of(verdict.error));
  if (!verdict.about.empty()) text += fmt::format(" ({})", verdict.about);
  const bool stale = is_stale_metadata(verdict.error) || verdict.error == KafkaError::kNotController;
  if (stale) cluster.request_refresh();
  if (!verdict.final && (stale || is_retriable(verdict.error))) {
    retry_later(std::move(text), now_ns);
  } else {
    fail(std::move(text));
  }
  return true;
}

BrokerQuestion::BrokerQuestion(std::string what, Whom whom, QuestionRequest request,
                               std::function<Verdict(const QuestionResponse&)> take, const QuestionSettings& settings,
                               int64_t now_ns)
    : ClusterQuestion(std::move(what), settings, now_ns),
      whom_(whom),
      request_(std::move(request)),
      take_(std::move(take)) {}

std::set<int32_t> BrokerQuestion::targets(ClusterView& cluster, int64_t now_ns) {
  if (on_its_way_ || !may_ask(now_ns)) return {};
  if (whom_ == Whom::kAnyBroker) return {kAnyBroker};
  if (cluster.brokers().contains(cluster.controller())) return {cluster.controller()};
  cluster.request_refresh();
  return {};
}

QuestionRequest BrokerQuestion::take_request(int32_t target, const ClusterView& cluster) {
  (void)target, (void)cluster;
  on_its_way_ = true;
  return request_;
}

void BrokerQuestion::on_answer(int32_t target, const std::string& broker, const QuestionResponse& response,
                               ClusterView& cluster, int64_t now_ns) {
  (void)target;
  on_its_way_ = false;
  if (is_done()) return;
  if (!judge(take_(response), broker, cluster, now_ns)) succeed();
}

void BrokerQuestion::on_failure(int32_t target, const std::string& reason, ClusterView& cluster, int64_t now_ns) {
  (void)target;
  on_its_way_ = false;
  cluster.request_refresh();
  retry_later(reason, now_ns);
}

}  // namespace yeoul
