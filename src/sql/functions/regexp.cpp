#include "yeoul/common/utf8.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/regular_expression.h"
#include "yeoul/sql/functions/result_types.h"

namespace yeoul {

namespace {

/// True where the pattern matches somewhere; a wrong or an empty pattern matches nowhere.
ColumnPtr regexp(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const StringReader pattern(arguments[1]);
  RegularExpressionCache cache;
  return write_cells<uint8_t>(call, arguments, n, [&](size_t i) -> uint8_t {
    const RegularExpression* regex = pattern[i].empty() ? nullptr : cache.get(pattern[i]);
    return regex != nullptr && !regex->find(text[i]).empty();
  });
}

/// text, pattern[, group]
ColumnPtr regexp_extract(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const StringReader pattern(arguments[1]);
  std::optional<CellReader<int32_t>> group;
  if (arguments.size() > 2) group.emplace(arguments[2]);
  RegularExpressionCache cache;
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const RegularExpression* regex = cache.get(pattern[i]);
    const int32_t wanted = group ? (*group)[i] : 0;
    if (regex == nullptr || wanted < 0 || static_cast<size_t>(wanted) > regex->num_groups()) return false;
    const auto match = regex->find(text[i]);
    if (match.empty() || !match[static_cast<size_t>(wanted)].present()) return false;
    const auto span = match[static_cast<size_t>(wanted)];
    append_bytes(out, text[i].substr(span.begin, span.end - span.begin));
    return true;
  });
}

/// Calls f(match) for each match from left to right.
template <class F>
void for_each_match(const RegularExpression& regex, std::string_view text, F f) {
  size_t at = 0;
  while (at <= text.size()) {
    const auto match = regex.find(text, at);
    if (match.empty()) return;
    f(match);
    at = match[0].end;
    if (match[0].end == match[0].begin) at += at < text.size() ? utf8_width(text[at]) : 1;
  }
}

/// The replacement is taken literally.
ColumnPtr regexp_replace(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const StringReader pattern(arguments[1]);
  const StringReader replacement(arguments[2]);
  RegularExpressionCache cache;
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const RegularExpression* regex = cache.get(pattern[i]);
    if (regex == nullptr) return false;
    size_t copied = 0;
    for_each_match(*regex, text[i], [&](const auto& match) {
      append_bytes(out, text[i].substr(copied, match[0].begin - copied));
      append_bytes(out, replacement[i]);
      copied = match[0].end;
    });
    append_bytes(out, text[i].substr(copied));
    return true;
  });
}

ColumnPtr regexp_count(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const StringReader pattern(arguments[1]);
  RegularExpressionCache cache;
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> std::optional<int32_t> {
    const RegularExpression* regex = cache.get(pattern[i]);
    if (regex == nullptr) return std::nullopt;
    int32_t count = 0;
    for_each_match(*regex, text[i], [&](const auto&) { ++count; });
    return count;
  });
}

ColumnPtr regexp_instr(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const StringReader pattern(arguments[1]);
  RegularExpressionCache cache;
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> std::optional<int32_t> {
    const RegularExpression* regex = cache.get(pattern[i]);
    if (regex == nullptr) return std::nullopt;
    const auto match = regex->find(text[i]);
    return match.empty() ? 0 : static_cast<int32_t>(utf16_length(text[i].substr(0, match[0].begin)) + 1);
  });
}

/// text, pattern[, group]: the group of every match; 1 where none is given.
ColumnPtr regexp_extract_all(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const StringReader pattern(arguments[1]);
  std::optional<CellReader<int32_t>> group;
  if (arguments.size() > 2) group.emplace(arguments[2]);
  const std::shared_ptr<Column> validity = result_column(call, arguments, n);
  RegularExpressionCache cache;
  ColumnBuilder builder(call.type);
  for (size_t i = 0; i < n; ++i) {
    const RegularExpression* regex = validity->is_valid(i) ? cache.get(pattern[i]) : nullptr;
    const int32_t wanted = group ? (*group)[i] : 1;
    if (regex == nullptr || wanted < 0 || static_cast<size_t>(wanted) > regex->num_groups()) {
      builder.append_null();
      continue;
    }
    for_each_match(*regex, text[i], [&](const auto& match) {
      const auto span = match[static_cast<size_t>(wanted)];
      if (span.present()) {
        builder.child(0).append_string(text[i].substr(span.begin, span.end - span.begin));
      } else {
        builder.child(0).append_null();
      }
    });
    builder.finish_list();
  }
  return builder.finish();
}

constexpr ResultType kIntOfRegexp = type_of_root<TypeRoot::kInteger>;

constexpr Function kRegexpFunctions[] = {
    {"REGEXP", "ss", type_of_root<TypeRoot::kBoolean>, regexp},
    {"REGEXP_EXTRACT", "ss?i", type_string, regexp_extract, NullRule::kNullable},
    {"REGEXP_SUBSTR", "ss", type_string, regexp_extract, NullRule::kNullable},
    {"REGEXP_REPLACE", "sss", type_string, regexp_replace},
    {"REGEXP_COUNT", "ss", kIntOfRegexp, regexp_count, NullRule::kNullable},
    {"REGEXP_INSTR", "ss", kIntOfRegexp, regexp_instr, NullRule::kNullable},
    {"REGEXP_EXTRACT_ALL", "ss?i", type_string_array, regexp_extract_all, NullRule::kNullable},
};

}  // namespace

std::span<const Function> regexp_functions() {
  return kRegexpFunctions;
}

}  // namespace yeoul
