#include <algorithm>

#include "yeoul/common/utf8.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/regular_expression.h"
#include "yeoul/sql/functions/result_types.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

ColumnPtr char_length(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_cells<int32_t>(call, arguments, n,
                              [&](size_t i) -> int32_t { return static_cast<int32_t>(utf8_length(in[i])); });
}

/// The place (from 1) in `text` of `part`'s nth occurrence, searching from character `start`, backwards where that is
/// negative; 0 when there is none. An empty part is at 1.
int32_t place_of(std::string_view text, std::string_view part, int64_t start, int64_t occurrence) {
  if (start == 0 || occurrence < 1) return 0;
  if (part.empty()) return 1;
  std::vector<size_t> found;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + utf8_width(text[at]))) {
    found.push_back(utf8_length(text.substr(0, at)) + 1);
  }
  const auto length = static_cast<int64_t>(utf8_length(text));
  if (start < 0) {
    const int64_t last = length + start + 1;
    for (auto it = found.rbegin(); it != found.rend(); ++it) {
      if (static_cast<int64_t>(*it) <= last && --occurrence == 0) return static_cast<int32_t>(*it);
    }
    return 0;
  }
  for (const size_t place : found) {
    if (static_cast<int64_t>(place) >= start && --occurrence == 0) return static_cast<int32_t>(place);
  }
  return 0;
}

/// part, text[, start]
ColumnPtr position(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader part(arguments[0]);
  const StringReader text(arguments[1]);
  std::optional<CellReader<int32_t>> start;
  if (arguments.size() > 2) start.emplace(arguments[2]);
  return write_cells<int32_t>(call, arguments, n,
                              [&](size_t i) { return place_of(text[i], part[i], start ? (*start)[i] : 1, 1); });
}

/// text, part[, start[, occurrence]]
ColumnPtr instr(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const StringReader part(arguments[1]);
  std::optional<CellReader<int32_t>> start;
  std::optional<CellReader<int32_t>> occurrence;
  if (arguments.size() > 2) start.emplace(arguments[2]);
  if (arguments.size() > 3) occurrence.emplace(arguments[3]);
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) {
    return place_of(text[i], part[i], start ? (*start)[i] : 1, occurrence ? (*occurrence)[i] : 1);
  });
}

template <bool kStart>
ColumnPtr has_edge(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const StringReader part(arguments[1]);
  return write_cells<uint8_t>(call, arguments, n, [&](size_t i) -> uint8_t {
    return kStart ? text[i].starts_with(part[i]) : text[i].ends_with(part[i]);
  });
}

/// The parts of a text between whole separators; empty ones count.
std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  if (separator.empty()) return {text};
  size_t at = 0;
  while (true) {
    const size_t found = text.find(separator, at);
    parts.push_back(text.substr(at, found == std::string_view::npos ? found : found - at));
    if (found == std::string_view::npos) return parts;
    at = found + separator.size();
  }
}

ColumnPtr split_index(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const CellReader<int32_t> index(arguments[2]);
  const bool by_code = !arguments[1].column->type().is_string();
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    if (index[i] < 0 || text[i].empty()) return false;
    std::string separator;
    if (by_code) {
      append_utf8(static_cast<uint32_t>(CellReader<int32_t>(arguments[1])[i]), separator);
    } else {
      separator = StringReader(arguments[1])[i];
    }
    const std::vector<std::string_view> parts = parts_of(text[i], separator);
    if (static_cast<size_t>(index[i]) >= parts.size()) return false;
    append_bytes(out, parts[static_cast<size_t>(index[i])]);
    return true;
  });
}

ColumnPtr split(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const StringReader separator(arguments[1]);
  const std::shared_ptr<Column> validity = result_column(call, arguments, n);
  ColumnBuilder builder(call.type);
  for (size_t i = 0; i < n; ++i) {
    if (validity->is_null(i)) {
      builder.append_null();
      continue;
    }
    if (separator[i].empty()) {
      for (size_t at = 0; at < text[i].size(); at += utf8_width(text[i][at])) {
        builder.child(0).append_string(text[i].substr(at, utf8_width(text[i][at])));
      }
    } else if (!text[i].empty()) {
      for (const std::string_view part : parts_of(text[i], separator[i])) builder.child(0).append_string(part);
    }
    builder.finish_list();
  }
  return builder.finish();
}

LogicalType type_string_map(std::span<const ExpressionPtr>) {
  return LogicalType::map(LogicalType::string(), LogicalType::string());
}

/// Delimiters are regular expressions, as in Java's split.
std::vector<std::string_view> split_by_pattern(std::string_view text, const RegularExpression& pattern,
                                               size_t parts_max) {
  std::vector<std::string_view> parts;
  size_t at = 0;
  while (parts.size() + 1 < parts_max) {
    const auto match = pattern.find(text, at);
    if (match.empty() || match[0].end == match[0].begin) break;
    parts.push_back(text.substr(at, match[0].begin - at));
    at = match[0].end;
  }
  parts.push_back(text.substr(at));
  return parts;
}

