#include "yeoul/kafka/native/fetch_consumer.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/fetch_messages.h"

namespace yeoul {
namespace {

constexpr uint64_t kMetadataTag = 1;
constexpr uint64_t kFetchTag = 2;

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

FetchConsumer::FetchConsumer(FetchConsumerSettings settings, Clock& clock)
    : settings_(std::move(settings)),
      clock_(clock),
      bootstrap_(parse_bootstrap_servers(settings_.bootstrap_servers)),
      pool_(settings_.fetch.buffered_bytes_max),
      cluster_(settings_.cluster, static_cast<uint32_t>(clock.steady_ns())),
      machine_(settings_.fetch, pool_),
      loop_(clock, settings_.link, pool_),
      reached_at_ns_(clock.steady_ns()) {
  for (size_t i = 0; i < bootstrap_.size(); ++i) loop_.link(-1 - static_cast<int32_t>(i), bootstrap_[i]);
}

void FetchConsumer::assign(const KafkaPartition& partition, int64_t position) {
  machine_.assign(partition, position);
  cluster_.set_topics(machine_.topics());
}

void FetchConsumer::unassign(const KafkaPartition& partition) {
  machine_.unassign(partition);
  cluster_.set_topics(machine_.topics());
}

void FetchConsumer::poll(std::vector<FetchedRun>& runs, int64_t timeout_ms) {
  for (FetchedRun& run : runs) run.blocks.clear();
  const int64_t begin_ns = clock_.steady_ns();
  const int64_t deadline_ns = timeout_ms < 0 ? kNever : begin_ns + timeout_ms * kNanosPerMs;
  for (bool waited = false;; waited = true) {
    const int64_t now_ns = clock_.steady_ns();
    if (!machine_.has_decodable()) {
      take_answers(now_ns);
      ask_metadata(now_ns);
      ask_records(now_ns);
      loop_.flush();  // the broker works on the next answer while this one is decoded
    }
    size_t count = 0;
    for (size_t num_bytes = 0; machine_.has_decodable() && num_bytes < kRunBytes;) {
      if (runs.size() == count) runs.emplace_back();
      if (machine_.decode_next(runs[count])) num_bytes += runs[count++].num_bytes;
    }
    if (count > 0 || (waited && now_ns >= deadline_ns)) {
      runs.resize(count);
      return;
    }
    check_patience(now_ns);
    if (loop_.turn(std::min(deadline_ns, next_due_ns(now_ns)))) {
      runs.clear();
      return;
    }
  }
}

void FetchConsumer::take_answers(int64_t now_ns) {
  for (const auto& [broker, link] : loop_.links()) {
    if (link->state() == BrokerLink::State::kReady) reached_at_ns_ = now_ns;
    for (LinkAnswer& answer : link->take_answers()) {
      if (answer.tag == kFetchTag) {
        on_fetch(broker, answer, now_ns);
      } else {
        on_metadata(answer, now_ns);
      }
    }
  }
}

void FetchConsumer::on_fetch(int32_t broker, LinkAnswer& answer, int64_t now_ns) {
  if (!answer.failure.empty()) {
    machine_.on_failure(broker, now_ns);
    cluster_.request_refresh();
    return;
  }
  FetchResponse response;
  try {
    response = decode_response<FetchRequest>(answer.version, answer.frame);
  } catch (Error& error) {
    machine_.on_failure(broker, now_ns);
    error.add_context(fmt::format("broker {}", broker));
    throw;
  }
  machine_.on_answer(broker, std::move(response), std::move(answer.buffer), cluster_, now_ns);
}

void FetchConsumer::on_metadata(LinkAnswer& answer, int64_t now_ns) {
  if (!answer.failure.empty()) return cluster_.on_failure(now_ns);
  cluster_.on_answer(decode_response<MetadataRequest>(answer.version, answer.frame), now_ns);
}

void FetchConsumer::ask_metadata(int64_t now_ns) {
  if (cluster_.due_at_ns() > now_ns) return;
  BrokerLink* idlest = nullptr;
  for (const auto& [broker, link] : loop_.links()) {
    if (link->state() != BrokerLink::State::kReady) continue;
    if (idlest == nullptr || link->num_in_flight() < idlest->num_in_flight()) idlest = link;
  }
  if (idlest != nullptr) return idlest->send(cluster_.take_request(), kMetadataTag, now_ns);
  for (const auto& [broker, link] : loop_.links()) loop_.want(broker);
}

void FetchConsumer::ask_records(int64_t now_ns) {
  if (machine_.lacks_leaders(cluster_)) cluster_.request_refresh();
  for (const int32_t broker : machine_.brokers(cluster_)) {
    BrokerLink& link = loop_.link(broker, cluster_.brokers().at(broker));
    if (link.state() != BrokerLink::State::kReady) {
      loop_.want(broker);
      continue;
    }
    const auto request = machine_.next_request(broker, cluster_, now_ns);
    if (request) link.send(*request, kFetchTag, now_ns, machine_.newest_version(*request));
  }
}

void FetchConsumer::check_patience(int64_t now_ns) {
  if (now_ns - reached_at_ns_ < settings_.patience_ns) return;
  std::string failure;
  for (const auto& [broker, link] : loop_.links()) {
    if (!link->last_failure().empty()) failure = link->last_failure();
  }
  throw external_error(4001, "no broker of {} was reached for {} s; the last attempt: {}", settings_.bootstrap_servers,
                       settings_.patience_ns / (1000 * kNanosPerMs), failure);
}

int64_t FetchConsumer::next_due_ns(int64_t now_ns) const {
  const int64_t due = std::min(machine_.due_at_ns(now_ns), reached_at_ns_ + settings_.patience_ns);
  return cluster_.due_at_ns() > now_ns ? std::min(due, cluster_.due_at_ns()) : due;
}

}  // namespace yeoul
