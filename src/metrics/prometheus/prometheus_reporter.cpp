#include "yeoul/metrics/prometheus/prometheus_reporter.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <utility>

#include "yeoul/common/clock.h"
#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/common/system_error.h"
#include "yeoul/common/threads.h"
#include "yeoul/metrics/prometheus/prometheus_text.h"

namespace yeoul {
namespace {

constexpr size_t kRequestBytesMax = 16 << 10;
/// How long one request may take: a client that stalls holds up the next one.
constexpr int64_t kRequestMs = 2'000;
/// Where no descriptors are left, requests are looked at this often.
constexpr int kShortageMs = 1'000;

int parse_port(std::string_view text, const std::string& all) {
  int port = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535) {
    throw user_error(2016, "metrics port '{}': neither a port (0 to 65535) nor a range as 9250-9260", all);
  }
  return port;
}

std::pair<int, int> parse_ports(const std::string& ports) {
  const size_t dash = ports.find('-');
  const int first = parse_port(std::string_view(ports).substr(0, dash), ports);
  const int last = dash == std::string::npos ? first : parse_port(std::string_view(ports).substr(dash + 1), ports);
  if (last < first) throw user_error(2016, "metrics port '{}': the range ends before it begins", ports);
  return {first, last};
}

/// The listening socket, or -1 with errno.
int listen_on(int port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  const int on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(listener, 16) == 0) {
    return listener;
  }
  const int error = errno;
  ::close(listener);
  errno = error;
  return -1;
}

int port_of(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

/// Waits for the socket until `until_ns`. False: it is not ready then.
bool wait_for(int socket, short events, int64_t until_ns) {
  const int64_t left_ms = (until_ns - system_clock().steady_ns()) / 1'000'000;
  pollfd waited{socket, events, 0};
  return left_ms > 0 && ::poll(&waited, 1, static_cast<int>(left_ms)) == 1;
}

/// The head of a request; empty when none came in time.
std::string read_request(int connection, int64_t until_ns) {
  std::string request;
  char buffer[4096];
  while (request.size() < kRequestBytesMax && wait_for(connection, POLLIN, until_ns)) {
    const ssize_t count = ::recv(connection, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count <= 0) break;
    request.append(buffer, static_cast<size_t>(count));
    if (request.find("\r\n\r\n") != std::string::npos) return request;
  }
  return {};
}

void write_all(int connection, std::string_view text, int64_t until_ns) {
  while (!text.empty() && wait_for(connection, POLLOUT, until_ns)) {
    const ssize_t count = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) return;
    text.remove_prefix(static_cast<size_t>(count));
  }
}

std::string response(std::string_view status, std::string_view body, bool with_body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      status, body.size(), with_body ? body : "");
}

}  // namespace

PrometheusReporter::PrometheusReporter(const Options& options, std::function<MetricReport()> report)
    : filter_label_values_(options.filter_label_values), report_(std::move(report)) {
  const auto [first, last] = parse_ports(options.ports);
  for (int port = first; port <= last && listener_ < 0; ++port) listener_ = listen_on(port);
  if (listener_ < 0) {
    throw user_error(2016, "metrics port {} on 127.0.0.1: {}; give another one, or a range as 9250-9260", options.ports,
                     system_error_text(errno));
  }
  port_ = port_of(listener_);
  wake_ = ::eventfd(0, EFD_CLOEXEC);
  if (wake_ < 0) {
    const int number = errno;
    ::close(listener_);
    throw external_error(kNoDescriptors, "metrics port {}: {}", options.ports, system_error_text(number));
  }
  thread_ = start_thread("metrics", [this](std::stop_token stop) { serve(stop); });
}

PrometheusReporter::~PrometheusReporter() {
  thread_.request_stop();
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
  thread_.join();
  ::close(listener_);
  ::close(wake_);
}

void PrometheusReporter::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd waited[2] = {{listener_, POLLIN, 0}, {wake_, POLLIN, 0}};
    if (::poll(waited, 2, -1) <= 0 || (waited[0].revents & POLLIN) == 0) continue;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) {
      refuse(errno);
      continue;
    }
    answer(connection);
    ::close(connection);
  }
}

/// Who asks waits in the listener's queue, which would be looked at again at once.
void PrometheusReporter::refuse(int number) {
  if (!is_descriptor_shortage(number)) return;
  if (!std::exchange(told_of_shortage_, true)) {
    log(LogLevel::kWarn, "metrics", "nobody can ask for metrics: {}", system_error_text(number));
  }
  pollfd waited{wake_, POLLIN, 0};
  ::poll(&waited, 1, kShortageMs);
}

void PrometheusReporter::answer(int connection) const {
  const int64_t until_ns = system_clock().steady_ns() + kRequestMs * 1'000'000;
  const std::string request = read_request(connection, until_ns);
  const std::string line = request.substr(0, request.find("\r\n"));
  const std::string method = line.substr(0, line.find(' '));
  const size_t target_at = std::min(line.size(), method.size() + 1);
  const std::string target = line.substr(target_at, line.find_first_of(" ?", target_at) - target_at);
  if (request.empty()) {
    write_all(connection, response("400 Bad Request", "no HTTP request\n", true), until_ns);
  } else if (method != "GET" && method != "HEAD") {
    write_all(connection, response("405 Method Not Allowed", "only GET\n", true), until_ns);
  } else if (target != "/" && target != "/metrics") {
    write_all(connection, response("404 Not Found", "the metrics are at /metrics\n", method == "GET"), until_ns);
  } else {
    const std::string text = prometheus_text(report_(), filter_label_values_) + process_metrics_text();
    write_all(connection, response("200 OK", text, method == "GET"), until_ns);
  }
}

}  // namespace yeoul
