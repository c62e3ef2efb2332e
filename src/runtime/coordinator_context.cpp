#include "yeoul/runtime/coordinator_context.h"

namespace yeoul {

void CoordinatorContext::run_io(std::function<void()> io, std::function<void(std::exception_ptr)> done) {
  executor->post([mailbox = mailbox, io = std::move(io), done = std::move(done)] {
    std::exception_ptr failure;
    try {
      io();
    } catch (...) {
      failure = std::current_exception();
    }
    mailbox->post([done, failure] { done(failure); });
  });
}

}  // namespace yeoul
