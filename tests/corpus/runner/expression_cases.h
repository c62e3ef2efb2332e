#pragma once

#include <memory>
#include <string>
#include <vector>

#include "verdict.h"

namespace yeoul {

/// One fact about an expression; the fields are told in tests/corpus/README.md.
struct ExpressionCase {
  std::string id;
  std::string group;
  std::string expression;
  std::string from;  ///< empty: a constant
  std::string row_id;
  std::string zone;
  std::string type;
  bool is_column = false;
  bool is_statement = false;
  bool fails = false;
  std::string error;
  std::vector<std::string> values;  ///< one, or the sorted rows of a statement; "NULL" stands for NULL
};

std::vector<ExpressionCase> read_expression_cases(const std::string& path);

/// Runs facts; one query answers all facts about the same expression over the same rows.
class ExpressionRunner {
 public:
  ExpressionRunner();
  ~ExpressionRunner();
  Verdict run(const ExpressionCase& one);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace yeoul
