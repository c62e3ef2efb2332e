#pragma once

#include <string>
#include <utility>
#include <vector>

#include "yeoul/common/log.h"

namespace yeoul {

/// The command line, taken apart. @throws user error 2014 for an unknown option (with the nearest), a missing value or
/// file.
struct Arguments {
  std::string command;                                          ///< run, explain, version, demo, completion, help
  std::string file;                                             ///< "-": standard input
  std::vector<std::pair<std::string, std::string>> properties;  ///< -D key=value, --metrics-port
  std::vector<std::string> configs;                             ///< --config
  std::vector<std::string> restores;                            ///< --restore
  std::string output = "table";                                 ///< --output
  LogLevel log_level = LogLevel::kWarn;                         ///< --log-level
  LogFormat log_format = LogFormat::kText;                      ///< --log-format
  bool quiet = false;                                           ///< --quiet
  bool man = false;                                             ///< --man
  bool help = false;                                            ///< --help

  static Arguments parse(int argc, const char* const* argv);
};

}  // namespace yeoul
