#include "yeoul/kafka/native/link_loop.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <utility>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

constexpr int32_t kBroker = 1;
constexpr int64_t kPatienceNs = 30'000 * kNanosPerMs;

/// A port of 127.0.0.1 that is this test's, and refuses connections unless it is listened on.
class Port {
 public:
  Port() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_.descriptor(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(socket_.descriptor(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    number_ = ntohs(address.sin_port);
  }
  void listen() { EXPECT_EQ(::listen(socket_.descriptor(), 1), 0); }
  SocketAddress address() const { return resolve_host("127.0.0.1", number_, false).addresses.at(0); }

 private:
  TcpSocket socket_;
  uint16_t number_ = 0;
};

/// A link to `kafka.test`, which has the addresses of the given ports.
class LinkLoopTest : public testing::Test {
 protected:
  static LinkSettings settings() {
    LinkSettings settings;
    settings.backoff_ns = settings.backoff_max_ns = kNanosPerMs;
    return settings;
  }

  ResolvedHost resolve(const std::string& host) {
    EXPECT_EQ(host, "kafka.test");
    ++num_lookups_;
    ResolvedHost found;
    if (fails_) return {.failure = "it is not found", .cause = cause_};
    for (const Port& port : ports_) found.addresses.push_back(port.address());
    return found;
  }

  /// Turns the loop until `done`; a link that is lost is to be connected again.
  template <class Done>
  void turn_until(const Done& done) {
    const int64_t deadline_ns = system_clock().steady_ns() + kPatienceNs;
    BrokerLink& link = loop_.link(kBroker, {"kafka.test", 9092});
    while (!done(link)) {
      ASSERT_LT(system_clock().steady_ns(), deadline_ns) << link.last_failure();
      if (link.state() == BrokerLink::State::kWaiting) loop_.want(kBroker);
      loop_.turn(deadline_ns);
    }
  }

  std::array<Port, 3> ports_;
  std::atomic<int> num_lookups_ = 0;
  std::atomic<bool> fails_ = false;  ///< the resolver
  std::atomic<ResolvedHost::Cause> cause_ = ResolvedHost::Cause::kPassing;
  BufferPool pool_{1 << 20};
  LinkLoop loop_{system_clock(), settings(), pool_,
                 [this](const std::string& host, uint16_t, bool) { return resolve(host); }};
};

TEST_F(LinkLoopTest, AHostsAddressesAreTriedOneAfterTheOther) {
  ports_[2].listen();
  turn_until([](const BrokerLink& link) { return link.state() == BrokerLink::State::kNegotiating; });
  EXPECT_EQ(num_lookups_, 1);
}

TEST_F(LinkLoopTest, AnAddressOfIpVersion6HasBracketsInMessages) {
  EXPECT_EQ(loop_.link(-1, {"::1", 9092}).name(), "bootstrap server [::1]:9092");
  EXPECT_EQ(loop_.link(kBroker, {"kafka.test", 9092}).name(), "broker 1 (kafka.test:9092)");
}

TEST_F(LinkLoopTest, WhenNoAddressIsLeftTheHostIsLookedUpAgain) {
  turn_until([&](const BrokerLink&) { return num_lookups_ == 2; });
  ports_[1].listen();
  turn_until([](const BrokerLink& link) { return link.state() == BrokerLink::State::kNegotiating; });
  EXPECT_LE(num_lookups_, 3);
}

TEST_F(LinkLoopTest, OnlyAHostThatWasNeverFoundIsNotWaitedFor) {
  const auto code = [&] {
    try {
      loop_.throw_if_refused();
    } catch (const Error& error) {
      EXPECT_EQ(error.message(), "no host of 'bootstrap.servers' can be found: it is not found");
      return error.code();
    }
    return 0;
  };
  fails_ = true;
  turn_until([&](const BrokerLink&) { return num_lookups_ >= 3; });
  EXPECT_EQ(code(), 0) << "the resolver may be back soon";
  cause_ = ResolvedHost::Cause::kUnknownHost;
  turn_until([&](const BrokerLink&) { return code() == 4014; });
  fails_ = false;
  turn_until(
      [](const BrokerLink& link) { return link.last_failure().find("Connection refused") != std::string::npos; });
  fails_ = true;
  turn_until([](const BrokerLink& link) { return link.last_failure().find("it is not found") != std::string::npos; });
  EXPECT_EQ(code(), 0) << "it was found once";
}

}  // namespace
}  // namespace yeoul
