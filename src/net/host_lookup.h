#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/net/tcp_socket.h"

namespace yeoul {

/// What a host name stands for.
struct ResolvedHost {
  std::vector<SocketAddress> addresses;  ///< in the order the system prefers
  std::vector<std::string> names;        ///< the canonical name of each address, where asked for
  std::string failure;                   ///< not empty: the resolver's reason
};

/// A question to the system's resolver that nobody waits for: it runs on a thread of the C library's. An answer that
/// comes after the object is gone is thrown away, so that giving up costs no time. Threads: one at a time.
class HostLookup {
 public:
  /// @param with_names  whether the addresses are looked up backwards, too
  /// @param done        called on a thread of the C library's when there is an answer; never after the destructor
  HostLookup(const std::string& host, uint16_t port, bool with_names, std::function<void()> done);
  ~HostLookup();

  /// The answer, once; nothing while it has not come.
  std::optional<ResolvedHost> take();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace yeoul
