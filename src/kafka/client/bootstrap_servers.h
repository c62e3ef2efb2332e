#pragma once

#include <string>
#include <string_view>

namespace yeoul {

/// A list of brokers as Java's clients take it, "host:port,…" (IPv6 addresses with or without []), checked: each entry
/// without blanks and scheme, IPv6 in [].
/// @param what  the list's name in messages, e.g. "table 't': option 'properties.bootstrap.servers'"
/// @throws user error 2010 naming the first entry that is none, 2013 for one with another scheme than PLAINTEXT
std::string checked_bootstrap_servers(std::string_view what, std::string_view list);

}  // namespace yeoul
