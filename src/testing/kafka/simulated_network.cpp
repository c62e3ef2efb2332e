#include "yeoul/testing/kafka/simulated_network.h"

#include <algorithm>
#include <array>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {

/// One TCP connection. The client's end is gone when `link` is null, the broker's when `open` is false.
struct SimulatedNetwork::Connection {
  BrokerLink* link;
  int32_t node;
  bool open = true;
  bool busy = false;  ///< brokers do one request of a connection after the other
  std::string received;
  int64_t last_to_broker_ms = 0;
  int64_t last_to_client_ms = 0;
  int64_t used_ms = 0;            ///< by an answer, last
  int64_t muted_until_ms = 0;     ///< the broker takes nothing from it
  int64_t quiet_until_ms = 0;     ///< the same, as the client has been told
  int64_t num_requests_told = 0;  ///< that the link had sent when it was told
};

/// A client's links over the network. Its turn never waits: the simulation moves the time.
class SimulatedNetwork::ClientLinks final : public Links {
 public:
  ClientLinks(SimulatedNetwork& network, const LinkSettings& settings, BufferPool& pool)
      : network_(network), settings_(settings), pool_(pool) {}
  ~ClientLinks() override {
    for (auto& [broker, peer] : peers_) forget(peer);
  }

  BrokerLink& link(int32_t broker, const BrokerAddress& address) override {
    const auto [found, is_new] = peers_.try_emplace(broker);
    Peer& peer = found->second;
    if (is_new) {
      const auto seed = static_cast<uint32_t>(network_.random_.next());
      peer.link = std::make_unique<BrokerLink>(fmt::format("{} ({})", broker, address.host), settings_, pool_, seed);
      links_[broker] = peer.link.get();
    } else if (peer.address != address) {
      forget(peer);
      peer.link->lost("it has moved", now_ns());
    }
    peer.address = address;
    return *peer.link;
  }

  void want(int32_t broker) override { peers_.at(broker).wanted = true; }

  const std::map<int32_t, BrokerLink*>& links() const override { return links_; }

  void flush() override {
    for (auto& [broker, peer] : peers_) {
      if (peer.connection == nullptr || peer.link->state() == BrokerLink::State::kConnecting) continue;
      network_.check_quiet(peer.connection);
      const std::string output = output_of(*peer.link);
      if (output.empty()) continue;
      // Now and then only a part fits.
      const auto size = static_cast<int64_t>(output.size());
      const int64_t sent = network_.random_.chance(100) ? network_.random_.between(1, size) : size;
      network_.to_broker(peer.connection, output.substr(0, static_cast<size_t>(sent)));
      peer.link->sent(static_cast<size_t>(sent));
      peer.link->flushed();
    }
  }

  bool turn(int64_t deadline_ns) override {
    (void)deadline_ns;
    for (auto& [broker, peer] : peers_) {
      if (!network_.sabotage_.waits_for_ever || peer.link->state() == BrokerLink::State::kConnecting) {
        peer.link->on_time(now_ns());
      }
      const bool waiting = peer.link->state() == BrokerLink::State::kWaiting;
      if (waiting) forget(peer);
      if (waiting && peer.wanted && peer.link->may_connect_at_ns() <= now_ns()) connect(peer);
    }
    flush();
    return std::exchange(woken_, false);
  }

  void wake_up() override { woken_ = true; }
  void throw_if_refused() const override {}

 private:
  struct Peer {
    BrokerAddress address;
    std::unique_ptr<BrokerLink> link;
    ConnectionRef connection;
    bool wanted = false;
  };

  int64_t now_ns() const { return network_.clock_.steady_ns(); }

  static std::string output_of(const BrokerLink& link) {
    std::array<std::string_view, 64> pieces;
    std::string output;
    for (const std::string_view piece : std::span(pieces).first(link.output(pieces))) output += piece;
    return output;
  }

  /// What was sent already may still arrive.
  void forget(Peer& peer) {
    if (peer.connection == nullptr) return;
    peer.connection->link = nullptr;
    if (!network_.random_.chance(network_.moods.late)) peer.connection->open = false;
    peer.connection.reset();
  }

  void connect(Peer& peer) {
    peer.wanted = false;
    peer.link->connecting(now_ns());
    int32_t node = 0;
    while (ModelCluster::host_of(node) != peer.address.host) ++node;
    peer.connection = std::make_shared<Connection>(Connection{peer.link.get(), node});
    network_.connections_.push_back(peer.connection);
    const bool refused = network_.random_.chance(network_.moods.refused);
    network_.at(network_.arrival_ms(*peer.connection), [&network = network_, to = peer.connection, refused] {
      if (to->link == nullptr || to->link->state() != BrokerLink::State::kConnecting) return;
      const bool is_alive = network.cluster_.is_alive(to->node);
      if (!is_alive && network.silent_.contains(to->node)) return;
      if (refused || !is_alive) return network.lose(to, "connection refused");
      to->link->connected(ModelCluster::host_of(to->node), network.clock_.steady_ns());
    });
  }

