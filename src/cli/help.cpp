#include "yeoul/cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

constexpr size_t kWidth = 110;

constexpr std::string_view kForms[] = {"table", "json", "csv", "live"};
constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warn", "error", "off"};
constexpr std::string_view kLogFormats[] = {"text", "json"};

constexpr OptionHelp kOptions[] = {
    {"-D", "key=value",
     "sets an option of Flink before the script, e.g. -D execution.checkpointing.interval='10 s'; may be repeated"},
    {"--config", "PATH",
     "sets the options of a file of Flink's before those of -D: config.yaml or the older flink-conf.yaml, or the "
     "folder "
     "that has one; may be repeated"},
    {"--restore", "PATH|latest",
     "starts the job that made this checkpoint (a chk-N folder) from it; give one of each INSERT's job, or latest: the "
     "newest one of each job's name. A SELECT starts afresh unless its own is given. May be repeated"},
    {"--output", "FORM",
     "how a SELECT's changelog is printed: table (default), json (one object a line, \"op\" and the columns), csv, or "
     "live "
     "(a table that changes in place)",
     kForms},
    {"--metrics-port", "PORT",
     "serves metrics for Prometheus at http://127.0.0.1:PORT/metrics; a range as 9250-9260 takes the first free port, "
     "0 any. "
     "The same as -D metrics.reporter.prom.port=PORT"},
    {"--log-level", "LEVEL",
     "least level of what is logged to standard error: trace, debug, info, warn (default), error, off", kLevels},
    {"--log-format", "FORM",
     "text (default), or json: all that is said on standard error, logged or not, is one JSON object a line",
     kLogFormats},
    {"--quiet", "", "no live line, no closing line"},
    {"--man", "", "the manual page, for man -l"},
    {"--help", "", "help about a command"},
};

constexpr std::string_view kRunOptions[] = {"-D",          "--config",     "--restore", "--output", "--metrics-port",
                                            "--log-level", "--log-format", "--quiet"};
constexpr std::string_view kExplainOptions[] = {"-D", "--config"};
constexpr std::string_view kDemoOptions[] = {"--output", "--metrics-port", "--log-level", "--log-format", "--quiet"};
constexpr std::string_view kHelpOptions[] = {"--man"};

constexpr CommandHelp kCommands[] = {
    {"run", "FILE.sql", "run a script: CREATE TABLE, INSERT INTO, SELECT, SET, …",
     "Runs the statements of FILE.sql ('-': standard input) in order: a SELECT to its end, an INSERT without waiting, "
     "each "
     "its own job. Ends when all jobs have ended.\n\n"
     "Interrupting (Ctrl-C) or SIGTERM stops the jobs cleanly; again, a second or more later, it ends the program at "
     "once.",
     kRunOptions},
    {"explain", "FILE.sql", "print the plans of a script's queries without running them",
     "Runs the DDL and SET statements of FILE.sql, and prints the logical and physical plan of each query, INSERT and "
     "statement set instead of running it.",
     kExplainOptions},
    {"demo", "", "a changing table within a second; needs no Kafka",
     "Generates page views for ten seconds and counts them by region in a table that changes in place. Needs no Kafka.",
     kDemoOptions},
    {"version", "", "print the version", "Prints the version.", {}},
    {"completion",
     "bash|zsh|fish",
     "print a shell's completion script",
     "Prints the completion script of a shell. The packages install it; else put it where the shell looks, e.g. "
     "yeoul completion bash > ~/.local/share/bash-completion/completions/yeoul",
     {}},
    {"help", "[COMMAND]", "this text, or a command's; also --help behind a command",
     "Prints help about the program or a command.", kHelpOptions},
};

constexpr std::string_view kSummary = "yeoul runs Apache Flink SQL as one native program: no JVM, no cluster.";
constexpr std::string_view kExitCodes =
    "0 finished or stopped by request, 1 the SQL or an option is wrong, 2 a job failed";
constexpr std::string_view kExamples[] = {
    "yeoul demo",
    "yeoul run pageviews.sql -D parallelism.default=2",
    "yeoul run pageviews.sql --restore latest --metrics-port 9249",
};

