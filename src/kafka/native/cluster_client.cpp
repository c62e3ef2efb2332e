#include "yeoul/kafka/native/cluster_client.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"

namespace yeoul {
namespace {

constexpr uint64_t kMetadataTag = ClusterClient::kFirstTag;
constexpr int kDamagedAnswer = 4010;
/// So many damaged answers of a broker, one after the other, are not the network's fault.
constexpr int kDamagedMax = 5;
/// A quota that holds a client back is told of so often.
constexpr int64_t kQuotaToldNs = 60'000 * kNanosPerMs;

QuestionResponse decode_answer(const LinkAnswer& answer) {
  switch (answer.api) {
    case ApiKey::kMetadata:
      return decode_response<MetadataRequest>(answer.version, answer.frame);
    case ApiKey::kFindCoordinator:
      return decode_response<FindCoordinatorRequest>(answer.version, answer.frame);
    case ApiKey::kListOffsets:
      return decode_response<ListOffsetsRequest>(answer.version, answer.frame);
    case ApiKey::kOffsetFetch:
      return decode_response<OffsetFetchRequest>(answer.version, answer.frame);
    case ApiKey::kOffsetCommit:
      return decode_response<OffsetCommitRequest>(answer.version, answer.frame);
    case ApiKey::kDescribeConfigs:
      return decode_response<DescribeConfigsRequest>(answer.version, answer.frame);
    case ApiKey::kDescribeCluster:
      return decode_response<DescribeClusterRequest>(answer.version, answer.frame);
    case ApiKey::kCreateTopics:
      return decode_response<CreateTopicsRequest>(answer.version, answer.frame);
    case ApiKey::kDeleteTopics:
      return decode_response<DeleteTopicsRequest>(answer.version, answer.frame);
    case ApiKey::kDescribeTransactions:
      return decode_response<DescribeTransactionsRequest>(answer.version, answer.frame);
    case ApiKey::kListTransactions:
      return decode_response<ListTransactionsRequest>(answer.version, answer.frame);
    default:
      throw internal_error(9000, "{} is no question", api_of(answer.api).name);
  }
}

}  // namespace

std::vector<BrokerAddress> parse_bootstrap_servers(std::string_view servers) {
  std::vector<BrokerAddress> out;
  while (!servers.empty()) {
    const size_t comma = std::min(servers.find(','), servers.size());
    std::string_view server = servers.substr(0, comma);
    servers.remove_prefix(std::min(comma + 1, servers.size()));
    while (server.starts_with(' ')) server.remove_prefix(1);
    while (server.ends_with(' ')) server.remove_suffix(1);
    if (server.empty()) continue;
    const size_t colon = server.rfind(':');
    std::string_view host = server.substr(0, std::min(colon, server.size()));
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    int32_t port = 0;
    if (colon != std::string_view::npos) {
      const char* end = server.data() + server.size();
      const auto [at, error] = std::from_chars(server.data() + colon + 1, end, port);
      if (error != std::errc() || at != end) port = 0;
    }
    if (host.empty() || port < 1 || port > 65535) {
      throw user_error(2010, "bootstrap.servers: '{}' is not of the form host:port", server);
    }
    out.push_back({std::string(host), port});
  }
  if (out.empty()) throw user_error(2010, "bootstrap.servers names no server");
  return out;
}

ClusterClient::ClusterClient(const ClusterClientSettings& settings, BufferPool& pool, Clock& clock)
    : clock_(clock),
      bootstrap_servers_(settings.bootstrap_servers),
      bootstrap_(parse_bootstrap_servers(settings.bootstrap_servers)),
      cluster_(settings.cluster, static_cast<uint32_t>(clock.steady_ns())),
      links_(settings.links(clock, settings.link, pool)),
      next_tag_(kMetadataTag + 1),
      reached_at_ns_(clock.steady_ns()) {
  for (size_t i = 0; i < bootstrap_.size(); ++i) links_->link(-1 - static_cast<int32_t>(i), bootstrap_[i]);
}

void ClusterClient::set_topics(std::set<std::string> topics) {
  topics_ = std::move(topics);
  std::set<std::string> all = topics_;
  for (const ClusterQuestion* question : questions_) all.merge(question->topics());
  cluster_.set_topics(std::move(all));
}

void ClusterClient::ask(ClusterQuestion& question) {
  questions_.push_back(&question);
  set_topics(std::move(topics_));
}

void ClusterClient::withdraw(const ClusterQuestion& question) {
  std::erase(questions_, &question);
  std::erase_if(asked_, [&](const auto& entry) { return entry.second.question == &question; });
}

void ClusterClient::ask_until_done(ClusterQuestion& question, const std::stop_token& stop) {
  struct Asking {
    Asking(ClusterClient& c, ClusterQuestion& q) : client(c), question(q) { client.ask(question); }
    ~Asking() { client.withdraw(question); }
    ClusterClient& client;
    ClusterQuestion& question;
  };
  const std::stop_callback wake(stop, [this] { wake_up(); });
  const Asking asking(*this, question);
  int64_t tell_at_ns = clock_.steady_ns() + kLongNs;
  while (!question.is_done() && !stop.stop_requested()) {
    const int64_t now_ns = clock_.steady_ns();
    take_answers(now_ns, [](int32_t, LinkAnswer&) {});
    send_due(now_ns);
    if (question.is_done()) break;
    if (now_ns >= tell_at_ns) {
      tell_at_ns = kNever;
      log(LogLevel::kWarn, "kafka", "Kafka at {}: {} has had no answer for {} s{}{}", bootstrap_servers_,
          question.what(), kLongNs / (1000 * kNanosPerMs),
          question.last_reason().empty() ? "" : "; the last try: ", question.last_reason());
    }
    turn(std::min(tell_at_ns, due_at_ns(now_ns)));
    throw_if_refused();
  }
  if (!question.is_done()) throw_given_up(question.what());
  if (question.failure().empty()) return;
  throw external_error(question.failure_code(), "Kafka at {}: {} failed: {}", bootstrap_servers_, question.what(),
                       question.failure());
}

void ClusterClient::throw_given_up(std::string_view what) const {
  throw external_error(4009, "Kafka at {}: {} was given up: the job is stopping", bootstrap_servers_, what);
}

BrokerLink* ClusterClient::ready_link(int32_t broker) {
  const auto address = cluster_.brokers().find(broker);
  if (address == cluster_.brokers().end()) return nullptr;
  BrokerLink& link = links_->link(broker, address->second);
  if (link.state() != BrokerLink::State::kReady) {
    links_->want(broker);
    return nullptr;
  }
  return link.throttled_until_ns() <= clock_.steady_ns() ? &link : nullptr;
}

void ClusterClient::note_throttle(int32_t broker, int32_t throttle_ms, int64_t now_ns) {
  if (throttle_ms <= 0) return;
  BrokerLink& link = *links_->links().at(broker);
  link.throttled(throttle_ms * kNanosPerMs, now_ns);
  LinkNote& note = notes_[broker];
  if (now_ns < note.tell_of_quota_at_ns) return;
  note.tell_of_quota_at_ns = now_ns + kQuotaToldNs;
  log(LogLevel::kWarn, "kafka", "{}: a quota of this user or client id holds it back, for {} ms this time", link.name(),
      throttle_ms);
}

std::string ClusterClient::throttle_of(int32_t broker) const {
  const auto link = links_->links().find(broker);
  if (link == links_->links().end() || link->second->throttled_until_ns() <= clock_.steady_ns()) return "";
  return fmt::format("{}: a quota of this user or client id holds it back", link->second->name());
}

std::string ClusterClient::failure_of(int32_t broker) {
  const auto& links = links_->links();
  const auto link = links.find(broker);
  if (link == links.end() || link->second->state() != BrokerLink::State::kWaiting) return "";
  const bool others_are_reached = clock_.steady_ns() - reached_at_ns_ < kLongNs;
  const bool hint = others_are_reached && !notes_[broker].reached && !link->second->last_failure().empty();
  return link->second->last_failure() +
         (hint ? "; can the address in its 'advertised.listeners' be reached from here?" : "");
}

BrokerLink* ClusterClient::idlest_link() {
  BrokerLink* idlest = nullptr;
  for (const auto& [broker, link] : links_->links()) {
    if (link->state() != BrokerLink::State::kReady || link->throttled_until_ns() > clock_.steady_ns()) continue;
    if (idlest == nullptr || link->num_in_flight() < idlest->num_in_flight()) idlest = link;
  }
  return idlest;
}

BrokerLink* ClusterClient::any_ready_link() {
  BrokerLink* link = idlest_link();
  if (link == nullptr) want_all();
  return link;
}

void ClusterClient::want_all() {
  for (const auto& [broker, link] : links_->links()) links_->want(broker);
}

void ClusterClient::take_answers(int64_t now_ns, const std::function<void(int32_t broker, LinkAnswer& answer)>& other) {
  note_links(now_ns);
  for (const auto& [broker, link] : links_->links()) {
    link->close_if_idle(now_ns);
    for (LinkAnswer& answer : link->take_answers()) hand_over(broker, *link, answer, other, now_ns);
  }
}

void ClusterClient::hand_over(int32_t broker, BrokerLink& link, LinkAnswer& answer,
                              const std::function<void(int32_t broker, LinkAnswer& answer)>& other, int64_t now_ns) {
  const auto hand = [&] {
    if (answer.tag < kFirstTag) {
      other(broker, answer);
    } else {
      on_answer(broker, link.name(), answer, now_ns);
    }
  };
  if (!answer.failure.empty()) return hand();
  try {
    hand();
    notes_[broker].num_damaged = 0;
    return;
  } catch (Error& damage) {
    if (damage.code() != kDamagedAnswer) throw;
    if (++notes_[broker].num_damaged >= kDamagedMax) {
      damage.add_context(link.name());
      throw;
    }
    link.lost(fmt::format("its answer to {} is damaged: {}", api_of(answer.api).name, damage.message()), now_ns);
    answer.failure = link.last_failure();
  }
  hand();
}

/// Lost connections come back by themselves; whoever waits for one says so when its time is up. Each is told of once.
void ClusterClient::note_links(int64_t now_ns) {
  for (const auto& [broker, link] : links_->links()) {
    LinkNote& note = notes_[broker];
    if (link->state() == BrokerLink::State::kReady) {
      reached_at_ns_ = now_ns;
      note.reached = true;
      note.told_failure.clear();
    }
    if (link->state() != BrokerLink::State::kWaiting || link->last_failure() == note.told_failure) continue;
    note.told_failure = link->last_failure();
    if (note.told_failure.empty()) continue;
    last_failure_ = note.told_failure;
    log(LogLevel::kInfo, "kafka", "{}", last_failure_);
  }
}

void ClusterClient::on_answer(int32_t broker, const std::string& name, LinkAnswer& answer, int64_t now_ns) {
  if (answer.tag == kMetadataTag) {
    if (!answer.failure.empty()) return cluster_.on_failure(now_ns);
    const auto response = decode_response<MetadataRequest>(answer.version, answer.frame);
    note_throttle(broker, response.throttle_time_ms, now_ns);
    return cluster_.on_answer(response, now_ns);
  }
  std::optional<QuestionResponse> response;
  if (answer.failure.empty()) response = decode_answer(answer);
  // Also of a question that another broker has answered meanwhile: the quota is used up all the same.
  if (response) std::visit([&](const auto& any) { note_throttle(broker, any.throttle_time_ms, now_ns); }, *response);
  const auto found = asked_.find(answer.tag);
  if (found == asked_.end()) return;
  const Asked asked = found->second;
  asked_.erase(found);
  if (!response) return asked.question->on_failure(asked.target, answer.failure, cluster_, now_ns);
  asked.question->on_answer(asked.target, name, *response, cluster_, now_ns);
}

void ClusterClient::send_due(int64_t now_ns) {
  send_questions(now_ns);
  send_metadata(now_ns);
}

void ClusterClient::send_metadata(int64_t now_ns) {
  if (cluster_.due_at_ns() > now_ns) return;
  BrokerLink* link = any_ready_link();
  if (link != nullptr) link->send(cluster_.take_request(), kMetadataTag, now_ns);
}

void ClusterClient::send_questions(int64_t now_ns) {
  std::erase_if(questions_, [](const ClusterQuestion* question) { return question->is_done(); });
  for (ClusterQuestion* question : questions_) {
    question->on_time(now_ns);
    if (question->is_done()) continue;
    for (const int32_t target : question->targets(cluster_, now_ns)) send_to(*question, target, now_ns);
  }
}

void ClusterClient::send_to(ClusterQuestion& question, int32_t target, int64_t now_ns) {
  const bool any = target == ClusterQuestion::kAnyBroker;
  BrokerLink* link = any ? idlest_link() : ready_link(target);
  if (link == nullptr) {
    if (any) want_all();
    const std::string failure = any ? last_failure_ : failure_of(target);
    if (!failure.empty()) question.on_unreachable(target, failure, cluster_);
    return;
  }
  const uint64_t tag = next_tag_++;
  try {
    std::visit([&](const auto& request) { link->send(request, tag, now_ns, question.newest_version()); },
               question.take_request(target, cluster_));
    asked_[tag] = {&question, target};
  } catch (const Error& too_old) {
    question.fail(too_old.message(), too_old.code());
  }
}

int64_t ClusterClient::due_at_ns(int64_t now_ns) const {
  int64_t due = cluster_.due_at_ns() > now_ns ? cluster_.due_at_ns() : kNever;
  for (const ClusterQuestion* question : questions_) due = std::min(due, question->due_at_ns(now_ns));
  for (const auto& [broker, link] : links_->links()) {
    if (link->throttled_until_ns() > now_ns) due = std::min(due, link->throttled_until_ns());
  }
  return due;
}

}  // namespace yeoul
