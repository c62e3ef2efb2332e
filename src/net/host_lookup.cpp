#include "yeoul/net/host_lookup.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/common/system_error.h"
#include "yeoul/common/threads.h"
#include "yeoul/net/address_info.h"

namespace yeoul {
namespace {

std::string canonical_name(const addrinfo& info) {
  char host[NI_MAXHOST];
  return getnameinfo(info.ai_addr, info.ai_addrlen, host, sizeof host, nullptr, 0, 0) == 0 ? host : "";
}

/// A failure of getaddrinfo(), which calls a host unknown that it could not even look for.
ResolvedHost failed(const std::string& host, int result, int number) {
  using Cause = ResolvedHost::Cause;
  const int probe = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const int shortage = probe < 0 && is_descriptor_shortage(errno) ? errno : 0;
  if (probe >= 0) ::close(probe);
  const bool passes = result == EAI_AGAIN || result == EAI_MEMORY || result == EAI_SYSTEM;
  const std::string reason = shortage != 0          ? system_error_text(shortage)
                             : result == EAI_SYSTEM ? system_error_text(number)
                                                    : gai_strerror(result);
  return {.failure = fmt::format("host '{}' has no address: {}", host, reason),
          .cause = shortage != 0 ? Cause::kNoDescriptors
                   : passes      ? Cause::kPassing
                                 : Cause::kUnknownHost};
}

/// @param flags  AI_NUMERICHOST: no name is looked up, so that it does not block
ResolvedHost look_up(const std::string& host, uint16_t port, bool with_names, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int result = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (result != 0) return failed(host, result, errno);
  ResolvedHost out;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    out.addresses.push_back(socket_address(*info));
    if (with_names) out.names.push_back(canonical_name(*info));
  }
  return out;
}

}  // namespace

struct HostLookup::Shared {
  std::mutex mutex;
  std::function<void()> done;  // guarded by mutex, as what follows; null when nobody waits any more
  std::optional<ResolvedHost> answer;
  bool is_answered = false;

  void give(ResolvedHost found) {
    const std::lock_guard lock(mutex);
    answer = std::move(found);
    is_answered = true;
    if (done) done();
  }
};

ResolvedHost resolve_host(const std::string& host, uint16_t port, bool with_names) {
  return look_up(host, port, with_names, AI_ADDRCONFIG);
}

HostLookup::HostLookup(const std::string& host, uint16_t port, bool with_names, std::function<void()> done,
                       HostResolver resolver)
    : shared_(std::make_shared<Shared>()) {
  shared_->done = std::move(done);
  if (!with_names) {
    if (ResolvedHost number = look_up(host, port, false, AI_NUMERICHOST); number.failure.empty()) {
      shared_->give(std::move(number));
      return;
    }
  }
  thread_ = start_thread("resolver", [shared = shared_, resolver = std::move(resolver), host, port,
                                      with_names](std::stop_token) { shared->give(resolver(host, port, with_names)); });
}

HostLookup::~HostLookup() {
  const std::lock_guard lock(shared_->mutex);
  shared_->done = nullptr;
  if (!shared_->is_answered) thread_.detach();
}

std::optional<ResolvedHost> HostLookup::take() {
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->answer, std::nullopt);
}

}  // namespace yeoul
