#include "yeoul/table/table_result.h"

#include "yeoul/common/standard_files.h"
#include "yeoul/datastream/environment_state.h"
#include "yeoul/datastream/row_view.h"
#include "yeoul/engine/table_environment.h"

namespace yeoul {
TableResult::TableResult(StatementResult result) : result_(std::make_unique<StatementResult>(std::move(result))) {}
TableResult::TableResult(TableResult&&) noexcept = default;
TableResult& TableResult::operator=(TableResult&&) noexcept = default;
TableResult::~TableResult() = default;

Job* TableResult::job() const {
  return result_->job.get();
}

const Schema& TableResult::schema() const {
  return result_->schema;
}

void TableResult::wait() {
  if (result_->job) wait_for_success(*result_->job);
}

RowBatchPtr TableResult::next() {
  if (!result_->rows) return nullptr;
  for (;;) {
    if (RowBatchPtr batch = result_->rows->next(10)) return batch;
    if (result_->job->wait(0) < JobStatus::kCanceled) continue;
    if (RowBatchPtr batch = result_->rows->next(0)) return batch;
    wait_for_success(*result_->job);
    return nullptr;
  }
}

void TableResult::print() {
  std::string out;
  if (result_->kind == StatementResult::Kind::kTable) {
    for (const std::vector<std::string>& row : result_->table.rows) out += fmt::format("{}\n", fmt::join(row, " | "));
  } else if (result_->kind == StatementResult::Kind::kText) {
    out = result_->note + "\n";
  }
  print_to_standard_output(out);
  while (const RowBatchPtr batch = next()) {
    out.clear();
    for (size_t row = 0; row < batch->num_rows; ++row) out += to_string(RowView(*batch, row)) + "\n";
    print_to_standard_output(out);
  }
}

}  // namespace yeoul
