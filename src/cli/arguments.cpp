#include "yeoul/cli/arguments.h"

#include <algorithm>

#include "yeoul/cli/help.h"
#include "yeoul/common/error.h"
#include "yeoul/common/options.h"

namespace yeoul {
namespace {

Error unknown(std::string_view what, const std::string& given, const std::vector<std::string>& known) {
  const std::string near = nearest_name(given, known);
  return user_error(2014, "unknown {} '{}'{}; see yeoul --help", what, given,
                    near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

void add_property(Arguments& out, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw user_error(2014, "-D takes key=value, not '{}'", text);
  out.properties.emplace_back(text.substr(0, equals), text.substr(equals + 1));
}

/// @param value  empty for an option that takes none
void set_option(Arguments& out, const OptionHelp& option, const std::string& value) {
  const auto choice = std::find(option.choices.begin(), option.choices.end(), value);
  if (!option.choices.empty() && choice == option.choices.end()) {
    throw unknown(fmt::format("value of {}", option.name), value, {option.choices.begin(), option.choices.end()});
  }
  const auto number = choice - option.choices.begin();
  if (option.name == "--help") out.help = true;
  if (option.name == "--man") out.man = true;
  if (option.name == "--quiet") out.quiet = true;
  if (option.name == "--config") out.configs.push_back(value);
  if (option.name == "--restore") out.restores.push_back(value);
  if (option.name == "--output") out.output = value;
  if (option.name == "--log-level") out.log_level = static_cast<LogLevel>(number);
  if (option.name == "--log-format") out.log_format = static_cast<LogFormat>(number);
  if (option.name == "--metrics-port") out.properties.emplace_back("metrics.reporter.prom.port", value);
  if (option.name == "-D") add_property(out, value);
}

void check_command(const std::string& word) {
  const std::vector<std::string> known = names_of(command_help());
  if (std::find(known.begin(), known.end(), word) == known.end()) throw unknown("command", word, known);
}

void set_word(Arguments& out, const std::string& word) {
  if (out.command.empty() || out.command == "help") check_command(word);
  if (out.command.empty()) {
    out.command = word;
  } else if (out.file.empty()) {
    out.file = word;
  } else {
    throw user_error(2014, "one {} only, not also '{}'", out.command == "completion" ? "shell" : "FILE", word);
  }
}

}  // namespace

Arguments Arguments::parse(int argc, const char* const* argv) {
  Arguments out;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool joined = word.starts_with("-D") && word.size() > 2;
    const OptionHelp* option = find_option(joined ? "-D" : word == "-h" ? "--help" : word);
    if (joined) {
      add_property(out, word.substr(2));
    } else if (option != nullptr && option->value.empty()) {
      set_option(out, *option, "");
    } else if (option != nullptr) {
      if (i + 1 >= words.size() || words[i + 1].empty()) {
        throw user_error(2014, "'{}' needs a value; see yeoul --help", word);
      }
      set_option(out, *option, words[++i]);
    } else if (word == "--version") {
      out.command = "version";
    } else if (word.starts_with("-") && word != "-") {
      throw unknown("option", word, names_of(option_help()));
    } else {
      set_word(out, word);
    }
  }
  const bool wants_file = out.command == "run" || out.command == "explain";
  if (wants_file && out.file.empty() && !out.help)
    throw user_error(2014, "yeoul {} needs a FILE.sql; see yeoul {} --help", out.command, out.command);
  return out;
}

}  // namespace yeoul
