#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/common/threads.h"
#include "yeoul/kafka/native/broker_link.h"
#include "yeoul/kafka/native/cluster_view.h"
#include "yeoul/kafka/native/links.h"
#include "yeoul/net/host_lookup.h"
#include "yeoul/net/poller.h"

namespace yeoul {

/// Moves the bytes of links over sockets: the thin part of the client that does I/O. What blocks is done elsewhere:
/// names are resolved by threads of `HostLookup`'s, logins that wait for others have a thread of their own.
/// Threads: one, but for wake_up().
class LinkLoop final : public Links {
 public:
  LinkLoop(Clock& clock, const LinkSettings& settings, BufferPool& pool, HostResolver resolver = resolve_host);
  ~LinkLoop() override;

  BrokerLink& link(int32_t broker, const BrokerAddress& address) override;
  void want(int32_t broker) override;
  const std::map<int32_t, BrokerLink*>& links() const override { return links_; }
  void flush() override;
  bool turn(int64_t deadline_ns) override;
  void wake_up() override;
  void throw_if_refused() const override;

 private:
  struct Peer;
  struct Mailbox;

  void connect(int32_t broker, Peer& peer, int64_t now_ns);
  void connect_to_next(int32_t broker, Peer& peer, int64_t now_ns);
  void on_resolved(int32_t broker, Peer& peer, int64_t now_ns);
  void on_event(int32_t broker, Peer& peer, const PollEvent& event);
  bool establish(int32_t broker, Peer& peer, const PollEvent& event);
  void read(Peer& peer);
  void write(int32_t broker, Peer& peer);
  void watch(int32_t broker, Peer& peer);
  void drop(Peer& peer, const IoResult& result);
  void run_work(int32_t broker, Peer& peer);
  void take_mail();
  void throw_if_unknown() const;
  int wait_ms(int64_t deadline_ns);

  Clock& clock_;
  LinkSettings settings_;
  BufferPool& pool_;
  const HostResolver resolver_;
  Poller poller_;
  std::vector<PollEvent> events_;
  bool wrote_ = false;         ///< since the turn began
  bool has_resolved_ = false;  ///< some host, at any time
  std::atomic<bool> woken_ = false;
  std::shared_ptr<Mailbox> mailbox_;
  std::map<int32_t, std::unique_ptr<Peer>> peers_;
  std::map<int32_t, BrokerLink*> links_;  ///< of the peers
  std::stop_source stop_work_;
  std::unique_ptr<ThreadPool> workers_;  ///< from the first work on
};

/// Over sockets.
std::unique_ptr<Links> make_link_loop(Clock& clock, const LinkSettings& settings, BufferPool& pool);

}  // namespace yeoul
