#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "yeoul/cli/arguments.h"
#include "yeoul/cli/help.h"
#include "yeoul/cli/output.h"
#include "yeoul/cli/run_command.h"
#include "yeoul/common/error.h"
#include "yeoul/common/file_system.h"
#include "yeoul/common/log.h"
#include "yeoul/common/standard_files.h"

namespace {

// A table that shows something within a second, and ends by itself.
constexpr const char* kDemoSql = R"(
CREATE TEMPORARY TABLE pageviews (
  user_id BIGINT, region BIGINT
) WITH (
  'connector' = 'datagen', 'rows-per-second' = '100000', 'number-of-rows' = '1000000',
  'fields.user_id.min' = '1', 'fields.user_id.max' = '50000', 'fields.region.min' = '1', 'fields.region.max' = '10');
SELECT 'Region_' || CAST(region AS STRING) AS user_region, COUNT(*) AS pv, COUNT(DISTINCT user_id) AS uv
FROM pageviews GROUP BY region;
)";

constexpr const char* kDemoNext = R"(
That was a million page views, counted by region as they came, in this one process. What next:

  yeoul run FILE.sql        your own Flink SQL; see yeoul run --help
  yeoul explain FILE.sql    what Yeoul makes of it
  make demo                 (in the source tree) the same from Kafka to Kafka, with kill -9 on the way
)";

std::string read_script(const std::string& file) {
  if (file == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  return yeoul::local_file_system().read_file(file);
}

int print(const std::string& text) {
  yeoul::print_text(text);
  if (yeoul::output_error() != 0) yeoul::throw_output_error();
  return 0;
}

int run(int argc, char** argv) {
  yeoul::Arguments arguments = yeoul::Arguments::parse(argc, argv);
  yeoul::set_log_level(arguments.log_level);
  yeoul::set_log_format(arguments.log_format);
  if (arguments.man) return print(yeoul::man_page(YEOUL_VERSION));
  if (arguments.help || arguments.command == "help" || arguments.command.empty()) {
    const std::string about = arguments.command == "help" ? arguments.file : arguments.command;
    return print(yeoul::help_text(about));
  }
  if (arguments.command == "completion") return print(yeoul::completion_script(arguments.file));
  if (arguments.command == "version") return print("yeoul " YEOUL_VERSION "\n");
  if (arguments.command == "demo") {
    if (arguments.output == "table") arguments.output = "live";
    const int code = yeoul::run_script(arguments, kDemoSql, "");
    if (!arguments.quiet && arguments.log_format == yeoul::LogFormat::kText) std::fputs(kDemoNext, stderr);
    return code;
  }
  std::string sql;
  try {
    sql = read_script(arguments.file);
  } catch (const yeoul::Error& error) {
    throw yeoul::user_error(2015, "{}", error.message());
  }
  if (arguments.command == "explain") return yeoul::explain_script(arguments, sql);
  return yeoul::run_script(arguments, sql, arguments.file == "-" ? "" : arguments.file);
}

void complain(const std::string& message) {
  if (yeoul::log_format() == yeoul::LogFormat::kJson) {
    yeoul::log_line(yeoul::LogLevel::kError, "yeoul", message);
    return;
  }
  // Not by a format with %s: a message may quote a zero byte of the script.
  const std::string text = "yeoul: " + message + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

int main(int argc, char** argv) {
  yeoul::hold_standard_files();
  try {
    return run(argc, argv);
  } catch (const yeoul::Error& error) {
    complain(error.to_string());
    return error.family() == yeoul::ErrorFamily::kUser ? 1 : 2;
  } catch (const std::exception& error) {
    complain(error.what());
    return 2;
  }
}
