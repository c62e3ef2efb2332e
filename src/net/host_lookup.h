#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "yeoul/net/tcp_socket.h"

namespace yeoul {

/// What a host name stands for.
struct ResolvedHost {
  std::vector<SocketAddress> addresses;  ///< in the order the system prefers
  std::vector<std::string> names;        ///< the canonical name of each address, where asked for
  std::string failure;                   ///< not empty: the resolver's reason
  enum class Cause : uint8_t {
    kPassing,                 ///< the resolver was not answered, or the like: asking again may help
    kUnknownHost,             ///< it was, and knows no address
    kNoDescriptors,           ///< it could not ask: the process has no descriptors left
  } cause = Cause::kPassing;  ///< of the failure
};

/// Finds what a host name stands for, and takes its time. Threads: any.
using HostResolver = std::function<ResolvedHost(const std::string& host, uint16_t port, bool with_names)>;
/// Asks the system's resolver.
ResolvedHost resolve_host(const std::string& host, uint16_t port, bool with_names);

/// A question to a resolver, asked on a thread of its own, since it may take its time. Nothing can stop a
/// resolver: a thread that is still at it when the object goes is let go, and its answer thrown away, so that giving up
/// costs no time. Threads: one at a time.
class HostLookup {
 public:
  /// @param with_names  whether the addresses are looked up backwards, too
  /// @param done        called when there is an answer, on the other thread or within the constructor; never after the
  ///                    destructor
  /// @param resolver    asked for what is no number
  HostLookup(const std::string& host, uint16_t port, bool with_names, std::function<void()> done,
             HostResolver resolver = resolve_host);
  ~HostLookup();

  /// The answer, once; nothing while it has not come.
  std::optional<ResolvedHost> take();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  std::jthread thread_;
};

}  // namespace yeoul
