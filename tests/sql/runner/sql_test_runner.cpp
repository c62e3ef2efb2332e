// Runs SQL test files (tests/sql/README.md) in this process; tests/sql/run.py calls it.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "block_run.h"
#include "changelog.h"
#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/common/threads.h"

namespace yeoul {
namespace {

struct Settings {
  std::vector<std::string> paths;
  std::string skips;
  bool bless = false;
  int jobs = 2;
};

/// A line of skips.txt: file, part of a configuration's name, reason.
struct Skip {
  std::string file;
  std::string configuration;
};

std::vector<Configuration> configurations(const TestFile& file, const TestBlock& block) {
  std::vector<Configuration> out;
  const bool restored_as = !block.restored_sql.empty();
  for (const bool folding : {false, true}) {
    for (const int batch_rows : {1, 1024}) {
      for (const int parallelism : {1, 2}) {
        if (!restored_as) out.push_back({false, parallelism, parallelism, batch_rows, folding});
        if (file.num_segments() == 1) continue;
        for (const int restored : {1, 2}) {
          // A restore at the other parallelism says the same at any batch size.
          if (restored != parallelism && batch_rows == 1) continue;
          out.push_back({true, parallelism, restored, batch_rows, folding});
        }
      }
    }
  }
  return out;
}

/// The tests of one file; what failed is told in `report`.
class FileRun {
 public:
  FileRun(TestFile file, std::vector<Skip> skips, bool bless, std::string folder)
      : file_(std::move(file)), skips_(std::move(skips)), bless_(bless), folder_(std::move(folder)) {}

  void run() {
    for (TestBlock& block : file_.blocks) {
      block_ = &block;
      num_wrong_ = 0;
      switch (block.kind) {
        case TestBlock::Kind::kStatement:
          if (block.blessable) check("straight", [&] { return check_text(block); });
          break;
        case TestBlock::Kind::kError:
          check("straight", [&] { return check_error(block); });
          break;
        case TestBlock::Kind::kQuery:
        case TestBlock::Kind::kInsert:
          run_configurations(block);
          break;
      }
    }
    if (bless_) rewrite();
  }

  int passed() const { return passed_; }
  int failed() const { return failed_; }
  const std::string& report() const { return report_; }

 private:
  /// Counts a test; `test` returns what is wrong, or nothing.
  void check(const std::string& configuration, const std::function<std::string()>& test) {
    for (const Skip& skip : skips_) {
      if (file_.path.ends_with(skip.file) && configuration.find(skip.configuration) != std::string::npos) return;
    }
    std::string wrong;
    try {
      wrong = test();
    } catch (const Error& error) {
      wrong = error.to_string();
    } catch (const std::exception& error) {
      wrong = error.what();
    }
    ++(wrong.empty() ? passed_ : failed_);
    // The first two say it; how many more there are is in the sum.
    if (!wrong.empty() && ++num_wrong_ <= 2) {
      report_ += fmt::format("{}:{}: {}: {}\n", file_.path, block_->line, configuration, wrong);
    }
  }

  void run_configurations(TestBlock& block) {
    if (block.expected.empty()) block.expected.emplace_back();
    std::optional<BlockResult> reference;
    for (const Configuration& configuration : configurations(file_, block)) {
      check(configuration.name(), [&] {
        const std::string folder = fmt::format("{}/{}", folder_, ++num_runs_);
        BlockResult result = run_rows(file_, block, configuration, folder);
        std::filesystem::remove_all(folder);
        if (bless_ && !reference) take_expectations(block, result);
        std::string wrong = compare(block, configuration, result, reference ? &*reference : nullptr);
        if (!reference) reference = std::move(result);
        return wrong;
      });
    }
  }

  std::string compare(const TestBlock& block, const Configuration& configuration, const BlockResult& result,
                      const BlockResult* reference) const {
    for (const Expectation& expectation : block.expected) {
      const auto it = result.rows.find(expectation.sink);
      const std::vector<ResultRow> rows = it == result.rows.end() ? std::vector<ResultRow>() : it->second;
      const bool in_order = !block.final && configuration.ordered();
      std::vector<std::string> wanted = expectation.lines;
      if (!in_order && !block.final) wanted = fold_like(from_lines(expectation.lines), reference, expectation.sink);
      const std::vector<std::string> got = in_order ? to_lines(rows) : fold(rows);
      if (got != wanted) return difference(wanted, got, expectation.sink);
      const bool subset = configuration.folding && configuration.parallelism == 1 && !configuration.stopped;
      if (!block.final && subset && !adds_no_other_rows(rows, from_lines(expectation.lines))) {
        return difference(expectation.lines, to_lines(rows),
                          expectation.sink + " (rows that are in no expected update)");
      }
    }
    return "";
  }

  /// Folds the rows of an expectation; those of upsert sinks by the keys of the first run, which equals it.
  static std::vector<std::string> fold_like(std::vector<ResultRow> rows, const BlockResult* reference,
                                            const std::string& sink) {
    if (reference == nullptr) return fold(rows);
    const auto it = reference->rows.find(sink);
    return fold(it == reference->rows.end() ? rows : it->second);
  }

