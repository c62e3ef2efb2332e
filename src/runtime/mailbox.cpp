#include "yeoul/runtime/mailbox.h"

namespace yeoul {

void Mailbox::post(Mail mail) {
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return;
    mails_.push_back(std::move(mail));
    filled_.store(true, std::memory_order_release);
  }
  wake_up_.raise();
}

std::optional<Mailbox::Mail> Mailbox::take() {
  if (!filled_.load(std::memory_order_acquire)) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  if (mails_.empty()) return std::nullopt;
  Mail mail = std::move(mails_.front());
  mails_.pop_front();
  if (mails_.empty()) filled_.store(false, std::memory_order_relaxed);
  return mail;
}

void Mailbox::close() {
  std::deque<Mail> dropped;  // destroyed outside the lock: a mail may own things
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  dropped.swap(mails_);
  filled_.store(false, std::memory_order_relaxed);
}

}  // namespace yeoul
