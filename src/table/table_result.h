#pragma once

#include <memory>
#include <string>

#include "yeoul/runtime/job.h"
#include "yeoul/types/batch.h"

namespace yeoul {

struct StatementResult;

/// What a statement gave (Flink's TableResult). Dropping it cancels its job where that still runs. Threads: one.
class TableResult {
 public:
  explicit TableResult(StatementResult result);
  TableResult(TableResult&&) noexcept;
  TableResult& operator=(TableResult&&) noexcept;
  ~TableResult();

  /// The job of an INSERT, statement set or SELECT; null for other statements.
  Job* job() const;
  /// Waits for the end of an INSERT's job. @throws what failed it
  void wait();
  /// Columns of a SELECT.
  const Schema& schema() const;
  /// The next rows of a SELECT, each with its kind; null at the end. @throws what failed the job
  RowBatchPtr next();
  /// Prints rows as "+I[ana, 1]", tables of SHOW and DESCRIBE, texts of EXPLAIN; waits for the end of a SELECT.
  void print();

 private:
  std::unique_ptr<StatementResult> result_;
};

}  // namespace yeoul
