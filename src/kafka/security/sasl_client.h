#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace yeoul {

/// Something that blocks, to be run on a thread that may wait; it ends early when stopped.
using BlockingWork = std::function<void(std::stop_token)>;

/// What a login does next: exactly one of these.
struct SaslStep {
  std::string bytes;     ///< not empty: goes to the broker
  bool done = false;     ///< the exchange has ended well
  BlockingWork work;     ///< has to be run first; then step() again with the same challenge
  std::string failure;   ///< not empty: the login cannot go on
  bool refused = false;  ///< of a failure: trying again is of no use
};

/// One login to one broker as a state machine without I/O. Threads: one at a time; work keeps alive what it needs.
class SaslClient {
 public:
  virtual ~SaslClient() = default;
  /// @param challenge  what the broker sent; empty at first
  virtual SaslStep step(std::string_view challenge) = 0;
};

/// A way to log in, with what it takes. Thread-safe.
class SaslMechanism {
 public:
  virtual ~SaslMechanism() = default;
  /// The registered name: "SCRAM-SHA-256".
  virtual std::string_view name() const = 0;
  /// @param host  the broker's, as it was connected to
  virtual std::unique_ptr<SaslClient> start(const std::string& host) const = 0;
};

}  // namespace yeoul
