#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/kafka/native/broker_link.h"
#include "yeoul/kafka/native/cluster_view.h"
#include "yeoul/net/poller.h"

namespace yeoul {

/// Moves the bytes of links over sockets: the thin part of the client that does I/O. Threads: one, but for wake_up().
class LinkLoop {
 public:
  LinkLoop(Clock& clock, const LinkSettings& settings, BufferPool& pool);
  ~LinkLoop();

  /// The link to a broker, made at the first call. If the broker has moved, the link goes to its new address.
  BrokerLink& link(int32_t broker, const BrokerAddress& address);
  /// Connects the link at the next turn, unless it is connected or must still wait.
  void want(int32_t broker);
  std::map<int32_t, BrokerLink*> links();

  /// Writes what the links have to say.
  void flush();
  /// One turn: connects, waits up to `deadline_ns` for something to happen, reads and writes. A turn that completed an
  /// answer ends at once.
  /// @return whether wake_up() ended it
  bool turn(int64_t deadline_ns);
  /// Ends the wait of turn(). Any thread.
  void wake_up() { poller_.wake_up(); }

 private:
  struct Peer;

  void connect(int32_t broker, Peer& peer, int64_t now_ns);
  void read(Peer& peer);
  void write(int32_t broker, Peer& peer);
  void drop(Peer& peer, std::string_view reason);
  int wait_ms(int64_t deadline_ns) const;

  Clock& clock_;
  LinkSettings settings_;
  BufferPool& pool_;
  Poller poller_;
  std::vector<PollEvent> events_;
  std::map<int32_t, std::unique_ptr<Peer>> peers_;
};

}  // namespace yeoul
