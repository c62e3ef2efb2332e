#pragma once

#include <string>
#include <vector>

#include "test_connector.h"

namespace yeoul {

/// "+I a 1".
std::string to_line(const ResultRow& row);
std::vector<std::string> to_lines(const std::vector<ResultRow>& rows);

/// The rows that a changelog leaves, as sorted "+I …" lines. With keys, a row takes the place of its key's.
/// A row that was taken back more often than given stays as a line that begins with "too many -D".
std::vector<std::string> fold(const std::vector<ResultRow>& rows);
/// Rows of an expectation; without keys.
std::vector<ResultRow> from_lines(const std::vector<std::string>& lines);

/// Whether all rows that `part` adds, `whole` adds too (as often).
bool adds_no_other_rows(const std::vector<ResultRow>& part, const std::vector<ResultRow>& whole);

}  // namespace yeoul
