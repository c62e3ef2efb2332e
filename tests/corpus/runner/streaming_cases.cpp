#include "streaming_cases.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "flink_type.h"
#include "statement_run.h"

namespace yeoul {
namespace {

struct Expected {
  std::string error;
  bool final_only = false;
  bool timer_fired = false;
  std::vector<std::string> names;
  std::vector<std::string> types;
  std::vector<AnswerRow> rows;
};

bool flag(const simdjson::dom::element& object, const char* key) {
  bool value = false;
  return object[key].get_bool().get(value) == simdjson::SUCCESS && value;
}

void read_head(const simdjson::dom::element& object, Expected& out) {
  std::string_view text;
  if (object["error"].get_string().get(text) == simdjson::SUCCESS) out.error = text;
  out.final_only = flag(object, "final_only");
  out.timer_fired = flag(object, "timer_fired");
  simdjson::dom::array columns;
  if (object["columns"].get_array().get(columns) != simdjson::SUCCESS) return;
  for (const simdjson::dom::element column : columns) {
    out.names.emplace_back(column["name"].get_string().value());
    out.types.emplace_back(column["type"].get_string().value());
  }
}

Expected read_expected(const std::string& path) {
  Expected out;
  simdjson::dom::parser parser;
  bool first = true;
  for (const simdjson::dom::element object : parser.load_many(path, 1 << 24)) {
    if (first) {
      read_head(object, out);
      first = false;
      continue;
    }
    AnswerRow row{.op = std::string(object["op"].get_string().value())};
    const simdjson::dom::array cells = object["row"].get_array();  // held: a range-for does not keep a temporary
    for (const simdjson::dom::element cell : cells) {
      row.cells.push_back(cell.is_null() ? Cell() : Cell(std::string(cell.get_string().value())));
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

std::string read_text(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// The rows that a changelog leaves, as +I; -D for what was taken back without having been given.
std::vector<AnswerRow> fold(const std::vector<AnswerRow>& rows) {
  std::map<std::vector<Cell>, int> counts;
  for (const AnswerRow& row : rows) counts[row.cells] += row.op == "+I" || row.op == "+U" ? 1 : -1;
  std::vector<AnswerRow> out;
  for (const auto& [cells, count] : counts) {
    for (int i = 0; i < std::abs(count); ++i) out.push_back({count > 0 ? "+I" : "-D", cells});
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string lines_of(const std::vector<AnswerRow>& rows) {
  std::string out;
  for (const AnswerRow& row : rows) out += "\n    " + to_text(row);
  return out;
}

/// A folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    char pattern[] = "/tmp/yeoul-corpus-XXXXXX";
    path_ = ::mkdtemp(pattern);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs all statements; the answer of the last that returns rows.
Answer run_script(const std::string& sql) {
  TableEnvironment session(program_registries());
  session.options().set("table.local-time-zone", "UTC");
  session.options().set("table.exec.mini-batch.enabled", "false");
  Answer last;
  for (const ScriptStatement& statement : split_script(sql)) {
    if (std::optional<Answer> answer = run_statement(session, statement)) last = std::move(*answer);
  }
  return last;
}

Verdict compare(const Expected& expected, const Answer& got) {
  std::vector<AnswerRow> wanted = expected.rows;
  std::vector<AnswerRow> rows = got.rows;
  if (expected.final_only) {
    wanted = fold(wanted);
    rows = fold(rows);
  } else if (expected.timer_fired) {
    std::sort(wanted.begin(), wanted.end());
    std::sort(rows.begin(), rows.end());
  }
  if (rows != wanted) {
    return {"rows", fmt::format("\n  wanted:{}\n  got:{}", lines_of(wanted), lines_of(rows))};
  }
  std::vector<std::string> types;
  for (const RowField& field : got.schema.fields()) types.push_back(flink_type(field.type, TypeSpelling::kGateway));
  if (got.schema.size() > 0 && types != expected.types) {
    return {"type", fmt::format("wanted {}; got {}", fmt::join(expected.types, ", "), fmt::join(types, ", "))};
  }
  if (got.columns != expected.names) {
    return {"column names",
            fmt::format("wanted {}; got {}", fmt::join(expected.names, ", "), fmt::join(got.columns, ", "))};
  }
  return {};
}

}  // namespace

std::vector<StreamingCase> read_streaming_cases(const std::string& folder) {
  std::vector<StreamingCase> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".sql") continue;
    const std::string stem = entry.path().stem().string();
    // 024_groupagg_having_goes_false: the group is a topic of one or two words.
    std::string group = stem.substr(4);
    for (const char* two :
         {"cdc_formats", "csv_decode", "csv_encode", "interval_join", "json_decode", "json_encode", "legacy_window",
          "raw_format", "sort_limit", "temporal_join", "updates_into", "window_join", "window_topn", "window_tvf"}) {
      if (group.starts_with(two)) group = two;
    }
    if (group == stem.substr(4)) group = group.substr(0, group.find('_'));
    out.push_back({stem, group, entry.path().string(), folder + "/" + stem + ".expected.jsonl"});
  }
  std::sort(out.begin(), out.end(), [](const StreamingCase& a, const StreamingCase& b) { return a.id < b.id; });
  return out;
}

Verdict run_streaming_case(const StreamingCase& one, const std::string& data) {
  const Expected expected = read_expected(one.expected_path);
  const TemporaryFolder out;
  std::string sql = read_text(one.sql_path);
  replace_all(sql, "${DATA}", data);
  replace_all(sql, "${OUT}", out.path());
  std::string error;
  try {
    const Answer got = run_script(sql);
    if (!expected.error.empty()) {
      return {"no error", fmt::format("wanted {}; got:{}", expected.error, lines_of(got.rows))};
    }
    return compare(expected, got);
  } catch (const Error& failure) {
    error = failure.to_string();
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  if (is_missing_feature(error)) return {"not supported", error};
  if (!expected.error.empty()) return {};
  return {"error", error};
}

}  // namespace yeoul
