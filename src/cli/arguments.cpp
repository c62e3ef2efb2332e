#include "yeoul/cli/arguments.h"

#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/common/options.h"

namespace yeoul {
namespace {

constexpr std::string_view kMainHelp = R"(yeoul runs Apache Flink SQL as one native program: no JVM, no cluster.

usage: yeoul COMMAND [options]

  run FILE.sql      run a script: CREATE TABLE, INSERT INTO, SELECT, SET, …
  explain FILE.sql  print the plans of a script's queries without running them
  demo              a changing table within a second; needs no Kafka
  version           print the version
  help [COMMAND]    this text, or a command's; also --help behind a command

examples:
  yeoul demo
  yeoul run pageviews.sql -D parallelism.default=2
  yeoul run pageviews.sql --restore latest
)";

constexpr std::string_view kRunHelp =
    R"(usage: yeoul run FILE.sql [-D key=value]… [--restore PATH|latest]… [--output FORM] [--quiet]

Runs the statements of FILE.sql ('-': standard input) in order: a SELECT to its end, an INSERT without waiting, each its own
job. Ends when all jobs have ended.

  -D key=value       sets an option of Flink before the script, e.g. -D execution.checkpointing.interval='10 s'
  --restore PATH     starts the job that made this checkpoint (a chk-N folder) from it; give one of each INSERT's job, or
                     'latest': the newest one of each job's name. A SELECT starts afresh unless its own is given.
  --output FORM      how a SELECT's changelog is printed: table (default), json (one object a line, "op" and the columns), csv, or
                     live (a table that changes in place)
  --quiet            no live line, no closing line

Interrupting (Ctrl-C) or SIGTERM stops the jobs cleanly; a second time ends the program at once.
exit code: 0 finished or stopped by request, 1 the SQL or an option is wrong, 2 a job failed
)";

constexpr std::string_view kExplainHelp = R"(usage: yeoul explain FILE.sql [-D key=value]…

Runs the DDL and SET statements of FILE.sql, and prints the logical and physical plan of each query, INSERT and statement
set instead of running it.
)";

constexpr std::string_view kDemoHelp = R"(usage: yeoul demo [--output FORM]

Generates page views for ten seconds and counts them by region in a table that changes in place. Needs no Kafka.
)";

constexpr std::string_view kVersionHelp = "usage: yeoul version\n\nPrints the version.\n";

constexpr std::string_view kCommands[] = {"run", "explain", "demo", "version", "help"};
constexpr std::string_view kFlags[] = {"-D", "--restore", "--output", "--quiet", "--help"};

template <size_t N>
Error unknown(std::string_view what, const std::string& given, const std::string_view (&known)[N]) {
  const std::vector<std::string> names(std::begin(known), std::end(known));
  const std::string near = nearest_name(given, names);
  return user_error(2014, "unknown {} '{}'{}; see yeoul --help", what, given,
                    near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

void add_property(Arguments& out, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw user_error(2014, "-D takes key=value, not '{}'", text);
  out.properties.emplace_back(text.substr(0, equals), text.substr(equals + 1));
}

}  // namespace

Arguments Arguments::parse(int argc, const char* const* argv) {
  Arguments out;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 >= words.size()) throw user_error(2014, "'{}' needs a value; see yeoul --help", word);
      return words[++i];
    };
    if (word == "--help" || word == "-h") {
      out.help = true;
    } else if (word == "--version") {
      out.command = "version";
    } else if (word == "-D") {
      add_property(out, value());
    } else if (word.starts_with("-D") && word.size() > 2) {
      add_property(out, word.substr(2));
    } else if (word == "--restore") {
      out.restores.push_back(value());
    } else if (word == "--output") {
      out.output = value();
      static constexpr std::string_view kForms[] = {"table", "json", "csv", "live"};
      if (std::find(std::begin(kForms), std::end(kForms), out.output) == std::end(kForms)) {
        throw unknown("output form", out.output, kForms);
      }
    } else if (word == "--quiet") {
      out.quiet = true;
    } else if (word.starts_with("-") && word != "-") {
      throw unknown("option", word, kFlags);
    } else if (out.command.empty()) {
      if (std::find(std::begin(kCommands), std::end(kCommands), word) == std::end(kCommands)) {
        throw unknown("command", word, kCommands);
      }
      out.command = word;
    } else if (out.file.empty()) {
      out.file = word;
    } else {
      throw user_error(2014, "one FILE only, not also '{}'", word);
    }
  }
  const bool wants_file = out.command == "run" || out.command == "explain";
  if (wants_file && out.file.empty() && !out.help)
    throw user_error(2014, "yeoul {} needs a FILE.sql; see yeoul {} --help", out.command, out.command);
  return out;
}

std::string_view help_text(std::string_view command) {
  if (command == "run") return kRunHelp;
  if (command == "explain") return kExplainHelp;
  if (command == "demo") return kDemoHelp;
  if (command == "version") return kVersionHelp;
  return kMainHelp;
}

}  // namespace yeoul
