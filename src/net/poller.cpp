#include "yeoul/net/poller.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include "yeoul/common/error.h"
#include "yeoul/common/system_error.h"

namespace yeoul {
namespace {

constexpr uint64_t kWakeUpTag = UINT64_MAX;
constexpr int kEventsAtOnce = 64;

void watch(int epoll, int operation, int descriptor, uint64_t tag, bool writing) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | (writing ? EPOLLOUT : 0u);
  event.data.u64 = tag;
  const int result = epoll_ctl(epoll, operation, descriptor, &event);
  YEOUL_CHECK(result == 0, "a socket cannot be watched");
}

}  // namespace

Poller::Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_up_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (epoll_ < 0 || wake_up_ < 0) {
    const int number = errno;
    if (epoll_ >= 0) ::close(epoll_);
    throw external_error(kNoDescriptors, "nothing to wait for sockets with: {}", system_error_text(number));
  }
  watch(epoll_, EPOLL_CTL_ADD, wake_up_, kWakeUpTag, false);
}

Poller::~Poller() {
  ::close(wake_up_);
  ::close(epoll_);
}

void Poller::add(const TcpSocket& socket, uint64_t tag, bool writing) {
  watch(epoll_, EPOLL_CTL_ADD, socket.descriptor(), tag, writing);
}

void Poller::set_writing(const TcpSocket& socket, uint64_t tag, bool writing) {
  watch(epoll_, EPOLL_CTL_MOD, socket.descriptor(), tag, writing);
}

bool Poller::wait(int timeout_ms, std::vector<PollEvent>& out) {
  out.clear();
  bool woken = false;
  epoll_event events[kEventsAtOnce];
  const int count = epoll_wait(epoll_, events, kEventsAtOnce, timeout_ms);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.u64 == kWakeUpTag) {
      uint64_t raised = 0;
      [[maybe_unused]] const ssize_t size = ::read(wake_up_, &raised, sizeof raised);
      woken = true;
      continue;
    }
    out.push_back({events[i].data.u64, (events[i].events & ~static_cast<uint32_t>(EPOLLOUT)) != 0,
                   (events[i].events & EPOLLOUT) != 0});
  }
  return woken;
}

void Poller::wake_up() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t size = ::write(wake_up_, &one, sizeof one);
}

}  // namespace yeoul
