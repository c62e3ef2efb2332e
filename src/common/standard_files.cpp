#include "yeoul/common/standard_files.h"

#include <fcntl.h>
#include <unistd.h>

namespace yeoul {

void hold_standard_files() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) != -1) continue;
    // Opened the wrong way round, so that its use fails with EBADF. The smallest free number is given: this one.
    const int opened = ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened > STDERR_FILENO) ::close(opened);  // another thread was faster
  }
}

}  // namespace yeoul
