#pragma once

namespace yeoul {

/// Opens something for standard input, output and error where the process was started without them, so that no file or
/// socket opened later gets their numbers and what is printed. Reading or writing them fails as before. Any thread.
void hold_standard_files();

}  // namespace yeoul
