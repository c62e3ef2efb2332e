#include "yeoul/common/standard_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "yeoul/common/error.h"

namespace yeoul {

void hold_standard_files() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) != -1) continue;
    // Opened the wrong way round, so that its use fails with EBADF. The smallest free number is given: this one.
    const int opened = ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened > STDERR_FILENO) ::close(opened);  // another thread was faster
  }
}

void print_to_standard_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  throw external_error(4501, "print(): the standard output cannot be written; is it closed or the disk full?");
}

}  // namespace yeoul
