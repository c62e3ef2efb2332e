#include "test_file.h"

#include <algorithm>
#include <string_view>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

constexpr std::string_view kDirectives[] = {"input ", "sink ", "set ", "query ", "insert ", "error ", "statement"};

bool is_directive(std::string_view line) {
  return std::any_of(std::begin(kDirectives), std::end(kDirectives),
                     [&](std::string_view word) { return line.starts_with(word); });
}

bool is_row(std::string_view line) {
  return line.starts_with("+I") || line.starts_with("-U") || line.starts_with("+U") || line.starts_with("-D");
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

class Parser {
 public:
  explicit Parser(TestFile& file) : file_(file), lines_(file.lines) {}

  void parse() {
    while (at_ < lines_.size()) {
      const std::string& line = lines_[at_];
      if (line.empty() || line.starts_with('#')) {
        ++at_;
      } else if (line.starts_with("input ") || line.starts_with("sink ")) {
        parse_table();
      } else if (line.starts_with("set ")) {
        const std::string_view rest = trimmed(std::string_view(line).substr(4));
        const size_t blank = rest.find(' ');
        if (blank == std::string_view::npos) fail("'set' takes a key and a value");
        file_.settings.emplace_back(rest.substr(0, blank), trimmed(rest.substr(blank)));
        ++at_;
      } else if (is_directive(line)) {
        parse_block();
      } else {
        fail("no directive: " + line);
      }
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw user_error(9100, "{}:{}: {}", file_.path, at_ + 1, what);
  }

  void parse_table() {
    TestTable table;
    std::string text = lines_[at_];
    table.is_sink = text.starts_with("sink ");
    const auto open = [&] {
      return std::count(text.begin(), text.end(), '(') - std::count(text.begin(), text.end(), ')');
    };
    while (open() > 0 && at_ + 1 < lines_.size()) text += "\n" + lines_[++at_];
    ++at_;
    const size_t begin = text.find('(');
    const size_t end = text.rfind(')');
    if (begin == std::string::npos || end == std::string::npos) fail("a table needs its columns in parentheses");
    const size_t name_at = text.find(' ') + 1;
    table.name = trimmed(std::string_view(text).substr(name_at, begin - name_at));
    table.columns = text.substr(begin, end - begin + 1);
    table.insert_only = trimmed(std::string_view(text).substr(end + 1)) == "insert-only";
    for (; !table.is_sink && at_ < lines_.size(); ++at_) {
      if (is_row(lines_[at_])) {
        table.segments.back().push_back(lines_[at_]);
      } else if (lines_[at_] == "!checkpoint") {
        table.segments.emplace_back();
      } else if (!lines_[at_].starts_with('#')) {
        break;
      }
    }
    file_.tables.push_back(std::move(table));
  }

  void parse_block() {
    TestBlock block;
    block.line = at_ + 1;
    const std::string_view head = trimmed(lines_[at_]);
    if (head.starts_with("query ") || head.starts_with("insert ")) {
      block.kind = head.starts_with("query ") ? TestBlock::Kind::kQuery : TestBlock::Kind::kInsert;
      block.final = head.ends_with(" final");
      if (!block.final && !head.ends_with(" changelog")) fail("say 'changelog' or 'final'");
    } else if (head.starts_with("error YEOUL-")) {
      block.kind = TestBlock::Kind::kError;
      block.code = std::stoi(std::string(head.substr(12)));
      if (const size_t at = head.find(" at "); at != std::string_view::npos) block.position = head.substr(at + 4);
    } else if (head != "statement") {
      fail("unknown directive");
    }
    ++at_;
    block.sql = parse_sql();
    while (at_ < lines_.size() && lines_[at_].starts_with("----")) parse_section(block);
    file_.blocks.push_back(std::move(block));
  }

  std::string parse_sql() {
    std::string sql;
    for (; at_ < lines_.size(); ++at_) {
      const std::string& line = lines_[at_];
      if (line.empty() || line.starts_with("----") || is_directive(line)) break;
      sql += (sql.empty() ? "" : "\n") + line;
    }
    return sql;
  }

  void parse_section(TestBlock& block) {
    const std::string name(trimmed(std::string_view(lines_[at_]).substr(4)));
    ++at_;
    if (name == "restored as") {
      block.restored_sql = parse_sql();
      return;
    }
    block.blessable = true;
    Expectation expectation{.sink = name, .range = {.first = at_}};
    const bool rows = block.kind != TestBlock::Kind::kStatement;
    for (; at_ < lines_.size(); ++at_) {
      if (rows ? !is_row(lines_[at_]) : lines_[at_].empty()) break;
      expectation.lines.push_back(lines_[at_]);
    }
    expectation.range.count = expectation.lines.size();
    block.expected.push_back(std::move(expectation));
  }

  TestFile& file_;
  const std::vector<std::string>& lines_;
  size_t at_ = 0;
};

}  // namespace

size_t TestFile::num_segments() const {
  size_t most = 1;
  for (const TestTable& table : tables) most = std::max(most, table.segments.size());
  return most;
}

TestFile parse_test_file(const std::string& path, const std::string& text) {
  TestFile file{.path = path};
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    file.lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  Parser(file).parse();
  return file;
}

}  // namespace yeoul
