#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/native/links.h"
#include "yeoul/testing/fake_clock.h"
#include "yeoul/testing/kafka/model_cluster.h"
#include "yeoul/testing/seeded_random.h"

namespace yeoul {

/// What the network does to connections, how often in a thousand times.
struct NetworkMoods {
  int64_t cut_request = 0;  ///< the connection is lost with a request that the broker never sees
  int64_t cut_answer = 0;   ///< the same with an answer: the broker has done it
  int64_t half_answer = 0;  ///< the same in the middle of an answer
  int64_t damaged = 0;      ///< an answer comes in a way that the client must notice; the connection stays
  int64_t refused = 0;      ///< connecting fails
  int64_t slow = 0;         ///< bytes take up to slow_ms_max
  int64_t slow_ms_max = 400;
  int64_t late = 500;       ///< what was sent over a connection that is given up arrives all the same
  int64_t idle_ms_max = 0;  ///< brokers close what nobody has used for so long; 0: they do not
};

/// Planted faults of the client, by what is done to its links: as if its code had done so.
struct ClientSabotage {
  bool takes_any_answer = false;  ///< goes on with a connection that answers something else
  bool waits_for_ever = false;    ///< never gives an answer up
  bool ignores_quotas = false;    ///< sends on when a broker has said that it takes nothing for a while
};

/// Connections between clients and the model's nodes in simulated time: bytes arrive late, in pieces, or never. What
/// happens is decided by the seed alone. Threads: one.
class SimulatedNetwork {
 public:
  SimulatedNetwork(FakeClock& clock, SeededRandom& random, ModelCluster& cluster, ClientSabotage sabotage)
      : clock_(clock), random_(random), cluster_(cluster), sabotage_(sabotage) {}
  SimulatedNetwork(const SimulatedNetwork&) = delete;
  SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;

  NetworkMoods moods;

  /// How a client reaches the cluster; must not outlive the network.
  LinksFactory links();
  /// Has something happen at a time.
  void at(int64_t ms, std::function<void()> event);
  /// Moves time to the next event, `ms_max` at most, and has all that is due happen.
  void step(int64_t ms_max);
  /// A node does nothing until then: what it is sent, and what it sends, waits.
  void freeze(int32_t node, int64_t until_ms) { frozen_until_ms_[node] = until_ms; }
  /// All connections of a node are lost.
  void cut(int32_t node);
  /// A node is gone. Silently: its connections stay, and nothing comes or goes over them any more, not even when it is
  /// back, which knows nothing of them and resets them when it gets to hear from them.
  void die(int32_t node, bool silently);
  int64_t num_events() const { return num_events_; }
  int64_t num_damaged() const { return num_damaged_; }
  int64_t num_throttled() const { return num_throttled_; }
  /// What a client has done that it must not; empty: nothing so far.
  const std::string& finding() const { return finding_; }

 private:
  class ClientLinks;
  struct Connection;
  using ConnectionRef = std::shared_ptr<Connection>;
  struct Event {
    int64_t at_ms;
    uint64_t number;
    std::function<void()> run;
    bool operator<(const Event& other) const {
      return at_ms != other.at_ms ? at_ms > other.at_ms : number > other.number;
    }
  };

  int64_t arrival_ms(const Connection& connection);
  void to_broker(const ConnectionRef& connection, std::string bytes);
  void serve(const ConnectionRef& connection);
  void serve_frame(const ConnectionRef& connection, const std::string& frame, bool final);
  void answer(const ConnectionRef& connection, std::string frame, int64_t throttle_ms);
  void damaged_answer(const ConnectionRef& connection, std::string frame);
  struct Delivery {
    std::string bytes;
    bool then_cut = false;
    int64_t throttle_ms = 0;  ///< as the bytes say
  };
  void to_client(const ConnectionRef& connection, Delivery delivery);
  void close_if_idle(const ConnectionRef& connection);
  void check_quiet(const ConnectionRef& connection);
  static void expect(BrokerLink& link, std::string_view frame);
  std::vector<ConnectionRef> connections_of(int32_t node);
  void lose(const ConnectionRef& connection, const std::string& reason);

  FakeClock& clock_;
  SeededRandom& random_;
  ModelCluster& cluster_;
  ClientSabotage sabotage_;
  std::priority_queue<Event> events_;
  uint64_t next_number_ = 0;
  int64_t num_events_ = 0;
  int64_t num_damaged_ = 0;
  int64_t num_throttled_ = 0;
  std::string finding_;
  std::map<int32_t, int64_t> frozen_until_ms_;
  std::set<int32_t> silent_;  ///< those that died so last
  std::vector<std::weak_ptr<Connection>> connections_;
};

}  // namespace yeoul