  static std::string difference(const std::vector<std::string>& wanted, const std::vector<std::string>& got,
                                const std::string& sink) {
    return fmt::format("{}{}expected:\n    {}\n  got:\n    {}", sink, sink.empty() ? "" : " ",
                       fmt::join(wanted, "\n    "), fmt::join(got, "\n    "));
  }

  std::string check_text(TestBlock& block) {
    const BlockResult result = run_statement(file_, block);
    Expectation& expectation = block.expected.at(0);
    if (bless_) expectation.lines = result.text;
    return result.text == expectation.lines ? "" : difference(expectation.lines, result.text, "");
  }

  std::string check_error(const TestBlock& block) const {
    const auto holds = [&](const Error& error) -> std::string {
      if (error.code() != block.code) return "another error: " + error.to_string();
      if (block.position.empty()) return "";
      const size_t colon = block.position.find(':');
      const std::string place =
          fmt::format("line {}, column {}", block.position.substr(0, colon), block.position.substr(colon + 1));
      return error.message().find(place + ":") == std::string::npos ? "another place: " + error.to_string() : "";
    };
    try {
      run_rows(file_, block, Configuration{}, folder_);
    } catch (const Error& error) {
      return holds(error);
    }
    return "no error";
  }

  static void take_expectations(TestBlock& block, const BlockResult& result) {
    for (Expectation& expectation : block.expected) {
      const auto it = result.rows.find(expectation.sink);
      const std::vector<ResultRow> rows = it == result.rows.end() ? std::vector<ResultRow>() : it->second;
      expectation.lines = block.final ? fold(rows) : to_lines(rows);
    }
  }

  void rewrite() {
    std::vector<std::string> lines;
    size_t at = 0;
    for (const TestBlock& block : file_.blocks) {
      if (!block.blessable) continue;
      for (const Expectation& expectation : block.expected) {
        lines.insert(lines.end(), file_.lines.begin() + static_cast<long>(at),
                     file_.lines.begin() + static_cast<long>(expectation.range.first));
        lines.insert(lines.end(), expectation.lines.begin(), expectation.lines.end());
        at = expectation.range.first + expectation.range.count;
      }
    }
    lines.insert(lines.end(), file_.lines.begin() + static_cast<long>(at), file_.lines.end());
    std::ofstream(file_.path) << fmt::format("{}\n", fmt::join(lines, "\n"));
  }

  TestFile file_;
  std::vector<Skip> skips_;
  const bool bless_;
  const std::string folder_;
  const TestBlock* block_ = nullptr;
  int num_runs_ = 0;
  int num_wrong_ = 0;
  int passed_ = 0;
  int failed_ = 0;
  std::string report_;
};

std::string read_text(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<Skip> read_skips(const std::string& path) {
  std::vector<Skip> out;
  std::istringstream text(path.empty() ? "" : read_text(path));
  for (std::string line; std::getline(text, line);) {
    const size_t first = line.find(" | ");
    const size_t second = line.find(" | ", first + 3);
    if (line.starts_with('#') || second == std::string::npos) continue;
    out.push_back({line.substr(0, first), line.substr(first + 3, second - first - 3)});
  }
  return out;
}

int run_files(const Settings& settings) {
  set_log_level(LogLevel::kOff);
  const std::vector<Skip> skips = read_skips(settings.skips);
  char pattern[] = "/tmp/yeoul-sql-tests-XXXXXX";
  const std::string folder = ::mkdtemp(pattern);
  std::mutex mutex;
  int passed = 0;
  int failed = 0;
  const auto run_one = [&](const std::string& path, size_t number) {
    std::string report;
    int good = 0;
    int bad = 1;
    try {
      FileRun run(parse_test_file(path, read_text(path)), skips, settings.bless, fmt::format("{}/{}", folder, number));
      run.run();
      report = run.report();
      good = run.passed();
      bad = run.failed();
    } catch (const std::exception& error) {
      report = fmt::format("{}: {}\n", path, error.what());
    }
    const std::scoped_lock lock(mutex);
    fmt::print("{}", report);
    std::fflush(stdout);
    passed += good;
    failed += bad;
  };
  {
    ThreadPool pool("sql-tests", settings.jobs);
    for (size_t i = 0; i < settings.paths.size(); ++i) pool.post([&, i] { run_one(settings.paths[i], i); });
  }
  std::filesystem::remove_all(folder);
  fmt::print("sql: {} passed, {} failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace yeoul

int main(int argc, char** argv) {
  yeoul::Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--bless") {
      settings.bless = true;
    } else if (argument == "--skips" && i + 1 < argc) {
      settings.skips = argv[++i];
    } else if (argument == "--jobs" && i + 1 < argc) {
      settings.jobs = std::atoi(argv[++i]);
    } else if (argument.starts_with("--")) {
      fmt::print(stderr, "usage: sql_test_runner [--bless] [--skips FILE] [--jobs N] FILE…\n");
      return 2;
    } else {
      settings.paths.push_back(argument);
    }
  }
  return yeoul::run_files(settings);
}
