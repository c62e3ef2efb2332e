#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yeoul/types/batch.h"

namespace yeoul {

/// A batch from text, for tests: a line a row, `<op> <cell> …`, cells separated by blanks, `.` is NULL, a cell with
/// blanks in 'single quotes' ('' is a quote). Values as append_text writes them, binaries as 0x0a1b, timestamps also
/// with a T between, TIMESTAMP_LTZ in UTC; strings inside collections hold none of `,=]})`. `rows(schema, "+I a 1\n-D b
/// .")`.
std::shared_ptr<RowBatch> rows(const Schema& schema, std::string_view text);
/// The live rows as such text, one line each; the inverse of rows().
std::vector<std::string> row_lines(const RowBatch& batch);

}  // namespace yeoul
