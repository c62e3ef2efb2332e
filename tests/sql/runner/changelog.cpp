#include "changelog.h"

#include <algorithm>
#include <map>

namespace yeoul {

std::string to_line(const ResultRow& row) {
  return std::string(short_name(row.kind)) + " " + row.cells;
}

std::vector<std::string> to_lines(const std::vector<ResultRow>& rows) {
  std::vector<std::string> out;
  for (const ResultRow& row : rows) out.push_back(to_line(row));
  return out;
}

std::vector<std::string> fold(const std::vector<ResultRow>& rows) {
  std::map<std::string, int> counts;
  std::map<std::string, std::string> by_key;
  for (const ResultRow& row : rows) {
    if (row.key.empty()) {
      counts[row.cells] += is_retraction(row.kind) ? -1 : 1;
    } else if (is_retraction(row.kind)) {
      by_key.erase(row.key);
    } else {
      by_key[row.key] = row.cells;
    }
  }
  std::vector<std::string> out;
  for (const auto& [key, cells] : by_key) out.push_back("+I " + cells);
  for (const auto& [cells, count] : counts) {
    for (int i = 0; i < count; ++i) out.push_back("+I " + cells);
    for (int i = count; i < 0; ++i) out.push_back("too many -D " + cells);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<ResultRow> from_lines(const std::vector<std::string>& lines) {
  std::vector<ResultRow> out;
  for (const std::string& line : lines) {
    ResultRow row{.cells = line.size() > 3 ? line.substr(3) : ""};
    for (const RowKind kind : {RowKind::kInsert, RowKind::kUpdateBefore, RowKind::kUpdateAfter, RowKind::kDelete}) {
      if (line.starts_with(short_name(kind))) row.kind = kind;
    }
    out.push_back(std::move(row));
  }
  return out;
}

bool adds_no_other_rows(const std::vector<ResultRow>& part, const std::vector<ResultRow>& whole) {
  std::map<std::string, int> counts;
  for (const ResultRow& row : whole) counts[row.cells] += is_retraction(row.kind) ? 0 : 1;
  return std::all_of(part.begin(), part.end(),
                     [&](const ResultRow& row) { return is_retraction(row.kind) || --counts[row.cells] >= 0; });
}

}  // namespace yeoul
