#include "yeoul/kafka/native/fetch_consumer.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/kafka/protocol/fetch_messages.h"

namespace yeoul {
namespace {

constexpr uint64_t kFetchTag = 1;
constexpr uint64_t kCheckTag = 2;
/// The first version of Fetch in which brokers compare epochs.
constexpr int16_t kComparesEpochs = 12;

}  // namespace

FetchConsumer::FetchConsumer(FetchConsumerSettings settings, Clock& clock)
    : settings_(std::move(settings)),
      clock_(clock),
      pool_(settings_.fetch.buffered_bytes_max),
      machine_(settings_.fetch, pool_),
      client_(settings_, pool_, clock) {}

void FetchConsumer::assign(const TopicPartition& partition, const FetchPosition& position) {
  machine_.assign(partition, position);
  client_.set_topics(machine_.topics());
}

void FetchConsumer::unassign(const TopicPartition& partition) {
  machine_.unassign(partition);
  client_.set_topics(machine_.topics());
}

void FetchConsumer::ask(ClusterQuestion& question) {
  client_.ask(question);
  questions_.push_back(&question);
}

void FetchConsumer::withdraw(const ClusterQuestion& question) {
  client_.withdraw(question);
  std::erase(questions_, &question);
}

bool FetchConsumer::any_question_done() {
  return std::erase_if(questions_, [](const ClusterQuestion* question) { return question->is_done(); }) > 0;
}

void FetchConsumer::poll(std::vector<FetchedRun>& runs, int64_t timeout_ms) {
  for (FetchedRun& run : runs) run.blocks.clear();
  const int64_t begin_ns = clock_.steady_ns();
  const int64_t deadline_ns = timeout_ms < 0 ? kNever : begin_ns + timeout_ms * kNanosPerMs;
  for (bool waited = false;; waited = true) {
    const int64_t now_ns = clock_.steady_ns();
    const bool has_some = machine_.has_decodable();
    bool woken = false;
    if (has_some) {
      // Brokers send the next records while these are decoded, but only as far as they are read.
      woken = client_.turn(now_ns);
      client_.throw_if_refused();
    }
    if (!has_some || client_.has_answers() || machine_.has_room_again()) {
      take_answers(now_ns);
      ask_records(now_ns);
      client_.send_due(now_ns);
      client_.flush();
    }
    size_t count = 0;
    for (size_t num_bytes = 0; machine_.has_decodable() && num_bytes < kRunBytes;) {
      if (runs.size() == count) runs.emplace_back();
      if (!machine_.decode_next(runs[count])) break;
      stats_.num_records += static_cast<int64_t>(runs[count].run.size());
      stats_.num_bytes += static_cast<int64_t>(runs[count].num_bytes);
      num_bytes += runs[count++].num_bytes;
    }
    if (count > 0 || woken || any_question_done() || (waited && now_ns >= deadline_ns)) {
      runs.resize(count);
      return;
    }
    if (has_some) continue;  // nobody wants it any more
    check_patience(now_ns);
    if (client_.turn(std::min(deadline_ns, next_due_ns(now_ns)))) {
      runs.clear();
      return;
    }
  }
}

void FetchConsumer::serve_questions(int64_t deadline_ns) {
  for (int64_t now_ns = clock_.steady_ns(); now_ns < deadline_ns; now_ns = clock_.steady_ns()) {
    take_answers(now_ns);
    client_.send_due(now_ns);
    if (any_question_done()) return;
    client_.turn(std::min(deadline_ns, client_.due_at_ns(now_ns)));
  }
}

void FetchConsumer::take_answers(int64_t now_ns) {
  client_.take_answers(now_ns, [&](int32_t broker, LinkAnswer& answer) {
    if (answer.tag == kCheckTag) return on_check(broker, answer, now_ns);
    on_fetch(broker, answer, now_ns);
  });
}

void FetchConsumer::on_check(int32_t broker, const LinkAnswer& answer, int64_t now_ns) {
  if (!answer.failure.empty()) {
    machine_.on_check_failure(broker, now_ns);
    client_.cluster().request_refresh();
    return;
  }
  const auto response = decode_response<OffsetForLeaderEpochRequest>(answer.version, answer.frame);
  client_.note_throttle(broker, response.throttle_time_ms, now_ns);
  machine_.on_check(broker, response, client_.cluster(), now_ns);
}

void FetchConsumer::on_fetch(int32_t broker, LinkAnswer& answer, int64_t now_ns) {
  if (!answer.failure.empty()) {
    machine_.on_failure(broker, now_ns);
    client_.cluster().request_refresh();
    return;
  }
  FetchResponse response = decode_response<FetchRequest>(answer.version, answer.frame);
  client_.note_throttle(broker, response.throttle_time_ms, now_ns);
  const int64_t taken_ns = now_ns - fetch_sent_ns_[broker];
  ++stats_.num_fetches;
  stats_.fetch_ns += taken_ns;
  stats_.longest_fetch_ns = std::max(stats_.longest_fetch_ns, taken_ns);
  stats_.fetched_bytes += static_cast<int64_t>(answer.frame.size());
  machine_.on_answer(broker, std::move(response), std::move(answer.buffer), client_.cluster(), now_ns);
}

void FetchConsumer::ask_records(int64_t now_ns) {
  ClusterView& cluster = client_.cluster();
  const bool lacks_leaders = machine_.lacks_leaders(cluster, now_ns);
  if (lacks_leaders) {
    cluster.request_refresh();
    machine_.check_existence(cluster, now_ns);
  }
  if (lacks_leaders || lacked_leaders_) {
    if (const auto news = machine_.note_leaders(cluster, now_ns)) tell_of_leaders(*news);
  }
  lacked_leaders_ = lacks_leaders;
  const auto brokers = machine_.brokers(cluster);
  std::erase_if(lost_leaders_, [&](const auto& lost) { return !brokers.contains(lost.first); });
  for (const int32_t broker : brokers) {
    BrokerLink* link = client_.ready_link(broker);
    // It may have gone for good, and others lead its partitions now.
    if (note_leader(broker, link != nullptr, now_ns)) {
      cluster.request_refresh();
      machine_.on_unreachable(broker, now_ns);
    }
    if (link == nullptr) continue;
    machine_.set_compares_epochs(broker, link->versions().pick(ApiKey::kFetch) >= kComparesEpochs);
    if (const auto check = machine_.next_check(broker, cluster, now_ns)) link->send(*check, kCheckTag, now_ns);
    const auto request = machine_.next_request(broker, cluster, now_ns, brokers.size());
    if (!request) continue;
    link->send(*request, kFetchTag, now_ns, machine_.newest_version(*request));
    fetch_sent_ns_[broker] = now_ns;
  }
}

void FetchConsumer::tell_of_leaders(const LeaderNews& news) {
  if (news.ended) return log(LogLevel::kWarn, "kafka", "all partitions that are read have leaders again");
  log(LogLevel::kWarn, "kafka", "topic={} partition={}{}: no records can be read for {} s: {}", news.partition.topic,
      news.partition.partition, news.num_others == 0 ? "" : fmt::format(" and {} others", news.num_others),
      news.waited_ns / (1000 * kNanosPerMs), news.reason);
}

/// Says it where records of one broker do not come for long, though others are reached. @return it is lost
bool FetchConsumer::note_leader(int32_t broker, bool is_ready, int64_t now_ns) {
  const auto known = lost_leaders_.find(broker);
  if (is_ready) {
    if (known == lost_leaders_.end()) return false;
    if (known->second.told) log(LogLevel::kWarn, "kafka", "records can be read from broker {} again", broker);
    lost_leaders_.erase(known);
    return false;
  }
  const std::string failure = client_.failure_of(broker);
  if (failure.empty()) return false;
  LostLeader& lost = lost_leaders_.try_emplace(broker, LostLeader{now_ns}).first->second;
  // That none is reached is told by itself; when one is again, the others have their time to come back.
  const bool all_are_lost = now_ns - client_.reached_at_ns() >= ClusterClient::kLongNs;
  if (all_are_lost) lost.since_ns = now_ns;
  if (lost.told || now_ns - lost.since_ns < ClusterClient::kLongNs) return true;
  lost.told = true;
  log(LogLevel::kWarn, "kafka", "no records can be read from a broker for {} s: {}",
      (now_ns - lost.since_ns) / (1000 * kNanosPerMs), failure);
  return true;
}

FetchStats FetchConsumer::take_stats() {
  FetchStats stats = stats_;
  stats_.longest_fetch_ns = 0;
  client_.count_links(stats);
  return stats;
}

void FetchConsumer::check_patience(int64_t now_ns) {
  client_.throw_if_refused();
  const int64_t silence_ns = now_ns - client_.reached_at_ns();
  if (silence_ns < ClusterClient::kLongNs && std::exchange(told_of_silence_, false)) {
    log(LogLevel::kWarn, "kafka", "a broker of {} is reached again", settings_.bootstrap_servers);
  } else if (silence_ns >= ClusterClient::kLongNs && !std::exchange(told_of_silence_, true)) {
    log(LogLevel::kWarn, "kafka", "no broker of {} has been reached for {} s; the last attempt: {}",
        settings_.bootstrap_servers, silence_ns / (1000 * kNanosPerMs), client_.last_attempt());
  }
  if (silence_ns < settings_.patience_ns) return;
  throw external_error(4001, "no broker of {} was reached for {} s; the last attempt: {}", settings_.bootstrap_servers,
                       settings_.patience_ns / (1000 * kNanosPerMs), client_.last_attempt());
}

int64_t FetchConsumer::next_due_ns(int64_t now_ns) const {
  const int64_t silence_at = told_of_silence_ ? kNever : client_.reached_at_ns() + ClusterClient::kLongNs;
  const int64_t patience_at =
      settings_.patience_ns == kNever ? kNever : client_.reached_at_ns() + settings_.patience_ns;
  return std::min({machine_.due_at_ns(now_ns), client_.due_at_ns(now_ns), silence_at, patience_at});
}

}  // namespace yeoul
