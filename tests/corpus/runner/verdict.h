#pragma once

#include <string>
#include <string_view>

namespace yeoul {

/// What came of a case: "equal", or what differs ("value", "type", "error", "no error", …), and how.
struct Verdict {
  std::string what = "equal";
  std::string detail;
};

/// Whether an error says that Yeoul lacks something: where Flink fails too, that is not the same answer.
inline bool is_missing_feature(std::string_view error) {
  return error.find("not supported") != std::string_view::npos ||
         error.find("no function ") != std::string_view::npos || error.find("available: ") != std::string_view::npos;
}

}  // namespace yeoul
