#include "yeoul/net/tcp_socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/common/system_error.h"
#include "yeoul/net/address_info.h"

namespace yeoul {
namespace {

std::string address_text(const addrinfo& info) {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (getnameinfo(info.ai_addr, info.ai_addrlen, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "unknown address";
  }
  return info.ai_family == AF_INET6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

IoResult failed(int number) {
  if (number == EAGAIN || number == EWOULDBLOCK || number == EINTR) return {IoResult::Status::kWouldBlock};
  return {IoResult::Status::kFailed, 0, system_error_text(number)};
}

}  // namespace

SocketAddress socket_address(const addrinfo& info) {
  return {address_text(info), std::string(reinterpret_cast<const char*>(info.ai_addr), info.ai_addrlen)};
}

TcpSocket::TcpSocket(TcpSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), low_water_(other.low_water_) {}

TcpSocket& TcpSocket::operator=(TcpSocket&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
    low_water_ = other.low_water_;
  }
  return *this;
}

TcpSocket TcpSocket::connect(const SocketAddress& address, const SocketBuffers& buffers) {
  sockaddr_storage native{};
  std::memcpy(&native, address.native().data(), address.native().size());
  TcpSocket opened(::socket(native.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!opened.is_open()) {
    const int number = errno;
    throw external_error(is_descriptor_shortage(number) ? kNoDescriptors : 4500, "no socket for {}: {}", address.text(),
                         system_error_text(number));
  }
  const int on = 1;
  setsockopt(opened.descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(opened.descriptor_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  const auto set_buffer = [&](int option, int bytes) {
    if (bytes > 0) setsockopt(opened.descriptor_, SOL_SOCKET, option, &bytes, sizeof bytes);
  };
  // Before connecting, since the two sides agree then on how large the window may become.
  set_buffer(SO_RCVBUF, buffers.receive_bytes);
  set_buffer(SO_SNDBUF, buffers.send_bytes);
  const auto size = static_cast<socklen_t>(address.native().size());
  if (::connect(opened.descriptor_, reinterpret_cast<const sockaddr*>(&native), size) != 0 && errno != EINPROGRESS) {
    throw external_error(4500, "cannot connect to {}: {}", address.text(), system_error_text(errno));
  }
  return opened;
}

std::string TcpSocket::connect_failure() const {
  int number = 0;
  socklen_t size = sizeof number;
  if (getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &number, &size) != 0) number = errno;
  return number == 0 ? "" : system_error_text(number);
}

IoResult TcpSocket::read(char* to, size_t size) {
  const ssize_t count = ::recv(descriptor_, to, size, 0);
  // Who hangs up on bytes that were not read yet, as brokers do on what they do not understand, resets the connection.
  if (count < 0 && errno == ECONNRESET) return {IoResult::Status::kClosed};
  if (count < 0) return failed(errno);
  if (count == 0 && size > 0) return {IoResult::Status::kClosed};
  return {IoResult::Status::kDone, static_cast<size_t>(count)};
}

IoResult TcpSocket::write(std::span<const std::string_view> pieces) {
  iovec vectors[kPiecesAtOnce];
  const size_t count = std::min(pieces.size(), kPiecesAtOnce);
  for (size_t i = 0; i < count; ++i) vectors[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
  msghdr message{};
  message.msg_iov = vectors;
  message.msg_iovlen = count;
  const ssize_t size = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL);
  if (size < 0) return failed(errno);
  return {IoResult::Status::kDone, static_cast<size_t>(size)};
}

void TcpSocket::set_low_water(size_t bytes) {
  if (bytes == low_water_) return;
  const int value = static_cast<int>(bytes);
  if (setsockopt(descriptor_, SOL_SOCKET, SO_RCVLOWAT, &value, sizeof value) == 0) low_water_ = bytes;
}

void TcpSocket::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace yeoul
