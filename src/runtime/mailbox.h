#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "yeoul/common/threads.h"

namespace yeoul {

/// Work that other threads hand to the one that owns some state: it runs there, in the order of posting.
/// Threads: post() any, the rest the owner. Shared, because an I/O completion may come after its task has ended.
class Mailbox {
 public:
  using Mail = std::function<void()>;

  void post(Mail mail);
  std::optional<Mail> take();
  /// Drops what is left and all that comes later.
  void close();
  /// Raised by post(), and by channels.
  WakeUp& wake_up() { return wake_up_; }

 private:
  WakeUp wake_up_;
  std::atomic<bool> filled_{false};
  std::mutex mutex_;
  std::deque<Mail> mails_;
  bool closed_ = false;
};

}  // namespace yeoul
