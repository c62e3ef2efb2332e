#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yeoul {

/// The command line, taken apart. @throws user error 2014 for an unknown option (with the nearest), a missing value or
/// file.
struct Arguments {
  std::string command;                                          ///< run, explain, version, demo, help
  std::string file;                                             ///< "-": standard input
  std::vector<std::pair<std::string, std::string>> properties;  ///< -D key=value
  std::vector<std::string> restores;                            ///< --restore
  std::string output = "table";                                 ///< --output
  bool quiet = false;                                           ///< --quiet
  bool help = false;                                            ///< --help

  static Arguments parse(int argc, const char* const* argv);
};

/// Help of a command; of the program for an unknown or empty one.
std::string_view help_text(std::string_view command);

}  // namespace yeoul
