#include "statement_run.h"

#include <fmt/format.h>

#include "yeoul/builtins/builtins.h"
#include "yeoul/types/row_kind.h"
#include "yeoul/types/text.h"

namespace yeoul {
namespace {

bool is_ended(JobStatus status) {
  return status == JobStatus::kFinished || status == JobStatus::kFailed || status == JobStatus::kCanceled;
}

/// The gateway shows binaries as literals, not as their cast.
std::string hex_text(std::string_view bytes) {
  std::string out = "x'";
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<uint8_t>(c));
  return out + "'";
}

void append_rows(const RowBatch& batch, const TimeZone& zone, std::vector<AnswerRow>& out) {
  for (size_t row = 0; row < batch.num_rows; ++row) {
    AnswerRow answer{.op = std::string(short_name(batch.kind(row)))};
    for (const ColumnPtr& column : batch.columns) {
      if (column->is_null(row)) {
        answer.cells.emplace_back();
        continue;
      }
      std::string text;
      if (column->type().is_binary()) {
        text = hex_text(column->string_at(row));
      } else {
        append_text(*column, row, zone, text);
      }
      answer.cells.emplace_back(std::move(text));
    }
    out.push_back(std::move(answer));
  }
}

void run_to_end(StatementResult& result, const TimeZone& zone, int64_t timeout_ms, std::vector<AnswerRow>& rows) {
  const int64_t deadline_ns = system_clock().steady_ns() + timeout_ms * 1'000'000;
  const auto take = [&](int64_t wait_ms) {
    const RowBatchPtr batch = result.rows ? result.rows->next(wait_ms) : nullptr;
    if (batch) append_rows(*batch, zone, rows);
    return batch != nullptr;
  };
  bool late = false;
  while (!is_ended(result.job->wait(0))) {
    if (result.rows) {
      while (take(1)) {
      }
    } else {
      result.job->wait(1);
    }
    if (!late && system_clock().steady_ns() > deadline_ns) {
      late = true;
      result.job->cancel();
    }
  }
  while (take(0)) {
  }
  if (result.job->failure()) std::rethrow_exception(result.job->failure());
  if (late) throw user_error(9101, "no end after {} ms", timeout_ms);
}

Answer table_answer(const TextTable& table) {
  Answer answer{.columns = table.columns};
  for (const auto& row : table.rows) {
    AnswerRow out{.op = "+I"};
    for (const std::string& cell : row) out.cells.push_back(cell == "NULL" ? Cell() : Cell(cell));
    answer.rows.push_back(std::move(out));
  }
  return answer;
}

}  // namespace

std::shared_ptr<const Registries> program_registries() {
  auto out = std::make_shared<Registries>();
  register_connectors(out->connectors);
  register_formats(out->formats);
  register_state_backends(out->state_backends);
  return out;
}

std::optional<Answer> run_statement(TableEnvironment& session, const ScriptStatement& statement, int64_t timeout_ms) {
  StatementResult result = session.execute(statement);
  switch (result.kind) {
    case StatementResult::Kind::kOk:
      return std::nullopt;
    case StatementResult::Kind::kTable:
      return table_answer(result.table);
    case StatementResult::Kind::kText:
      return Answer{.columns = {"result"}, .rows = {{.op = "+I", .cells = {Cell(result.note)}}}};
    case StatementResult::Kind::kJob: {
      std::vector<AnswerRow> none;
      run_to_end(result, session.options().zone(), timeout_ms, none);
      return std::nullopt;
    }
    case StatementResult::Kind::kQuery:
      break;
  }
  Answer answer{.schema = result.schema};
  for (const RowField& field : result.schema.fields()) answer.columns.push_back(field.name);
  run_to_end(result, session.options().zone(), timeout_ms, answer.rows);
  return answer;
}

std::string to_text(const AnswerRow& row) {
  std::string out = row.op + " [";
  for (size_t i = 0; i < row.cells.size(); ++i) {
    if (i > 0) out += ", ";
    out += row.cells[i] ? fmt::format("'{}'", *row.cells[i]) : "NULL";
  }
  return out + "]";
}

}  // namespace yeoul
