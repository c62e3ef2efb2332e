#include "expression_cases.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <map>

#include "flink_type.h"
#include "statement_run.h"

namespace yeoul {
namespace {

std::string text_of(const simdjson::dom::element& object, const char* key) {
  std::string_view value;
  return object[key].get_string().get(value) == simdjson::SUCCESS ? std::string(value) : "";
}

std::string value_text(const simdjson::dom::element& value) {
  return value.is_null() ? "NULL" : fmt::format("'{}'", std::string_view(value.get_string().value()));
}

ExpressionCase read_case(const simdjson::dom::element& object) {
  ExpressionCase out{.id = fmt::format("expr:{}", object["id"].get_int64().value()),
                     .group = text_of(object, "group"),
                     .expression = text_of(object, "expr"),
                     .from = text_of(object, "from"),
                     .zone = text_of(object, "tz"),
                     .type = text_of(object, "type")};
  int64_t row_id = 0;
  if (object["rid"].get_int64().get(row_id) == simdjson::SUCCESS) out.row_id = std::to_string(row_id);
  out.is_column = text_of(object, "form") == "column";
  bool statement = false;
  out.is_statement = object["statement"].get_bool().get(statement) == simdjson::SUCCESS && statement;
  out.error = text_of(object, "error");
  out.fails = !out.error.empty();
  simdjson::dom::array list;
  if (object["value"].get_array().get(list) == simdjson::SUCCESS) {
    for (const simdjson::dom::element value : list) out.values.push_back(value_text(value));
    std::sort(out.values.begin(), out.values.end());
  } else {
    out.values.push_back(value_text(object["value"].value()));
  }
  return out;
}

std::string without_not_null(std::string type) {
  if (type.ends_with(" NOT NULL")) type.resize(type.size() - 9);
  return type;
}

std::string cell_text(const Cell& cell) {
  return cell ? fmt::format("'{}'", *cell) : "NULL";
}

}  // namespace

struct ExpressionRunner::Impl {
  /// A query's answer: the type of its first column, and that column by row id (or all of them, sorted, under "").
  struct QueryAnswer {
    std::string error;
    std::string type;
    std::map<std::string, std::vector<std::string>> values;
  };

  std::shared_ptr<const Registries> registries = program_registries();
  std::map<std::string, QueryAnswer> answers;

  const QueryAnswer& answer(const ExpressionCase& one) {
    std::string sql = one.expression;
    if (!one.is_statement) sql = "SELECT " + one.expression;
    if (!one.from.empty()) sql += ", rid FROM " + one.from;
    const auto [it, is_new] = answers.try_emplace(one.zone + "\n" + sql);
    if (is_new) it->second = query(one.zone, sql);
    return it->second;
  }

  QueryAnswer query(const std::string& zone, const std::string& sql) const {
    QueryAnswer out;
    try {
      TableEnvironment session(registries);
      session.options().set("table.local-time-zone", zone);
      session.options().set("table.exec.mini-batch.enabled", "false");
      const std::optional<Answer> answer = run_statement(session, {.text = sql});
      if (!answer || answer->schema.size() == 0) throw user_error(9100, "not a query");
      out.type = flink_type(answer->schema[0].type, TypeSpelling::kSummary);
      for (const AnswerRow& row : answer->rows) {
        const std::string id = row.cells.size() > 1 ? row.cells.back().value_or("") : "";
        out.values[id].push_back(cell_text(row.cells[0]));
      }
      for (auto& [id, values] : out.values) std::sort(values.begin(), values.end());
    } catch (const Error& error) {
      out.error = error.to_string();
    } catch (const std::exception& error) {
      out.error = error.what();
    }
    return out;
  }
};

ExpressionRunner::ExpressionRunner() : impl_(std::make_unique<Impl>()) {}
ExpressionRunner::~ExpressionRunner() = default;

Verdict ExpressionRunner::run(const ExpressionCase& one) {
  const Impl::QueryAnswer& got = impl_->answer(one);
  const std::string where = fmt::format("{}{}{}", one.expression, one.from.empty() ? "" : " FROM ", one.from);
  if (is_missing_feature(got.error)) return {"not supported", fmt::format("{}: {}", where, got.error)};
  if (!got.error.empty()) {
    if (one.fails) return {};
    return {"error", fmt::format("{}: wanted {}, got error {}", where, fmt::join(one.values, " "), got.error)};
  }
  const auto it = got.values.find(one.row_id);
  const std::vector<std::string> values = it == got.values.end() ? std::vector<std::string>() : it->second;
  if (one.fails) return {"no error", fmt::format("{}: got {}, wanted {}", where, fmt::join(values, " "), one.error)};
  if (values != one.values) {
    return {"value", fmt::format("{}: wanted {}, got {}", where, fmt::join(one.values, " "), fmt::join(values, " "))};
  }
  const bool same = one.is_column ? without_not_null(one.type) == without_not_null(got.type) : one.type == got.type;
  return same ? Verdict{} : Verdict{"type", fmt::format("{}: wanted {}, got {}", where, one.type, got.type)};
}

std::vector<ExpressionCase> read_expression_cases(const std::string& path) {
  std::vector<ExpressionCase> out;
  simdjson::dom::parser parser;
  for (const simdjson::dom::element object : parser.load_many(path, 1 << 24)) out.push_back(read_case(object));
  return out;
}

}  // namespace yeoul
