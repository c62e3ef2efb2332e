#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/options.h"

namespace yeoul {

/// Options of a Java virtual machine, as Flink's `env.java.opts` has them.
struct JavaOptions {
  OptionMap properties;             ///< of -D<name>=<value>; of several the last
  std::vector<std::string> others;  ///< as they stand there
};

/// Cuts the text at blanks outside quotes, and takes the quotes off.
JavaOptions parse_java_options(std::string_view text);

}  // namespace yeoul