/// text[, delimiter of entries[, delimiter of key and value]]
ColumnPtr str_to_map(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const std::shared_ptr<Column> validity = result_column(call, arguments, n);
  RegularExpressionCache cache;
  const auto delimiter = [&](size_t argument, size_t i, std::string_view otherwise) {
    return cache.get(arguments.size() > argument ? StringReader(arguments[argument])[i] : otherwise);
  };
  ColumnBuilder builder(call.type);
  for (size_t i = 0; i < n; ++i) {
    const RegularExpression* entries = validity->is_valid(i) ? delimiter(1, i, ",") : nullptr;
    const RegularExpression* pairs = entries != nullptr ? delimiter(2, i, "=") : nullptr;
    if (pairs == nullptr) {
      builder.append_null();
      continue;
    }
    std::vector<std::pair<std::string_view, std::optional<std::string_view>>> cells;
    if (!text[i].empty()) {
      for (const std::string_view entry : split_by_pattern(text[i], *entries, text[i].size() + 2)) {
        const std::vector<std::string_view> pair = split_by_pattern(entry, *pairs, 2);
        std::optional<std::string_view> value;
        if (pair.size() > 1) value = pair[1];
        const auto known = std::find_if(cells.begin(), cells.end(), [&](const auto& c) { return c.first == pair[0]; });
        if (known != cells.end()) {
          known->second = value;
        } else {
          cells.emplace_back(pair[0], value);
        }
      }
    }
    for (const auto& [key, value] : cells) {
      builder.child(0).append_string(key);
      value ? builder.child(1).append_string(*value) : builder.child(1).append_null();
    }
    builder.finish_list();
  }
  return builder.finish();
}

/// index, text, text, …
ColumnPtr elt(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const IntegerReader index(arguments[0]);
  return write_strings(call, arguments.first(1), n, [&](size_t i, Buffer& out) {
    if (index[i] < 1 || index[i] >= static_cast<int64_t>(arguments.size())) return false;
    const Argument& chosen = arguments[static_cast<size_t>(index[i])];
    if (chosen.column->is_null(chosen.row(i))) return false;
    append_bytes(out, chosen.column->string_at(chosen.row(i)));
    return true;
  });
}

ExpressionPtr resolve_elt(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  if (arguments.size() < 2 || !arguments[0]->type.is_integer()) fail_arguments(function.name, arguments);
  LogicalType type = arguments[1]->type;
  for (size_t i = 1; i < arguments.size(); ++i) {
    LogicalType next;
    if (!find_common_type(type, arguments[i]->type, next) || (!next.is_string() && !next.is_binary())) {
      fail_arguments(function.name, arguments, "'ELT(<INTEGER>, <STRING>, ...)'");
    }
    type = next;
  }
  return make_kernel_call(function.name, type.as_nullable(), elt, std::move(arguments));
}

/// The first byte as a signed number.
ColumnPtr ascii(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_cells<int32_t>(call, arguments, n,
                              [&](size_t i) -> int32_t { return in[i].empty() ? 0 : static_cast<int8_t>(in[i][0]); });
}

ColumnPtr chr(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int64_t> in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    if (in[i] < 0) return true;
    std::string text;
    append_utf8(static_cast<uint32_t>(in[i] & 0xff), text);
    append_bytes(out, text);
    return true;
  });
}

constexpr ResultType kIntResult = type_of_root<TypeRoot::kInteger>;
constexpr ResultType kBooleanResult = type_of_root<TypeRoot::kBoolean>;

constexpr Function kStringPositionFunctions[] = {
    {"CHAR_LENGTH", "s", kIntResult, char_length},
    {"CHARACTER_LENGTH", "s", kIntResult, char_length},
    {"POSITION", "ss?i", kIntResult, position},
    {"LOCATE", "ss?i", kIntResult, position},
    {"INSTR", "ss?ii", kIntResult, instr},
    {"STARTSWITH", "ss|yy", kBooleanResult, has_edge<true>},
    {"ENDSWITH", "ss|yy", kBooleanResult, has_edge<false>},
    {"SPLIT_INDEX", "ssi|sii", type_string, split_index, NullRule::kNullable},
    {"SPLIT", "ss", type_string_array, split},
    {"STR_TO_MAP", "s?ss", type_string_map, str_to_map, NullRule::kNullable},
    {.name = "ELT", .resolver = resolve_elt},
    {"ASCII", "s", kIntResult, ascii},
    {"CHR", "l", type_string, chr, NullRule::kNullable},
};

}  // namespace

std::span<const Function> string_position_functions() {
  return kStringPositionFunctions;
}

}  // namespace yeoul
