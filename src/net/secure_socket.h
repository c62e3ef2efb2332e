#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "yeoul/net/tcp_socket.h"
#include "yeoul/net/tls_session.h"

namespace yeoul {

/// A TCP connection with TLS in between where that is asked for; never blocks. Threads: one at a time.
class SecureSocket {
 public:
  SecureSocket() = default;
  /// @param tls  null: plain bytes
  SecureSocket(TcpSocket socket, std::unique_ptr<TlsSession> tls) : socket_(std::move(socket)), tls_(std::move(tls)) {}

  const TcpSocket& socket() const { return socket_; }
  bool is_open() const { return socket_.is_open(); }
  /// Once TCP is connected: kDone when bytes can go both ways, kWouldBlock until the handshake is through.
  IoResult establish();
  IoResult read(char* to, size_t size);
  /// Takes bytes, in pieces, as long as not too much waits for the network. has_output() says whether flush() is to be
  /// called when the socket can be written to.
  IoResult write(std::span<const std::string_view> pieces);
  IoResult flush();
  bool has_output() const { return tls_ != nullptr && !tls_->output().empty(); }
  /// Whether read() may have bytes that have come already: the socket does not count as readable for them.
  bool has_input() const { return tls_ != nullptr && tls_->has_input(); }
  /// As TcpSocket's, of plain bytes; no more than is sure to come encrypted is waited for.
  void set_low_water(size_t bytes);
  void close();

 private:
  /// kDone: something came, or the end.
  IoResult fill();

  TcpSocket socket_;
  std::unique_ptr<TlsSession> tls_;
  std::string record_;  ///< pieces that are encrypted together
};

}  // namespace yeoul
