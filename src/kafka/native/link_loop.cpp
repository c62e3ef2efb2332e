#include "yeoul/kafka/native/link_loop.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

/// Of an answer that is coming, so much is waited for before it is read on.
constexpr size_t kReadAtOnce = size_t{256} << 10;

}  // namespace

struct LinkLoop::Peer {
  Peer(const BrokerAddress& where, std::string name, const LinkSettings& settings, BufferPool& pool, uint32_t seed)
      : address(where), link(std::move(name), settings, pool, seed) {}

  BrokerAddress address;
  BrokerLink link;
  TcpSocket socket;
  std::vector<SocketAddress> addresses;  ///< those not tried yet
  bool wanted = false;
  bool writing = false;
};

LinkLoop::LinkLoop(Clock& clock, const LinkSettings& settings, BufferPool& pool)
    : clock_(clock), settings_(settings), pool_(pool) {}
LinkLoop::~LinkLoop() = default;

BrokerLink& LinkLoop::link(int32_t broker, const BrokerAddress& address) {
  std::unique_ptr<Peer>& peer = peers_[broker];
  if (peer != nullptr && peer->address == address) return peer->link;
  const std::string where = fmt::format("{}:{}", address.host, address.port);
  const std::string name =
      broker < 0 ? fmt::format("bootstrap server {}", where) : fmt::format("broker {} ({})", broker, where);
  if (peer == nullptr) {
    const auto seed = static_cast<uint32_t>(clock_.steady_ns() ^ broker);
    peer = std::make_unique<Peer>(address, name, settings_, pool_, seed);
  } else {
    drop(*peer, "it has moved");
    peer->link.rename(name);
    peer->address = address;
    peer->addresses.clear();
  }
  return peer->link;
}

void LinkLoop::want(int32_t broker) {
  const auto found = peers_.find(broker);
  if (found != peers_.end()) found->second->wanted = true;
}

std::map<int32_t, BrokerLink*> LinkLoop::links() {
  std::map<int32_t, BrokerLink*> links;
  for (const auto& [broker, peer] : peers_) links[broker] = &peer->link;
  return links;
}

void LinkLoop::connect(int32_t broker, Peer& peer, int64_t now_ns) {
  peer.wanted = false;
  peer.link.connecting(now_ns);
  try {
    // Each attempt takes the next address, as `client.dns.lookup` = use_all_dns_ips has it.
    if (peer.addresses.empty()) {
      peer.addresses = resolve(peer.address.host, static_cast<uint16_t>(peer.address.port));
      std::reverse(peer.addresses.begin(), peer.addresses.end());
    }
    const SocketAddress address = std::move(peer.addresses.back());
    peer.addresses.pop_back();
    peer.socket = TcpSocket::connect(address);
  } catch (const Error& error) {
    return peer.link.lost(error.message(), now_ns);
  }
  peer.writing = true;
  poller_.add(peer.socket, static_cast<uint64_t>(static_cast<uint32_t>(broker)), true);
}

void LinkLoop::drop(Peer& peer, std::string_view reason) {
  if (peer.link.state() != BrokerLink::State::kWaiting) peer.link.lost(reason, clock_.steady_ns());
  peer.socket.close();
}

void LinkLoop::read(Peer& peer) {
  for (;;) {
    const std::span<char> room = peer.link.input();
    const IoResult result = peer.socket.read(room.data(), room.size());
    switch (result.status) {
      case IoResult::Status::kWouldBlock:
        return peer.socket.set_low_water(peer.link.bytes_coming(kReadAtOnce));
      case IoResult::Status::kClosed:
        return drop(peer, "it closed the connection");
      case IoResult::Status::kFailed:
        return drop(peer, result.reason);
      case IoResult::Status::kDone:
        break;
    }
    const bool complete = peer.link.received(result.bytes, clock_.steady_ns());
    if (peer.link.state() == BrokerLink::State::kWaiting) return peer.socket.close();
    if (complete) {
      // The next answer waits in the socket: first the next request leaves.
      return peer.socket.set_low_water(1);
    }
  }
}

void LinkLoop::write(int32_t broker, Peer& peer) {
  while (!peer.link.output().empty()) {
    const IoResult result = peer.socket.write(peer.link.output());
    if (result.status == IoResult::Status::kFailed) return drop(peer, result.reason);
    if (result.status == IoResult::Status::kWouldBlock) break;
    peer.link.sent(result.bytes);
  }
  const bool writing = !peer.link.output().empty();
  if (writing == peer.writing) return;
  peer.writing = writing;
  poller_.set_writing(peer.socket, static_cast<uint64_t>(static_cast<uint32_t>(broker)), writing);
}

void LinkLoop::flush() {
  for (const auto& [broker, peer] : peers_) {
    if (peer->socket.is_open() && peer->link.state() != BrokerLink::State::kConnecting) write(broker, *peer);
  }
}

int LinkLoop::wait_ms(int64_t deadline_ns) const {
  const int64_t now_ns = clock_.steady_ns();
  for (const auto& [broker, peer] : peers_) {
    if (peer->link.state() != BrokerLink::State::kWaiting)
      deadline_ns = std::min(deadline_ns, peer->link.deadline_ns());
    if (peer->wanted) deadline_ns = std::min(deadline_ns, peer->link.may_connect_at_ns());
  }
  if (deadline_ns == kNever) return -1;
  const int64_t wait_ns = std::max<int64_t>(deadline_ns - now_ns, 0);
  return static_cast<int>(std::min<int64_t>((wait_ns + kNanosPerMs - 1) / kNanosPerMs, INT32_MAX));
}

bool LinkLoop::turn(int64_t deadline_ns) {
  const int64_t now_ns = clock_.steady_ns();
  for (const auto& [broker, peer] : peers_) {
    if (peer->link.state() != BrokerLink::State::kWaiting) {
      peer->wanted = false;
    } else if (peer->wanted && peer->link.may_connect_at_ns() <= now_ns) {
      connect(broker, *peer, now_ns);
    }
  }
  flush();
  const bool woken = poller_.wait(wait_ms(deadline_ns), events_);
  for (const PollEvent& event : events_) {
    const auto broker = static_cast<int32_t>(static_cast<uint32_t>(event.tag));
    const auto found = peers_.find(broker);
    if (found == peers_.end() || !found->second->socket.is_open()) continue;
    Peer& peer = *found->second;
    if (peer.link.state() == BrokerLink::State::kConnecting) {
      const std::string failure = peer.socket.connect_failure();
      if (!failure.empty()) {
        drop(peer, failure);
        continue;
      }
      if (!event.writable) continue;
      peer.addresses.clear();
      peer.link.connected(clock_.steady_ns());
    }
    if (event.readable) read(peer);
    if (peer.socket.is_open()) write(broker, peer);
  }
  for (const auto& [broker, peer] : peers_) {
    peer->link.on_time(clock_.steady_ns());
    if (peer->link.state() == BrokerLink::State::kWaiting && peer->socket.is_open()) peer->socket.close();
  }
  return woken;
}

}  // namespace yeoul
