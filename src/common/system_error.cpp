#include "yeoul/common/system_error.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace yeoul {

bool is_descriptor_shortage(int number) {
  return number == EMFILE || number == ENFILE;
}

std::string system_error_text(int number) {
  const std::string text = std::generic_category().message(number);
  rlimit limit{};
  if (number != EMFILE || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return text;
  return fmt::format("{}: this process may have {}; raise its limit ('ulimit -n')", text, limit.rlim_cur);
}

}  // namespace yeoul
