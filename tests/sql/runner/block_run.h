#pragma once

#include <map>
#include <string>
#include <vector>

#include "test_connector.h"
#include "test_file.h"

namespace yeoul {

/// How a block is run.
struct Configuration {
  bool stopped = false;  ///< stopped and restored at every !checkpoint
  int parallelism = 1;
  int restored_parallelism = 1;  ///< of every second leg
  int batch_rows = 1024;
  bool folding = false;  ///< 'table.exec.mini-batch.enabled' unset; else false

  /// "stopped parallelism=1>2 batch-rows=1 mini-batch=off".
  std::string name() const;
  /// Rows come in one defined order.
  bool ordered() const { return parallelism == 1 && restored_parallelism == 1 && !folding; }
};

/// What a block gave: rows by sink ("" for a query), or lines of text.
struct BlockResult {
  std::map<std::string, std::vector<ResultRow>> rows;
  std::vector<std::string> text;
};

/// Runs a query or INSERT of a file in one configuration, in a session of its own for each leg.
/// @param folder  for checkpoints; new and empty
/// @throws Error as the statement or its job does; user error 9101 when a leg does not come to its end in time
BlockResult run_rows(const TestFile& file, const TestBlock& block, const Configuration& configuration,
                     const std::string& folder);

/// Runs a statement and gives its answer as lines: column names and rows separated by " | ", or the text.
BlockResult run_statement(const TestFile& file, const TestBlock& block);

}  // namespace yeoul
