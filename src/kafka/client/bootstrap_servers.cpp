#include "yeoul/kafka/client/bootstrap_servers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "yeoul/common/ascii.h"
#include "yeoul/common/error.h"

namespace yeoul {
namespace {

bool is_host(std::string_view host, bool in_brackets) {
  const auto fits = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_' || c == '%' ||
           (c == ':' && in_brackets);
  };
  return !host.empty() && std::all_of(host.begin(), host.end(), fits);
}

/// A listener's name, as in SSL://host:9093, says nothing here, as in Java: 'security.protocol' does.
std::string_view without_listener(std::string_view entry) {
  const size_t end = entry.find("://");
  if (end == std::string_view::npos || !is_host(entry.substr(0, end), false)) return entry;
  return entry.substr(end + 3);
}

/// What is wrong with an entry; empty: nothing. `out` gets the entry as the client takes it.
std::string entry_fault(std::string_view entry, std::string& out) {
  const size_t colon = entry.rfind(':');
  if (colon == std::string_view::npos) return "the port is missing";
  std::string_view host = entry.substr(0, colon);
  const std::string_view port = entry.substr(colon + 1);
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  const bool several_colons = host.find(':') != host.rfind(':');
  if (!is_host(host, brackets || several_colons)) {
    return host.empty() ? "the host is missing" : "'" + std::string(host) + "' is no host name";
  }
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() || number < 1 || number > 65'535) {
    return "'" + std::string(port) + "' is no port (1 to 65535)";
  }
  const bool ipv6 = host.find(':') != std::string_view::npos;
  out = (ipv6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" + std::to_string(number);
  return "";
}

}  // namespace

std::string checked_bootstrap_servers(std::string_view what, std::string_view list) {
  std::string servers;
  for (std::string_view rest = list; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view entry = trimmed(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (entry.empty()) continue;
    std::string one;
    if (const std::string fault = entry_fault(without_listener(entry), one); !fault.empty()) {
      throw user_error(2010, "{} = '{}': entry '{}' is not of the form 'host:port': {}{}", what, list, entry, fault,
                       entry.find(';') == std::string_view::npos ? "" : "; brokers are separated by ','");
    }
    servers += (servers.empty() ? "" : ",") + one;
  }
  if (servers.empty()) throw user_error(2014, "{} = '{}' names no broker; give 'host:port,…'", what, list);
  return servers;
}

}  // namespace yeoul
