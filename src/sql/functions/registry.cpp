#include "yeoul/sql/functions/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "yeoul/common/options.h"
#include "yeoul/sql/functions/aggregate_call.h"

namespace yeoul {

namespace {

using FunctionTable = std::unordered_map<std::string_view, const Function*>;

const FunctionTable& function_table() {
  static const FunctionTable kTable = [] {
    FunctionTable table;
    for (const std::span<const Function> group : {arithmetic_functions(),
                                                  comparison_functions(),
                                                  logic_functions(),
                                                  conditional_functions(),
                                                  like_functions(),
                                                  string_functions(),
                                                  string_position_functions(),
                                                  string_encoding_functions(),
                                                  string_format_functions(),
                                                  regexp_functions(),
                                                  random_functions(),
                                                  datetime_arithmetic_functions(),
                                                  datetime_functions(),
                                                  datetime_format_functions(),
                                                  datetime_part_functions(),
                                                  math_functions(),
                                                  rounding_functions(),
                                                  json_query_functions(),
                                                  json_construct_functions(),
                                                  collection_functions(),
                                                  collection_set_functions()}) {
      for (const Function& function : group) table.emplace(function.name, &function);
    }
    return table;
  }();
  return kTable;
}

bool is_word(std::string_view name) {
  return !name.empty() && name.find(' ') == std::string_view::npos && std::isalpha(static_cast<unsigned char>(name[0]));
}

constexpr std::string_view kAggregates[] = {"ARRAY_AGG",  "AVG", "COUNT", "FIRST_VALUE",
                                            "LAST_VALUE", "MAX", "MIN",   "SUM"};

/// Fits one argument to one signature letter; nothing where it does not fit.
ExpressionPtr fit_argument(char letter, const ExpressionPtr& argument) {
  const LogicalType& type = argument->type;
  if (type.is(TypeRoot::kNull)) return nullptr;
  switch (letter) {
    case 's':
      return type.is_string() ? argument : nullptr;
    case 'y':
      return type.is_binary() ? argument : nullptr;
    case 'i':
      return type.is_integer() ? make_cast(argument, LogicalType::integer()) : nullptr;
    case 'l':
      return type.is_integer() ? make_cast(argument, LogicalType::bigint()) : nullptr;
    case 'x':
      return type.is_integer() || type.is(TypeRoot::kDecimal) ? argument : nullptr;
    case 'n':
      return type.is_numeric() ? argument : nullptr;
    case 'd':
      return type.is_numeric() ? make_cast(argument, LogicalType::double_()) : nullptr;
    case 'b':
      return type.is(TypeRoot::kBoolean) ? argument : nullptr;
    case 'D':
      return type.is(TypeRoot::kDate) ? argument : nullptr;
    case 'T':
      return type.is_timestamp() ? argument : nullptr;
    case 'A':
      return type.is(TypeRoot::kArray) ? argument : nullptr;
    case 'M':
      return type.is(TypeRoot::kMap) ? argument : nullptr;
    default:
      return argument;
  }
}

bool fit_signature(std::string_view signature, const Arguments& given, Arguments& fitted) {
  fitted.clear();
  bool optional = false;
  size_t at = 0;
  char letter = 0;
  bool repeats = false;
  while (true) {
    if (at < signature.size() && signature[at] == '?') {
      optional = true;
      ++at;
    }
    if (at < signature.size()) {
      letter = signature[at++];
      if (at < signature.size() && signature[at] == '*') {
        repeats = true;
        optional = true;
        ++at;
      }
    } else if (!repeats) {
      return fitted.size() == given.size();
    }
    if (fitted.size() == given.size()) return optional;
    ExpressionPtr argument = fit_argument(letter, given[fitted.size()]);
    if (!argument) return false;
    fitted.push_back(std::move(argument));
  }
}

LogicalType with_null_rule(const Function& function, LogicalType type, const Arguments& arguments) {
  switch (function.nulls) {
    case NullRule::kNullable:
      return type.as_nullable();
    case NullRule::kNotNull:
      return type.not_null();
    case NullRule::kAnyArgument:
      break;
  }
  return type.as_nullable(any_nullable(arguments));
}

ExpressionPtr resolve_by_signature(const Function& function, Arguments arguments) {
  std::string_view rest = function.signature;
  Arguments fitted;
  while (true) {
    const size_t bar = rest.find('|');
    if (fit_signature(rest.substr(0, bar), arguments, fitted)) {
      LogicalType type = with_null_rule(function, function.result(fitted), fitted);
      return make_kernel_call(function.name, std::move(type), function.kernel, std::move(fitted), function.can_fail,
                              function.deterministic);
    }
    if (bar == std::string_view::npos) break;
    rest.remove_prefix(bar + 1);
  }
  refuse_null_literals(function.name, arguments);
  fail_arguments(function.name, arguments);
}

/// Functions of Flink 2.3 that are not here yet, sorted.
constexpr std::string_view kToCome[] = {
    "APPROX_COUNT_DISTINCT",
    "COLLECT",
    "CUME_DIST",
    "CURRENT_DATABASE",
    "CURRENT_WATERMARK",
    "DENSE_RANK",
    "GROUPING",
    "GROUPING_ID",
    "GROUP_ID",
    "HOP",
    "HOP_END",
    "HOP_PROCTIME",
    "HOP_ROWTIME",
    "HOP_START",
    "LAG",
    "LEAD",
    "LISTAGG",
    "NTILE",
    "OBJECT_OF",
    "OBJECT_UPDATE",
    "PARSE_JSON",
    "PERCENTILE",
    "PERCENT_RANK",
    "RANK",
    "ROW_NUMBER",
    "SESSION",
    "SESSION_END",
    "SESSION_PROCTIME",
    "SESSION_ROWTIME",
    "SESSION_START",
    "SINGLE_VALUE",
    "SOURCE_WATERMARK",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "TRY_PARSE_JSON",
    "TUMBLE",
    "TUMBLE_END",
    "TUMBLE_PROCTIME",
    "TUMBLE_ROWTIME",
    "TUMBLE_START",
    "VARIANCE",
    "VAR_POP",
    "VAR_SAMP",
};

}  // namespace

const Function* find_function(std::string_view name) {
  const auto found = function_table().find(name);
  return found == function_table().end() ? nullptr : found->second;
}

bool is_scalar_function(std::string_view name) {
  return find_function(name) != nullptr;
}

bool is_aggregate_function(std::string_view name) {
  return std::find(std::begin(kAggregates), std::end(kAggregates), name) != std::end(kAggregates);
}

std::vector<std::string> function_names() {
  std::vector<std::string> names(std::begin(kAggregates), std::end(kAggregates));
  for (const auto& [name, function] : function_table()) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

ExpressionPtr make_call(std::string_view name, std::vector<ExpressionPtr> arguments) {
  const Function* function = find_function(name);
  if (function == nullptr) {
    if (std::binary_search(std::begin(kToCome), std::end(kToCome), name)) {
      throw user_error(1199, "Flink's function {} is not supported yet; SHOW FUNCTIONS lists those that are", name);
    }
    std::vector<std::string> words;
    for (std::string& known : function_names()) {
      if (is_word(known)) words.push_back(std::move(known));
    }
    const std::string nearest = nearest_name(name, words);
    throw user_error(
        1104, "No match found for function signature {}({}){}", name,
        [&] {
          std::string types;
          for (const ExpressionPtr& a : arguments) {
            types += fmt::format("{}<{}>", types.empty() ? "" : ", ", calcite_type_name(a->type));
          }
          return types;
        }(),
        nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
  }
  if (function->resolver != nullptr) return function->resolver(*function, std::move(arguments));
  return resolve_by_signature(*function, std::move(arguments));
}

std::string calcite_type_name(const LogicalType& type) {
  switch (type.root()) {
    case TypeRoot::kInteger:
      return "INTEGER";
    case TypeRoot::kVarchar:
      return fmt::format("VARCHAR({})", type.length());
    case TypeRoot::kVarbinary:
      return fmt::format("VARBINARY({})", type.length());
    case TypeRoot::kTimestampLtz:
      return fmt::format("TIMESTAMP_WITH_LOCAL_TIME_ZONE({})", type.precision());
    case TypeRoot::kArray:
      return calcite_type_name(type.child(0)) + " ARRAY";
    case TypeRoot::kMultiset:
      return calcite_type_name(type.child(0)) + " MULTISET";
    case TypeRoot::kMap:
      return fmt::format("({}, {}) MAP", calcite_type_name(type.child(0)), calcite_type_name(type.child(1)));
    case TypeRoot::kRow: {
      std::string text;
      for (const RowField& field : type.fields()) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", calcite_type_name(field.type), field.name);
      }
      return fmt::format("RecordType({})", text);
    }
    default:
      return type.as_nullable().to_string();
  }
}

void fail_arguments(std::string_view name, std::span<const ExpressionPtr> arguments, std::string_view supported) {
  std::string types;
  const bool infix = !is_word(name) && arguments.size() == 2;
  for (const ExpressionPtr& argument : arguments) {
    if (!types.empty()) types += infix ? fmt::format(" {} ", name) : std::string(", ");
    types += fmt::format("<{}>", calcite_type_name(argument->type));
  }
  if (!infix) types = fmt::format("{}({})", name, types);
  throw user_error(1103, "Cannot apply '{}' to arguments of type '{}'{}{}", name, types,
                   supported.empty() ? "" : ". Supported form(s): ", supported);
}

void refuse_null_literals(std::string_view name, std::span<const ExpressionPtr> arguments) {
  for (const ExpressionPtr& argument : arguments) {
    if (argument->type.is(TypeRoot::kNull)) {
      throw user_error(1103, "Illegal use of 'NULL' as an argument of {}: cast it to a type, such as CAST(NULL AS INT)",
                       name);
    }
  }
}

bool any_nullable(std::span<const ExpressionPtr> arguments) {
  for (const ExpressionPtr& argument : arguments) {
    if (argument->type.nullable()) return true;
  }
  return false;
}

bool is_integer_literal(const Expression& expression) {
  return expression.kind == Expression::Kind::kLiteral && expression.type.is_integer() && !expression.value.is_null();
}

std::string literal_keyword(const Expression& expression) {
  if (expression.kind != Expression::Kind::kLiteral || expression.value.is_null() || !expression.type.is_string()) {
    return {};
  }
  std::string text = expression.value.string();
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace yeoul
