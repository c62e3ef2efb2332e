#include "yeoul/net/tcp_socket.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "yeoul/common/error.h"
#include "yeoul/common/system_error.h"
#include "yeoul/common/threads.h"
#include "yeoul/net/host_lookup.h"
#include "yeoul/net/poller.h"

namespace yeoul {
namespace {

constexpr uint64_t kTag = 7;
constexpr int kPatienceMs = 10'000;

SocketAddress loopback(uint16_t port) {
  WakeUp answered;
  HostLookup lookup("127.0.0.1", port, false, [&] { answered.raise(); });
  std::stop_source never;
  answered.wait(never.get_token(), kPatienceMs);
  return lookup.take().value().addresses.front();
}

/// A listening socket on a free port of 127.0.0.1.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_.descriptor(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_.descriptor(), 1), 0);
    EXPECT_EQ(::getsockname(socket_.descriptor(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  uint16_t port() const { return port_; }
  TcpSocket accept() { return TcpSocket(::accept(socket_.descriptor(), nullptr, nullptr)); }
  void close() { socket_.close(); }

 private:
  TcpSocket socket_;
  uint16_t port_ = 0;
};

TEST(TcpSocketTest, BuffersHaveTheSizesAskedFor) {
  Listener listener;
  const TcpSocket client =
      TcpSocket::connect(loopback(listener.port()), {.receive_bytes = 30'000, .send_bytes = 40'000});
  const auto size_of = [&](int option) {
    int bytes = 0;
    socklen_t size = sizeof bytes;
    EXPECT_EQ(::getsockopt(client.descriptor(), SOL_SOCKET, option, &bytes, &size), 0);
    return bytes;
  };
  // Linux doubles them for its own use.
  EXPECT_EQ(size_of(SO_RCVBUF), 60'000);
  EXPECT_EQ(size_of(SO_SNDBUF), 80'000);
}

TEST(TcpSocketTest, ConnectsReadsWritesAndSeesTheEnd) {
  Listener listener;
  Poller poller;
  TcpSocket client = TcpSocket::connect(loopback(listener.port()));
  poller.add(client, kTag, true);
  TcpSocket server = listener.accept();
  std::vector<PollEvent> events;
  poller.wait(kPatienceMs, events);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].writable);
  EXPECT_EQ(client.connect_failure(), "");
  poller.set_writing(client, kTag, false);
  char byte = 0;
  EXPECT_EQ(client.read(&byte, 1).status, IoResult::Status::kWouldBlock);
  poller.wait(0, events);
  EXPECT_TRUE(events.empty());
  EXPECT_EQ(server.write("x").bytes, 1u);
  poller.wait(kPatienceMs, events);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].tag, kTag);
  EXPECT_TRUE(events[0].readable);
  EXPECT_EQ(client.read(&byte, 1).bytes, 1u);
  EXPECT_EQ(byte, 'x');
  server.close();
  poller.wait(kPatienceMs, events);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(client.read(&byte, 1).status, IoResult::Status::kClosed);
}

TEST(TcpSocketTest, LowWaterHoldsEventsBack) {
  Listener listener;
  Poller poller;
  TcpSocket client = TcpSocket::connect(loopback(listener.port()));
  TcpSocket server = listener.accept();
  poller.add(client, kTag, false);
  client.set_low_water(3);
  std::vector<PollEvent> events;
  server.write("ab");
  poller.wait(0, events);
  EXPECT_TRUE(events.empty());
  server.write("c");
  poller.wait(kPatienceMs, events);
  EXPECT_EQ(events.size(), 1u);
  char bytes[4];
  EXPECT_EQ(client.read(bytes, sizeof bytes).bytes, 3u);
  server.write("d");
  server.close();
  poller.wait(kPatienceMs, events);
  EXPECT_EQ(events.size(), 1u);
}

TEST(TcpSocketTest, SaysWhyItCannotConnect) {
  Listener listener;
  const SocketAddress address = loopback(listener.port());
  EXPECT_EQ(address.text(), "127.0.0.1:" + std::to_string(listener.port()));
  listener.close();
  Poller poller;
  TcpSocket client = TcpSocket::connect(address);
  poller.add(client, kTag, true);
  std::vector<PollEvent> events;
  poller.wait(kPatienceMs, events);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(client.connect_failure(), "Connection refused");
}

TEST(TcpSocketTest, AResetIsAnEndToo) {
  Listener listener;
  Poller poller;
  TcpSocket client = TcpSocket::connect(loopback(listener.port()));
  poller.add(client, kTag, false);
  TcpSocket server = listener.accept();
  const linger reset{1, 0};
  ASSERT_EQ(::setsockopt(server.descriptor(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset), 0);
  server.close();
  std::vector<PollEvent> events;
  poller.wait(kPatienceMs, events);
  char byte = 0;
  EXPECT_EQ(client.read(&byte, 1).status, IoResult::Status::kClosed);
}

/// What a call throws while the process is given no descriptor.
template <class Call>
std::string without_descriptors(const Call& call) {
  rlimit limit{};
  EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{0, limit.rlim_max};
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string message;
  try {
    call();
  } catch (const Error& error) {
    message = error.message();
    EXPECT_EQ(error.code(), kNoDescriptors) << message;
  }
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  return message;
}

TEST(DescriptorsTest, ThatAreUsedUpAreTheReason) {
  constexpr std::string_view kReason = "Too many open files: this process may have 0; raise its limit ('ulimit -n')";
  const SocketAddress address = loopback(1);
  EXPECT_EQ(without_descriptors([&] { TcpSocket::connect(address); }),
            fmt::format("no socket for 127.0.0.1:1: {}", kReason));
  EXPECT_EQ(without_descriptors([&] { Poller poller; }), fmt::format("nothing to wait for sockets with: {}", kReason));
  ResolvedHost found;
  without_descriptors([&] {
    WakeUp answered;
    HostLookup lookup("no-such-host.example", 1, false, [&] { answered.raise(); });
    std::stop_source never;
    answered.wait(never.get_token(), kPatienceMs);
    found = lookup.take().value();
  });
  EXPECT_EQ(found.cause, ResolvedHost::Cause::kNoDescriptors);
  EXPECT_EQ(found.failure, fmt::format("host 'no-such-host.example' has no address: {}", kReason));
}

TEST(PollerTest, IsWokenFromAnotherThread) {
  Poller poller;
  std::vector<PollEvent> events;
  poller.wake_up();
  EXPECT_TRUE(poller.wait(kPatienceMs, events));
  const std::jthread waker = start_thread("waker", [&](std::stop_token) { poller.wake_up(); });
  EXPECT_TRUE(poller.wait(-1, events));
  EXPECT_TRUE(events.empty());
}

}  // namespace
}  // namespace yeoul
