#pragma once

#include <netdb.h>

#include "yeoul/net/tcp_socket.h"

namespace yeoul {

/// An answer of the system's resolver as ours. For the .cpp files of this module only.
SocketAddress socket_address(const addrinfo& info);

}  // namespace yeoul