  SimulatedNetwork& network_;
  LinkSettings settings_;
  BufferPool& pool_;
  std::map<int32_t, Peer> peers_;
  std::map<int32_t, BrokerLink*> links_;  ///< of the peers
  bool woken_ = false;
};

LinksFactory SimulatedNetwork::links() {
  return [this](Clock&, const LinkSettings& settings, BufferPool& pool) {
    return std::make_unique<ClientLinks>(*this, settings, pool);
  };
}

void SimulatedNetwork::at(int64_t ms, std::function<void()> event) {
  events_.push({std::max(ms, clock_.wall_ms()), next_number_++, std::move(event)});
}

void SimulatedNetwork::step(int64_t ms_max) {
  const int64_t now_ms = clock_.wall_ms();
  const int64_t next_ms = events_.empty() ? now_ms + ms_max : std::min(events_.top().at_ms, now_ms + ms_max);
  if (next_ms > now_ms) clock_.advance(next_ms - now_ms);
  while (!events_.empty() && events_.top().at_ms <= clock_.wall_ms()) {
    const auto run = events_.top().run;
    events_.pop();
    ++num_events_;
    run();
  }
}

int64_t SimulatedNetwork::arrival_ms(const Connection& connection) {
  int64_t ms = clock_.wall_ms() + random_.below(3);
  if (random_.chance(moods.slow)) ms += random_.below(moods.slow_ms_max);
  const auto frozen = frozen_until_ms_.find(connection.node);
  return frozen == frozen_until_ms_.end() ? ms : std::max(ms, frozen->second);
}

std::vector<SimulatedNetwork::ConnectionRef> SimulatedNetwork::connections_of(int32_t node) {
  std::erase_if(connections_, [](const auto& connection) { return connection.expired(); });
  std::vector<ConnectionRef> found;
  for (const auto& weak : connections_) {
    if (const ConnectionRef connection = weak.lock(); connection->node == node) found.push_back(connection);
  }
  return found;
}

void SimulatedNetwork::cut(int32_t node) {
  for (const ConnectionRef& connection : connections_of(node)) lose(connection, "connection reset");
}

void SimulatedNetwork::die(int32_t node, bool silently) {
  silent_.erase(node);
  if (!silently) return cut(node);
  silent_.insert(node);
  for (const ConnectionRef& connection : connections_of(node)) connection->open = false;
}

void SimulatedNetwork::lose(const ConnectionRef& connection, const std::string& reason) {
  connection->open = false;
  if (connection->link == nullptr) return;
  BrokerLink& link = *std::exchange(connection->link, nullptr);
  if (link.state() != BrokerLink::State::kWaiting) link.lost(reason, clock_.steady_ns());
}

void SimulatedNetwork::to_broker(const ConnectionRef& connection, std::string bytes) {
  connection->last_to_broker_ms = std::max(connection->last_to_broker_ms, arrival_ms(*connection));
  const bool cut = random_.chance(moods.cut_request);
  at(connection->last_to_broker_ms, [this, connection, bytes = std::move(bytes), cut] {
    if (!connection->open) {
      if (cluster_.is_alive(connection->node)) lose(connection, "connection reset");
      return;
    }
    if (cut || !cluster_.is_alive(connection->node)) return lose(connection, "connection reset");
    connection->received += bytes;
    serve(connection);
  });
}

void SimulatedNetwork::serve(const ConnectionRef& connection) {
  if (connection->busy || !connection->open || connection->muted_until_ms > clock_.wall_ms() ||
      connection->received.size() < sizeof(int32_t))
    return;
  const auto size = static_cast<size_t>(load_big_endian<int32_t>(connection->received.data()));
  if (connection->received.size() < sizeof(int32_t) + size) return;
  const std::string frame = connection->received.substr(sizeof(int32_t), size);
  connection->received.erase(0, sizeof(int32_t) + size);
  serve_frame(connection, frame, false);
}

void SimulatedNetwork::serve_frame(const ConnectionRef& connection, const std::string& frame, bool final) {
  // Done late, such a request fences the very producer that has asked again since: against that no client can do
  // anything, and its failure is right.
  const auto api = static_cast<ApiKey>(load_big_endian<int16_t>(frame.data()));
  if (connection->link == nullptr && api == ApiKey::kInitProducerId) return;
  connection->busy = true;
  ModelCluster::Reply reply = cluster_.handle(connection->node, frame, clock_.wall_ms(), final);
  if (reply.again) {
    return at(clock_.wall_ms() + reply.delay_ms, [this, connection, frame] {
      if (connection->open && cluster_.is_alive(connection->node)) serve_frame(connection, frame, true);
    });
  }
  connection->busy = false;
  if (reply.throttle_ms > 0) {
    ++num_throttled_;
    connection->muted_until_ms = clock_.wall_ms() + reply.throttle_ms;
    at(connection->muted_until_ms, [this, connection] { serve(connection); });
  }
  if (!reply.frame.empty()) answer(connection, std::move(reply.frame), reply.throttle_ms);
  connection->used_ms = clock_.wall_ms();
  if (moods.idle_ms_max > 0) {
    at(clock_.wall_ms() + moods.idle_ms_max, [this, connection] { close_if_idle(connection); });
  }
  serve(connection);
}