/// Text broken into lines, all but the first indented.
std::string wrapped(std::string_view text, size_t indent) {
  std::string out;
  size_t column = indent;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (column > indent && column + 1 + word.size() > kWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    if (end < text.size() && text[end] == '\n') {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string usage(const CommandHelp& command) {
  return fmt::format("yeoul {}{}{}{}", command.name, command.argument.empty() ? "" : " ", command.argument,
                     command.options.empty() ? "" : " [options]");
}

std::string heading(const OptionHelp& option) {
  return fmt::format("{}{}{}", option.name, option.value.empty() ? "" : " ", option.value);
}

std::string program_help() {
  std::string out = fmt::format("{}\n\nusage: yeoul COMMAND [options]\n\n", kSummary);
  for (const CommandHelp& command : kCommands) {
    out += fmt::format("  {:<25} {}\n", fmt::format("{} {}", command.name, command.argument), command.summary);
  }
  out += "\nexamples:\n";
  for (const std::string_view example : kExamples) out += fmt::format("  {}\n", example);
  return out;
}

std::string joined(std::span<const std::string_view> words) {
  return fmt::format("{}", fmt::join(words, " "));
}

/// Text for roff: what it would take for markup is escaped.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += fmt::format("\\&{}", c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string bash_completion() {
  std::string commands;
  std::string cases;
  for (const CommandHelp& command : kCommands) {
    commands += fmt::format(" {}", command.name);
    cases += fmt::format("    {}) options='{} --help' ;;\n", command.name, joined(command.options));
  }
  std::string values;
  for (const OptionHelp& option : kOptions) {
    if (!option.choices.empty()) {
      values += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", option.name,
                            joined(option.choices));
    }
  }
  return fmt::format(
      R"(# bash completion of yeoul; made by `yeoul completion bash`
_yeoul() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} options=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{0} --help --version' -- "$word"))
    return
  fi
  case $before in
    --restore) COMPREPLY=($(compgen -W latest -- "$word") $(compgen -d -- "$word")); return ;;
    --config) COMPREPLY=($(compgen -f -- "$word")); return ;;
    -D|--metrics-port) return ;;
{1}  esac
  case $command in
{2}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  case $command in
    run|explain) compopt -o filenames; COMPREPLY=($(compgen -f -X '!*.sql' -- "$word") $(compgen -d -- "$word")) ;;
    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word")) ;;
    help) COMPREPLY=($(compgen -W '{0}' -- "$word")) ;;
  esac
}}
complete -F _yeoul yeoul
)",
      commands.substr(1), values, cases);
}

/// Text within a zsh specification in single quotes: brackets, colons and quotes are its own.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_option(const OptionHelp& option) {
  std::string value;
  if (option.name == "--restore") {
    value = ":checkpoint:{_alternative \"word:newest:(latest)\" \"folders:folder:_files -/\"}";
  } else if (option.name == "--config") {
    value = ":file:_files";
  } else if (!option.choices.empty()) {
    value = fmt::format(":{}:({})", zsh_text(option.value), joined(option.choices));
  } else if (!option.value.empty()) {
    value = fmt::format(":{}: ", zsh_text(option.value));
  }
  return fmt::format("'{}{}[{}]{}'",
                     option.name == "-D" || option.name == "--config" || option.name == "--restore" ? "*" : "",
                     option.name, zsh_text(option.text), value);
}

std::string zsh_completion() {
  std::string commands;
  std::string cases;
  for (const CommandHelp& command : kCommands) {
    commands += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.summary));
    cases += fmt::format("    {})\n      _arguments '--help[help about the command]'", command.name);
    for (const std::string_view name : command.options) cases += " \\\n        " + zsh_option(*find_option(name));
    if (command.argument == "FILE.sql") cases += " \\\n        '1:script:_files -g \"*.sql\"'";
    if (command.name == "completion") cases += " \\\n        '1:shell:(bash zsh fish)'";
    cases += " ;;\n";
  }
  return fmt::format(
      R"(#compdef yeoul
# zsh completion of yeoul; made by `yeoul completion zsh`
_yeoul() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{}  esac
}}
_yeoul "$@"
)",
      commands, cases);
}

