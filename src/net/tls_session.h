#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "yeoul/net/tcp_socket.h"
#include "yeoul/net/tls_context.h"

namespace yeoul {

/// One TLS connection as a client, as a filter without I/O: encrypted bytes of the network on one side, plain bytes on
/// the other. Threads: one at a time.
class TlsSession {
 public:
  /// @param host  what the certificate must be for, and what the server is told (SNI)
  TlsSession(std::shared_ptr<const TlsContext> context, const std::string& host);
  ~TlsSession();

  /// Where to put what came from the network; received() says how much it was, ended() that no more will come.
  /// Empty while what is there has not been read.
  std::span<char> input();
  void received(size_t bytes);
  void ended();
  /// Whether encrypted bytes are there that read() has not looked at.
  bool has_input() const;
  /// What to put on the network; sent() says how much of it was.
  std::string_view output() const;
  void sent(size_t bytes);

  /// Goes on with the handshake. kDone: plain bytes can go both ways; kWouldBlock: the network has to bring or take
  /// more; kFailed with the reason. `refused` then says whether to try again is of no use.
  IoResult handshake();
  IoResult read(char* to, size_t size);
  IoResult write(std::string_view bytes);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace yeoul
