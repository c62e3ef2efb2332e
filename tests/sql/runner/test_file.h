#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yeoul {

/// A table of a test file: `input t (k STRING)` with its rows, or `sink s (k STRING) [insert-only]`.
struct TestTable {
  std::string name;
  std::string columns;  ///< with the parentheses
  bool is_sink = false;
  bool insert_only = false;
  /// Rows between `!checkpoint` markers, a line a row as row_literal.h reads it.
  std::vector<std::vector<std::string>> segments{{}};
};

/// Lines of a file, to be rewritten by --bless.
struct LineRange {
  size_t first = 0;  ///< counts from 0
  size_t count = 0;
};

/// Rows that are expected: of the query, or of one sink.
struct Expectation {
  std::string sink;  ///< empty: the query's, or a statement's text
  std::vector<std::string> lines;
  LineRange range;
};

/// One thing that a file asks to be run.
struct TestBlock {
  enum class Kind : uint8_t { kStatement, kQuery, kInsert, kError };
  Kind kind = Kind::kStatement;
  size_t line = 1;     ///< of the directive; counts from 1
  bool final = false;  ///< rows folded and sorted, instead of the changelog
  std::string sql;
  std::string restored_sql;  ///< `---- restored as`: what runs after the first checkpoint; empty: the same
  std::vector<Expectation> expected;
  bool blessable = false;  ///< it has a `----` section
  int code = 0;            ///< kError
  std::string position;    ///< kError: "2:8", or empty
};

/// A parsed test file; the format is told in tests/sql/README.md.
struct TestFile {
  std::string path;
  std::vector<std::string> lines;
  std::vector<TestTable> tables;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<TestBlock> blocks;

  /// Segments of the input that has most of them.
  size_t num_segments() const;
};

/// @throws user error 9100 naming file and line.
TestFile parse_test_file(const std::string& path, const std::string& text);

}  // namespace yeoul