std::string fish_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string fish_completion() {
  std::string out = "# fish completion of yeoul; made by `yeoul completion fish`\ncomplete -c yeoul -f\n";
  for (const CommandHelp& command : kCommands) {
    out += fmt::format("complete -c yeoul -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                       fish_text(command.summary));
    const std::string inside = fmt::format("complete -c yeoul -n '__fish_seen_subcommand_from {}'", command.name);
    if (command.argument == "FILE.sql") out += inside + " -F\n";
    if (command.name == "completion") out += inside + " -a 'bash zsh fish'\n";
    for (const std::string_view name : command.options) {
      const OptionHelp& option = *find_option(name);
      out += fmt::format("{} {} {}{} -d '{}'", inside, option.name.starts_with("--") ? "-l" : "-s",
                         option.name.substr(option.name.find_first_not_of('-')),
                         option.value.empty()                                      ? ""
                         : option.name == "--restore" || option.name == "--config" ? " -r"
                                                                                   : " -x",
                         fish_text(option.text));
      if (!option.choices.empty()) out += fmt::format(" -a '{}'", joined(option.choices));
      if (option.name == "--restore") out += " -a latest -F";
      if (option.name == "--config") out += " -F";
      out += "\n";
    }
  }
  return out + "complete -c yeoul -l help -d 'help about a command'\n";
}

}  // namespace

std::span<const OptionHelp> option_help() {
  return kOptions;
}
std::span<const CommandHelp> command_help() {
  return kCommands;
}

const OptionHelp* find_option(std::string_view name) {
  const auto* it =
      std::find_if(std::begin(kOptions), std::end(kOptions), [&](const auto& o) { return o.name == name; });
  return it == std::end(kOptions) ? nullptr : it;
}

std::string help_text(std::string_view name) {
  const auto* command =
      std::find_if(std::begin(kCommands), std::end(kCommands), [&](const auto& c) { return c.name == name; });
  if (command == std::end(kCommands)) return program_help();
  std::string out = fmt::format("usage: {}\n\n{}\n", usage(*command), wrapped(command->text, 0));
  if (!command->options.empty()) out += "\n";
  for (const std::string_view option : command->options) {
    const OptionHelp& help = *find_option(option);
    out += fmt::format("  {:<22} {}\n", heading(help), wrapped(help.text, 25));
  }
  if (command->name == "run") out += fmt::format("\nexit code: {}\n", kExitCodes);
  return out;
}

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  if (shell == "fish") return fish_completion();
  throw user_error(2014, "no completions for '{}': the shells are bash, zsh and fish", shell);
}

std::string man_page(std::string_view version) {
  std::string out = fmt::format(".TH YEOUL 1 \"\" \"Yeoul {}\" \"User Commands\"\n.SH NAME\nyeoul \\- {}\n", version,
                                roff("runs Apache Flink SQL as one native program"));
  out += ".SH SYNOPSIS\n";
  for (const CommandHelp& command : kCommands) {
    out += fmt::format(".B yeoul {}\n", command.name);
    if (!command.argument.empty()) out += roff(command.argument) + "\n";
    if (!command.options.empty()) out += "[options]\n";
    out += ".br\n";
  }
  out += ".SH DESCRIPTION\n" + roff(kSummary) + "\n.SH COMMANDS\n";
  for (const CommandHelp& command : kCommands) {
    out += fmt::format(".SS {}\n{}\n", roff(command.name), roff(command.text));
    for (const std::string_view name : command.options) {
      const OptionHelp& option = *find_option(name);
      out += fmt::format(".TP\n.B {}\n{}\n", roff(heading(option)), roff(option.text));
    }
  }
  out += ".SH EXIT STATUS\n" + roff(kExitCodes) + "\n.SH EXAMPLES\n.nf\n";
  for (const std::string_view example : kExamples) out += roff(example) + "\n";
  return out + ".fi\n";
}

}  // namespace yeoul
