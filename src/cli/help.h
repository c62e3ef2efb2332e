#pragma once

#include <span>
#include <string>
#include <string_view>

namespace yeoul {

/// An option of the command line: the one source of its parsing, its help, the man page and completions.
struct OptionHelp {
  std::string_view name;   ///< "--restore"
  std::string_view value;  ///< what it takes, as help shows it; empty: nothing
  std::string_view text;
  std::span<const std::string_view> choices = {};  ///< the only values it takes; empty: any
};

struct CommandHelp {
  std::string_view name;
  std::string_view argument;  ///< as help shows it; empty: none
  std::string_view summary;   ///< a line of the program's help
  std::string_view text;
  std::span<const std::string_view> options;  ///< names, beside --help
};

std::span<const OptionHelp> option_help();
std::span<const CommandHelp> command_help();
/// Null: there is no such option.
const OptionHelp* find_option(std::string_view name);

/// Help of a command; of the program for an unknown or empty one.
std::string help_text(std::string_view command);
/// The manual page, in man(7)'s macros.
std::string man_page(std::string_view version);
/// The completion script of a shell. @throws user error 2014 for one that is not known.
std::string completion_script(const std::string& shell);

}  // namespace yeoul
