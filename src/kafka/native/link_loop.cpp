#include "yeoul/kafka/native/link_loop.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/common/system_error.h"
#include "yeoul/net/secure_socket.h"

namespace yeoul {

/// What other threads leave for the loop's. It may outlive the loop.
struct LinkLoop::Mailbox {
  struct Done {
    int32_t broker;
    uint64_t id;
  };

  std::mutex mutex;
  Poller* poller;  // guarded by mutex; null when the loop is gone
  std::vector<Done> done;

  void wake() {
    const std::lock_guard lock(mutex);
    if (poller != nullptr) poller->wake_up();
  }
  void work_done(int32_t broker, uint64_t id) {
    const std::lock_guard lock(mutex);
    done.push_back({broker, id});
    if (poller != nullptr) poller->wake_up();
  }
};

struct LinkLoop::Peer {
  /// Where to connect to, and under which name the broker is known there.
  struct Target {
    SocketAddress address;
    std::string host;
  };

  Peer(const BrokerAddress& where, std::string name, const LinkSettings& settings, BufferPool& pool, uint32_t seed)
      : address(where), link(std::move(name), settings, pool, seed) {}

  BrokerAddress address;
  BrokerLink link;
  std::unique_ptr<HostLookup> lookup;  ///< while the name is being resolved
  std::string unknown_host;            ///< why the name has no address, where that is sure
  std::vector<Target> targets;         ///< those not tried yet, the next one last
  std::string host;                    ///< of the target in use
  SecureSocket socket;
  bool is_connected = false;  ///< by TCP
  bool wanted = false;
  bool writing = false;
};

LinkLoop::LinkLoop(Clock& clock, const LinkSettings& settings, BufferPool& pool, HostResolver resolver)
    : clock_(clock),
      settings_(settings),
      pool_(pool),
      resolver_(std::move(resolver)),
      mailbox_(std::make_shared<Mailbox>()) {
  mailbox_->poller = &poller_;
}

LinkLoop::~LinkLoop() {
  stop_work_.request_stop();
  const std::lock_guard lock(mailbox_->mutex);
  mailbox_->poller = nullptr;
}

BrokerLink& LinkLoop::link(int32_t broker, const BrokerAddress& address) {
  std::unique_ptr<Peer>& peer = peers_[broker];
  if (peer != nullptr && peer->address == address) return peer->link;
  const bool is_v6 = address.host.find(':') != std::string::npos;
  const std::string where =
      is_v6 ? fmt::format("[{}]:{}", address.host, address.port) : fmt::format("{}:{}", address.host, address.port);
  const std::string name =
      broker < 0 ? fmt::format("bootstrap server {}", where) : fmt::format("broker {} ({})", broker, where);
  if (peer == nullptr) {
    const auto seed = static_cast<uint32_t>(clock_.steady_ns() ^ broker);
    peer = std::make_unique<Peer>(address, name, settings_, pool_, seed);
    links_[broker] = &peer->link;
  } else {
    drop(*peer, {IoResult::Status::kFailed, 0, "it has moved"});
    peer->link.rename(name);
    peer->address = address;
    peer->lookup.reset();
    peer->targets.clear();
  }
  return peer->link;
}

void LinkLoop::want(int32_t broker) {
  const auto found = peers_.find(broker);
  if (found != peers_.end()) found->second->wanted = true;
}

void LinkLoop::connect(int32_t broker, Peer& peer, int64_t now_ns) {
  peer.wanted = false;
  peer.link.connecting(now_ns);
  if (!peer.targets.empty()) return connect_to_next(broker, peer, now_ns);
  const bool with_names = settings_.canonical_bootstrap_names && broker < 0;
  peer.lookup = std::make_unique<HostLookup>(
      peer.address.host, static_cast<uint16_t>(peer.address.port), with_names,
      [mailbox = mailbox_] { mailbox->wake(); }, resolver_);
}

void LinkLoop::on_resolved(int32_t broker, Peer& peer, int64_t now_ns) {
  std::optional<ResolvedHost> found = peer.lookup->take();
  if (!found) return;
  peer.lookup.reset();
  if (found->cause == ResolvedHost::Cause::kNoDescriptors) {
    throw external_error(kNoDescriptors, "{}: {}", peer.link.name(), found->failure);
  }
  if (found->cause == ResolvedHost::Cause::kUnknownHost) peer.unknown_host = found->failure;
  if (!found->failure.empty()) return peer.link.lost(found->failure, now_ns);
  has_resolved_ = true;
  for (size_t i = found->addresses.size(); i-- > 0;) {
    const bool named = i < found->names.size() && !found->names[i].empty();
    peer.targets.push_back({std::move(found->addresses[i]), named ? found->names[i] : peer.address.host});
  }
  connect_to_next(broker, peer, now_ns);
}

/// Each attempt takes the next address, as `client.dns.lookup` = use_all_dns_ips has it.
void LinkLoop::connect_to_next(int32_t broker, Peer& peer, int64_t now_ns) {
  const Peer::Target target = std::move(peer.targets.back());
  peer.targets.pop_back();
  peer.host = target.host;
  try {
    std::unique_ptr<TlsSession> tls;
    if (settings_.security.tls != nullptr) tls = std::make_unique<TlsSession>(settings_.security.tls, target.host);
    peer.socket = SecureSocket(TcpSocket::connect(target.address, settings_.buffers), std::move(tls));
  } catch (Error& error) {
    // The job would seem to wait for its brokers.
    if (error.code() == kNoDescriptors) throw error.add_context(peer.link.name());
    return peer.link.lost(error.message(), now_ns);
  }
  peer.is_connected = false;
  peer.writing = true;
  poller_.add(peer.socket.socket(), static_cast<uint64_t>(static_cast<uint32_t>(broker)), true);
}

void LinkLoop::drop(Peer& peer, const IoResult& result) {
  if (peer.link.state() != BrokerLink::State::kWaiting) {
    const int64_t now_ns = clock_.steady_ns();
    if (result.status == IoResult::Status::kClosed) {
      peer.link.closed(now_ns);
    } else if (result.refused) {
      peer.link.refused(result.reason, now_ns);
    } else {
      peer.link.lost(result.reason, now_ns);
    }
  }
  peer.socket.close();
}

void LinkLoop::read(Peer& peer) {
  for (;;) {
    const std::span<char> room = peer.link.input();
    const IoResult result = peer.socket.read(room.data(), room.size());
    if (result.status == IoResult::Status::kWouldBlock) return;
    if (result.status != IoResult::Status::kDone) return drop(peer, result);
    const bool complete = peer.link.received(result.bytes, clock_.steady_ns());
    if (peer.link.state() == BrokerLink::State::kWaiting) return peer.socket.close();
    // The next answer waits in the socket: first the next request leaves. And less than was asked for is all there is.
    if (complete || (result.bytes < room.size() && !peer.socket.has_input())) return;
  }
}

void LinkLoop::write(int32_t broker, Peer& peer) {
  IoResult result{IoResult::Status::kDone};
  std::array<std::string_view, TcpSocket::kPiecesAtOnce> pieces;
  while (result.status == IoResult::Status::kDone && peer.link.has_output()) {
    result = peer.socket.write(std::span(pieces).first(peer.link.output(pieces)));
    if (result.status == IoResult::Status::kDone) {
      peer.link.sent(result.bytes);
      wrote_ = true;
    }
  }
  if (result.status == IoResult::Status::kDone) result = peer.socket.flush();
  if (result.status == IoResult::Status::kDone) peer.link.flushed();
  if (result.status == IoResult::Status::kFailed) {
    // What the broker said before it went says more than that it is gone.
    read(peer);
    if (peer.socket.is_open()) drop(peer, result);
    return;
  }
  watch(broker, peer);
}

void LinkLoop::watch(int32_t broker, Peer& peer) {
  const bool writing = peer.socket.has_output() || peer.link.has_output();
  if (writing == peer.writing) return;
  peer.writing = writing;
  poller_.set_writing(peer.socket.socket(), static_cast<uint64_t>(static_cast<uint32_t>(broker)), writing);
}

void LinkLoop::flush() {
  for (const auto& [broker, peer] : peers_) {
    if (peer->socket.is_open() && peer->link.state() != BrokerLink::State::kConnecting) write(broker, *peer);
  }
}

int LinkLoop::wait_ms(int64_t deadline_ns) {
  const int64_t now_ns = clock_.steady_ns();
  for (const auto& [broker, peer] : peers_) {
    if (peer->link.has_answers()) return 0;
    if (peer->link.state() != BrokerLink::State::kWaiting) {
      deadline_ns = std::min(deadline_ns, peer->link.deadline_ns());
      if (peer->socket.is_open() && peer->socket.has_input()) return 0;
      if (peer->socket.is_open()) peer->socket.set_low_water(peer->link.bytes_wanted());
      if (peer->link.waits_for_answers()) {
        deadline_ns = std::min(deadline_ns, now_ns + BrokerLink::kAnswersWaitMs * kNanosPerMs);
      }
    }
    if (peer->wanted) deadline_ns = std::min(deadline_ns, peer->link.may_connect_at_ns());
  }
  if (deadline_ns == kNever) return -1;
  const int64_t wait_ns = std::max<int64_t>(deadline_ns - now_ns, 0);
  return static_cast<int>(std::min<int64_t>((wait_ns + kNanosPerMs - 1) / kNanosPerMs, INT32_MAX));
}

/// TCP, then TLS. @return whether the link's own bytes can go
bool LinkLoop::establish(int32_t broker, Peer& peer, const PollEvent& event) {
  const std::string failure = peer.is_connected ? "" : peer.socket.socket().connect_failure();
  if (!failure.empty()) {
    drop(peer, {IoResult::Status::kFailed, 0, failure});
    return false;
  }
  if (!event.writable && !peer.is_connected) return false;
  peer.is_connected = true;
  const IoResult result = peer.socket.establish();
  if (result.status == IoResult::Status::kWouldBlock) {
    watch(broker, peer);
    return false;
  }
  if (result.status != IoResult::Status::kDone) {
    drop(peer, result);
    return false;
  }
  peer.targets.clear();
  peer.link.connected(peer.host, clock_.steady_ns());
  return true;
}

void LinkLoop::on_event(int32_t broker, Peer& peer, const PollEvent& event) {
  if (peer.link.state() == BrokerLink::State::kConnecting && !establish(broker, peer, event)) return;
  if (event.readable) read(peer);
  if (peer.socket.is_open()) write(broker, peer);
}

void LinkLoop::run_work(int32_t broker, Peer& peer) {
  std::optional<LinkWork> work = peer.link.take_work();
  if (!work) return;
  if (workers_ == nullptr) workers_ = std::make_unique<ThreadPool>("kafka-login", 1);
  workers_->post(
      [run = std::move(work->run), id = work->id, broker, mailbox = mailbox_, stop = stop_work_.get_token()] {
        run(stop);
        mailbox->work_done(broker, id);
      });
}

void LinkLoop::take_mail() {
  std::vector<Mailbox::Done> done;
  {
    const std::lock_guard lock(mailbox_->mutex);
    done.swap(mailbox_->done);
  }
  for (const Mailbox::Done& work : done) {
    const auto found = peers_.find(work.broker);
    if (found != peers_.end()) found->second->link.work_done(work.id, clock_.steady_ns());
  }
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
  wrote_ = false;
  flush();
  // What was written now made room for more: that is news, too.
  poller_.wait(wrote_ ? 0 : wait_ms(deadline_ns), events_);
  take_mail();
  for (const PollEvent& event : events_) {
    const auto broker = static_cast<int32_t>(static_cast<uint32_t>(event.tag));
    const auto found = peers_.find(broker);
    if (found != peers_.end() && found->second->socket.is_open()) on_event(broker, *found->second, event);
  }
  for (const auto& [broker, peer] : peers_) {
    const bool has_input = peer->socket.has_input() || (events_.empty() && peer->link.waits_for_answers());
    if (peer->socket.is_open() && has_input && peer->link.state() != BrokerLink::State::kConnecting) {
      on_event(broker, *peer, {0, true, false});
    }
    peer->link.on_time(clock_.steady_ns());
    run_work(broker, *peer);
    if (peer->lookup != nullptr) on_resolved(broker, *peer, clock_.steady_ns());
    if (peer->link.state() == BrokerLink::State::kWaiting) {
      peer->lookup.reset();
      if (peer->socket.is_open()) peer->socket.close();
    }
  }
  return woken_.exchange(false);
}

void LinkLoop::wake_up() {
  woken_ = true;
  poller_.wake_up();
}

void LinkLoop::throw_if_refused() const {
  for (const auto& [broker, peer] : peers_) {
    if (peer->link.is_refused()) throw external_error(4013, "{}", peer->link.last_failure());
  }
  if (!has_resolved_) throw_if_unknown();
}

/// Names that were never found are misspelt; one that was may come back.
void LinkLoop::throw_if_unknown() const {
  std::string reasons;
  for (const auto& [broker, peer] : peers_) {
    if (peer->unknown_host.empty()) return;
    reasons = peer->unknown_host + (reasons.empty() ? "" : "; ") + reasons;  // the first has the largest number
  }
  if (!reasons.empty()) throw external_error(4014, "no host of 'bootstrap.servers' can be found: {}", reasons);
}

std::unique_ptr<Links> make_link_loop(Clock& clock, const LinkSettings& settings, BufferPool& pool) {
  return std::make_unique<LinkLoop>(clock, settings, pool);
}

}  // namespace yeoul
