#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "yeoul/common/clock.h"
#include "yeoul/kafka/native/broker_link.h"
#include "yeoul/kafka/native/cluster_view.h"

namespace yeoul {

/// A client's connections to brokers, whatever moves their bytes: sockets, or a simulation. Threads: one, but for
/// wake_up().
class Links {
 public:
  virtual ~Links() = default;

  /// The link to a broker, made at the first call. If the broker has moved, the link goes to its new address.
  virtual BrokerLink& link(int32_t broker, const BrokerAddress& address) = 0;
  /// Connects the link at the next turn, unless it is connected or must still wait.
  virtual void want(int32_t broker) = 0;
  virtual const std::map<int32_t, BrokerLink*>& links() const = 0;

  /// Writes what the links have to say.
  virtual void flush() = 0;
  /// One turn: connects, waits up to `deadline_ns` for something to happen, reads and writes. A turn that completed an
  /// answer ends at once.
  /// @return whether wake_up() ended it
  virtual bool turn(int64_t deadline_ns) = 0;
  /// Ends the wait of turn(). Any thread.
  virtual void wake_up() = 0;
  /// Users of the links call it after a turn: waiting for such a broker would be in vain.
  /// @throws external error 4013 naming a broker that has refused TLS or the login, and why; 4014 where no bootstrap
  /// server has a name that the resolver knows, and none ever had
  virtual void throw_if_refused() const = 0;
};

/// Makes the links of one client.
using LinksFactory =
    std::function<std::unique_ptr<Links>(Clock& clock, const LinkSettings& settings, BufferPool& pool)>;

}  // namespace yeoul
