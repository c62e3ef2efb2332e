#pragma once

#include <string_view>

namespace yeoul {

/// Opens something for standard input, output and error where the process was started without them, so that no file or
/// socket opened later gets their numbers and what is printed. Reading or writing them fails as before. Any thread.
void hold_standard_files();

/// What print() of a program writes, in one call, so that lines of several threads do not mix. @throws external error
/// 4501 where it cannot be written
void print_to_standard_output(std::string_view text);

}  // namespace yeoul
