// Compares with Flink's recorded answers, case by case; tests/corpus/run.py calls it and adds up.
//
// corpus_runner expressions|streaming ROOT [--shard I/N] [--skip N] [--only TEXT]
// Prints `begin <id>` before a case and `<id> TAB <group> TAB <verdict> TAB <detail>` behind it, so that the caller
// knows which case a crash belongs to and can go on behind it.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "expression_cases.h"
#include "streaming_cases.h"
#include "yeoul/common/log.h"

namespace yeoul {
namespace {

struct Settings {
  std::string kind;
  std::string root;
  size_t shard = 0;
  size_t num_shards = 1;
  size_t skip = 0;  ///< cases of the shard that are not run again
  std::string only;
};

std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c == '\t' ? ' ' : c;
    }
  }
  return out;
}

template <class Case, class Run>
void run_cases(const Settings& settings, const std::vector<Case>& cases, Run run) {
  size_t number = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case& one = cases[i];
    if (i % settings.num_shards != settings.shard) continue;
    if (number++ < settings.skip) continue;
    if (!settings.only.empty() && one.id.find(settings.only) == std::string::npos && one.group != settings.only)
      continue;
    fmt::print("begin {}\n", one.id);
    std::fflush(stdout);
    const Verdict verdict = run(one);
    fmt::print("{}\t{}\t{}\t{}\n", one.id, one.group, verdict.what, one_line(verdict.detail));
    std::fflush(stdout);
  }
}

int run(const Settings& settings) {
  set_log_level(LogLevel::kOff);
  if (settings.kind == "expressions") {
    ExpressionRunner runner;
    run_cases(settings, read_expression_cases(settings.root + "/expressions.jsonl"),
              [&](const ExpressionCase& one) { return runner.run(one); });
    return 0;
  }
  const std::string folder = std::filesystem::absolute(settings.root).string() + "/streaming";
  run_cases(settings, read_streaming_cases(folder),
            [&](const StreamingCase& one) { return run_streaming_case(one, folder + "/data"); });
  return 0;
}

}  // namespace
}  // namespace yeoul

int main(int argc, char** argv) {
  yeoul::Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--shard" && i + 1 < argc) {
      settings.shard = static_cast<size_t>(std::atoi(argv[++i]));
      if (const char* slash = std::strchr(argv[i], '/'))
        settings.num_shards = static_cast<size_t>(std::atoi(slash + 1));
    } else if (argument == "--skip" && i + 1 < argc) {
      settings.skip = static_cast<size_t>(std::atoi(argv[++i]));
    } else if (argument == "--only" && i + 1 < argc) {
      settings.only = argv[++i];
    } else if (settings.kind.empty()) {
      settings.kind = argument;
    } else {
      settings.root = argument;
    }
  }
  if ((settings.kind != "expressions" && settings.kind != "streaming") || settings.root.empty()) {
    fmt::print(stderr, "usage: corpus_runner expressions|streaming ROOT [--shard I/N] [--skip N] [--only TEXT]\n");
    return 2;
  }
  return yeoul::run(settings);
}