void SimulatedNetwork::answer(const ConnectionRef& connection, std::string frame, int64_t throttle_ms) {
  if (random_.chance(moods.cut_answer)) return to_client(connection, {.bytes = {}, .then_cut = true});
  if (random_.chance(moods.half_answer)) {
    frame.resize(static_cast<size_t>(random_.below(static_cast<int64_t>(frame.size()))));
    return to_client(connection, {.bytes = std::move(frame), .then_cut = true});
  }
  if (random_.chance(moods.damaged)) return damaged_answer(connection, std::move(frame));
  to_client(connection, {.bytes = std::move(frame), .throttle_ms = throttle_ms});
}

/// Bytes that are others and make sense all the same are not for the client to notice: there are no checksums but those
/// of records. So what is damaged is where an answer ends and whose it is.
void SimulatedNetwork::damaged_answer(const ConnectionRef& connection, std::string frame) {
  ++num_damaged_;
  const auto size = static_cast<int64_t>(frame.size() - sizeof(int32_t));
  const auto set = [&frame](size_t at, int64_t value) {
    store_big_endian(frame.data() + at, static_cast<int32_t>(value));
  };
  switch (random_.below(5)) {
    case 0:  // It does not come, but others do.
      return;
    case 1:  // It comes twice.
      to_client(connection, {.bytes = frame});
      break;
    case 2:  // It is that of another request.
      set(sizeof(int32_t), load_big_endian<int32_t>(frame.data() + sizeof(int32_t)) ^ random_.between(1, 1000));
      break;
    case 3:  // Its length is wrong.
      set(0, random_.one_of({size + random_.between(1, 100), size - random_.between(1, 4), random_.below(4),
                             -random_.between(1, 1000)}));
      break;
    default:  // Its length is right, and it holds too little or too much.
      if (random_.chance(500)) {
        frame.append(static_cast<size_t>(random_.between(1, 20)), '\1');
      } else {
        frame.resize(frame.size() - static_cast<size_t>(random_.between(1, std::min<int64_t>(size - 4, 20))));
      }
      set(0, static_cast<int64_t>(frame.size() - sizeof(int32_t)));
  }
  to_client(connection, {.bytes = std::move(frame)});
}

/// What comes is taken for what is waited for.
void SimulatedNetwork::expect(BrokerLink& link, std::string_view frame) {
  if (link.in_flight_.empty() || frame.size() < 2 * sizeof(int32_t)) return;
  link.in_flight_.front().correlation_id = load_big_endian<int32_t>(frame.data() + sizeof(int32_t));
}

void SimulatedNetwork::to_client(const ConnectionRef& connection, Delivery delivery) {
  connection->last_to_client_ms = std::max(connection->last_to_client_ms, arrival_ms(*connection));
  at(connection->last_to_client_ms, [this, connection, delivery = std::move(delivery)] {
    if (!connection->open || connection->link == nullptr) return;
    BrokerLink& link = *connection->link;
    const std::string& bytes = delivery.bytes;
    if (sabotage_.takes_any_answer) expect(link, bytes);
    for (size_t at = 0; at < bytes.size() && link.state() != BrokerLink::State::kWaiting;) {
      const std::span<char> room = link.input();
      const size_t size = std::min(room.size(), bytes.size() - at);
      std::copy_n(bytes.data() + at, size, room.data());
      at += size;
      link.received(size, clock_.steady_ns());
    }
    if (delivery.throttle_ms > 0) {
      connection->quiet_until_ms = std::max(connection->quiet_until_ms, clock_.wall_ms() + delivery.throttle_ms);
      connection->num_requests_told = link.counts().num_requests;
    }
    if (delivery.then_cut) lose(connection, "connection reset by peer");
  });
}

void SimulatedNetwork::close_if_idle(const ConnectionRef& connection) {
  const int64_t now_ms = clock_.wall_ms();
  if (!connection->open || connection->busy || moods.idle_ms_max == 0) return;
  if (now_ms - connection->used_ms < moods.idle_ms_max || connection->muted_until_ms > now_ms) return;
  connection->open = false;
  if (connection->link == nullptr) return;
  BrokerLink& link = *std::exchange(connection->link, nullptr);
  if (link.state() != BrokerLink::State::kWaiting) link.closed(clock_.steady_ns());
}

/// What was put into the link before it knew may still be sent.
void SimulatedNetwork::check_quiet(const ConnectionRef& connection) {
  if (connection->link == nullptr) return;
  BrokerLink& link = *connection->link;
  if (sabotage_.ignores_quotas) link.throttled_until_ns_ = 0;
  if (clock_.wall_ms() >= connection->quiet_until_ms || !finding_.empty()) return;
  if (link.counts().num_requests == connection->num_requests_told) return;
  finding_ = fmt::format("{} was sent {} though its quota is used up for {} ms", link.name(),
                         link.in_flight_.empty() ? "something" : api_of(link.in_flight_.back().api).name,
                         connection->quiet_until_ms - clock_.wall_ms());
}

}  // namespace yeoul
