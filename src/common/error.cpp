#include "yeoul/common/error.h"

namespace yeoul {

void check_failed(const char* condition, const char* file, int line, const std::string& detail) {
  throw internal_error(9001, "internal check failed: {} at {}:{}{}{}", condition, file, line,
                       detail.empty() ? "" : ": ", detail);
}

}  // namespace yeoul
