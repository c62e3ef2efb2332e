#include "yeoul/net/host_lookup.h"

#include <netdb.h>
#include <sys/socket.h>

#include <csignal>
#include <mutex>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/net/address_info.h"

namespace yeoul {
namespace {

std::string canonical_name(const addrinfo& info) {
  char host[NI_MAXHOST];
  return getnameinfo(info.ai_addr, info.ai_addrlen, host, sizeof host, nullptr, 0, 0) == 0 ? host : "";
}

}  // namespace

struct HostLookup::Shared {
  std::mutex mutex;
  std::function<void()> done;  // guarded by mutex, null when nobody waits any more
  std::optional<ResolvedHost> answer;
  std::string host;
  std::string port;
  bool with_names = false;
  addrinfo hints{};
  gaicb request{};
  std::shared_ptr<Shared> self;  ///< while the C library works on it

  static void finished(sigval value) {
    auto* raw = static_cast<Shared*>(value.sival_ptr);
    const std::shared_ptr<Shared> shared = std::move(raw->self);
    ResolvedHost answer = shared->read_answer();
    const std::lock_guard lock(shared->mutex);
    shared->answer = std::move(answer);
    if (shared->done) shared->done();
  }

  ResolvedHost read_answer() {
    ResolvedHost out;
    const int result = gai_error(&request);
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(request.ar_result, freeaddrinfo);
    if (result != 0) {
      out.failure = fmt::format("host '{}' has no address: {}", host, gai_strerror(result));
      return out;
    }
    for (const addrinfo* info = owner.get(); info != nullptr; info = info->ai_next) {
      out.addresses.push_back(socket_address(*info));
      if (with_names) out.names.push_back(canonical_name(*info));
    }
    return out;
  }
};

HostLookup::HostLookup(const std::string& host, uint16_t port, bool with_names, std::function<void()> done)
    : shared_(std::make_shared<Shared>()) {
  shared_->done = std::move(done);
  shared_->host = host;
  shared_->port = std::to_string(port);
  shared_->with_names = with_names;
  shared_->hints.ai_socktype = SOCK_STREAM;
  shared_->hints.ai_flags = AI_ADDRCONFIG;
  shared_->request.ar_name = shared_->host.c_str();
  shared_->request.ar_service = shared_->port.c_str();
  shared_->request.ar_request = &shared_->hints;
  shared_->self = shared_;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_value.sival_ptr = shared_.get();
  event.sigev_notify_function = &Shared::finished;
  gaicb* requests[] = {&shared_->request};
  const int result = getaddrinfo_a(GAI_NOWAIT, requests, 1, &event);
  if (result == 0) return;
  shared_->self.reset();
  shared_->answer.emplace().failure = fmt::format("host '{}' has no address: {}", host, gai_strerror(result));
  if (shared_->done) shared_->done();
}

HostLookup::~HostLookup() {
  const std::lock_guard lock(shared_->mutex);
  shared_->done = nullptr;
}

std::optional<ResolvedHost> HostLookup::take() {
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->answer, std::nullopt);
}

}  // namespace yeoul
