#pragma once

#include <cstdint>
#include <vector>

#include "yeoul/net/tcp_socket.h"

namespace yeoul {

/// What happened to a socket.
struct PollEvent {
  uint64_t tag;
  bool readable;  ///< also when the other side closed it, or it failed: reading tells
  bool writable;
};

/// Waits for many sockets at once. Threads: one, but for wake_up().
class Poller {
 public:
  /// @throws external error kNoDescriptors
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// Watches a socket until it is closed. Reading is always of interest.
  void add(const TcpSocket& socket, uint64_t tag, bool writing);
  void set_writing(const TcpSocket& socket, uint64_t tag, bool writing);
  /// Puts what has happened into `events`; waits for it up to `timeout_ms` (< 0: without limit), or until wake_up().
  /// @return whether wake_up() was called
  bool wait(int timeout_ms, std::vector<PollEvent>& events);
  /// Ends the wait of another thread, or the next one. Any thread.
  void wake_up();

 private:
  int epoll_;
  int wake_up_;
};

}  // namespace yeoul
