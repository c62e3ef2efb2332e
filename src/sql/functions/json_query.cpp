#include <optional>

#include "yeoul/sql/functions/json_path.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/result_types.h"

namespace yeoul {
namespace {

// Arguments of JSON_VALUE, JSON_QUERY and JSON_EXISTS, as the binder gives them.
constexpr size_t kInput = 0;
constexpr size_t kPath = 1;
constexpr size_t kOnEmpty = 2;       ///< NULL, ERROR, DEFAULT, EMPTY ARRAY, EMPTY OBJECT
constexpr size_t kEmptyDefault = 3;  ///< of JSON_VALUE; of JSON_QUERY the wrapper: WITHOUT, CONDITIONAL, UNCONDITIONAL
constexpr size_t kOnError = 4;
constexpr size_t kErrorDefault = 5;

/// The path of the row before is mostly that of the next, too.
class PathReader {
 public:
  explicit PathReader(const Argument& argument) : texts_(argument) {}
  const JsonPath& at(size_t i) {
    const std::string_view text = texts_[i];
    if (!path_ || text != text_) {
      text_ = text;
      path_.emplace(text);
    }
    return *path_;
  }

 private:
  StringReader texts_;
  std::string text_;
  std::optional<JsonPath> path_;
};

/// Looks the path up. Text that is no JSON is an error to a strict path and nothing to a lax one.
JsonPathResult look_up(std::string_view text, const JsonPath& path, JsonNode& root) {
  root = JsonNode();
  JsonPathResult out;
  std::string error;
  if (parse_json(text, root, error)) return path.find(root);
  if (path.lax()) return out;
  out.kind = JsonPathResult::Kind::kError;
  out.error = fmt::format("'{}' is no JSON: {}", text, error);
  return out;
}

bool is_null_row(std::span<const Argument> arguments, size_t i) {
  return arguments[kInput].column->is_null(arguments[kInput].row(i)) ||
         arguments[kPath].column->is_null(arguments[kPath].row(i));
}

std::string json_of(const JsonPathResult& found) {
  std::string out;
  if (found.kind == JsonPathResult::Kind::kNode) {
    append_json(*found.node, out);
    return out;
  }
  for (const JsonNode* node : found.list) {
    out += out.empty() ? "[" : ",";
    append_json(*node, out);
  }
  return out.empty() ? "[]" : out + "]";
}

/// What a JSON_VALUE or JSON_QUERY gives for a row.
enum class Outcome : uint8_t { kValue, kEmpty, kError };

/// Nothing found: to a strict path an error, though Flink calls it empty in lax ones only.
Outcome nothing(const JsonPath& path, JsonPathResult& found) {
  if (path.lax() && found.kind != JsonPathResult::Kind::kError) return Outcome::kEmpty;
  if (found.error.empty()) found.error = "the path finds no value";
  return Outcome::kError;
}

Outcome scalar_outcome(const JsonPath& path, JsonPathResult& found) {
  if (found.kind == JsonPathResult::Kind::kNode && found.node->is_scalar()) return Outcome::kValue;
  const bool container = found.kind == JsonPathResult::Kind::kNode || found.kind == JsonPathResult::Kind::kList;
  if (container) {
    found.error =
        fmt::format("Strict jsonpath mode requires scalar value, and the actual value is: '{}'", json_of(found));
  }
  return nothing(path, found);
}

/// Appends the scalar as the call's type; false where it is of another kind, since Flink does not convert.
bool append_scalar(const JsonNode& node, const LogicalType& type, ColumnBuilder& out) {
  using Kind = JsonNode::Kind;
  switch (type.root()) {
    case TypeRoot::kBoolean:
      if (node.kind != Kind::kTrue && node.kind != Kind::kFalse) return false;
      out.append(static_cast<uint8_t>(node.kind == Kind::kTrue));
      return true;
    case TypeRoot::kInteger: {
      if (node.kind != Kind::kInteger || node.text.size() > 11) return false;
      const int64_t value = std::strtoll(node.text.c_str(), nullptr, 10);
      if (value != static_cast<int32_t>(value)) return false;
      out.append(static_cast<int32_t>(value));
      return true;
    }
    case TypeRoot::kDouble:
      if (node.kind != Kind::kFraction) return false;
      out.append(std::strtod(node.text.c_str(), nullptr));
      return true;
    default:
      out.append_string(node.kind == Kind::kTrue ? "true" : node.kind == Kind::kFalse ? "false" : node.text);
      return true;
  }
}

std::string behavior(const Expression& call, size_t argument) {
  return literal_keyword(*call.arguments[argument]);
}

ColumnPtr json_value(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader input(arguments[kInput]);
  PathReader paths(arguments[kPath]);
  const std::string on[] = {behavior(call, kOnEmpty), behavior(call, kOnError)};
  ColumnBuilder out(call.type);
  JsonNode root;
  for (size_t i = 0; i < n; ++i) {
    if (is_null_row(arguments, i)) {
      out.append_null();
      continue;
    }
    const JsonPath& path = paths.at(i);
    JsonPathResult found = look_up(input[i], path, root);
    const Outcome outcome = scalar_outcome(path, found);
    if (outcome == Outcome::kValue) {
      if (append_scalar(*found.node, call.type, out)) continue;
      context.row_error(static_cast<uint32_t>(i), fmt::format("JSON_VALUE found {}, which is no {}", json_of(found),
                                                              call.type.as_nullable().to_string()));
      out.append_null();
      continue;
    }
    const bool empty = outcome == Outcome::kEmpty;
    const std::string& what = on[empty ? 0 : 1];
    if (what == "DEFAULT") {
      const Argument& fallback = arguments[empty ? kEmptyDefault : kErrorDefault];
      out.append_from(*fallback.column, fallback.row(i));
      continue;
    }
    if (what == "ERROR") {
      context.row_error(static_cast<uint32_t>(i),
                        empty ? std::string("Empty result of JSON_VALUE function is not allowed") : found.error);
    }
    out.append_null();
  }
  return out.finish();
}

Outcome container_outcome(const JsonPath& path, const std::string& wrapper, JsonPathResult& found, std::string& text) {
  using Kind = JsonPathResult::Kind;
  if (found.kind == Kind::kError || found.kind == Kind::kNothing) return nothing(path, found);
  const bool collection = found.kind == Kind::kList || found.node->kind == JsonNode::Kind::kArray;
  text = json_of(found);
  if (wrapper == "UNCONDITIONAL" || (wrapper == "CONDITIONAL" && !collection)) {
    text = fmt::format("[{}]", text);
  } else if (found.kind == Kind::kNode && found.node->is_scalar()) {
    found.error =
        fmt::format("Strict jsonpath mode requires array or object value, and the actual value is: '{}'", text);
    return nothing(path, found);
  }
  return Outcome::kValue;
}

/// The text of an array of scalars as an ARRAY<STRING> cell; false where it is something else.
bool append_string_array(const std::string& text, ColumnBuilder& out) {
  JsonNode node;
  std::string error;
  if (!parse_json(text, node, error) || node.kind != JsonNode::Kind::kArray) return false;
  std::string element;
  for (const JsonNode& child : node.children) {
    if (child.kind == JsonNode::Kind::kNull) {
      out.child(0).append_null();
      continue;
    }
    element.clear();
    if (child.kind == JsonNode::Kind::kString) {
      element = child.text;
    } else {
      append_json(child, element);
    }
    out.child(0).append_string(element);
  }
  out.finish_list();
  return true;
}

bool append_query_result(const std::string& text, const LogicalType& type, ColumnBuilder& out) {
  if (type.is(TypeRoot::kArray)) return append_string_array(text, out);
  out.append_string(text);
  return true;
}

ColumnPtr json_query(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader input(arguments[kInput]);
  PathReader paths(arguments[kPath]);
  const std::string on[] = {behavior(call, kOnEmpty), behavior(call, kOnError)};
  const std::string wrapper = behavior(call, kEmptyDefault);
  ColumnBuilder out(call.type);
  JsonNode root;
  for (size_t i = 0; i < n; ++i) {
    if (is_null_row(arguments, i)) {
      out.append_null();
      continue;
    }
    const JsonPath& path = paths.at(i);
    JsonPathResult found = look_up(input[i], path, root);
    std::string text;
    const Outcome outcome = container_outcome(path, wrapper, found, text);
    if (outcome == Outcome::kValue && append_query_result(text, call.type, out)) continue;
    const std::string& what = on[outcome == Outcome::kEmpty ? 0 : 1];
    if (what == "ERROR") {
      context.row_error(
          static_cast<uint32_t>(i),
          outcome == Outcome::kEmpty ? std::string("Empty result of JSON_QUERY function is not allowed") : found.error);
    }
    const bool array = what.starts_with("EMPTY") && what != "EMPTY OBJECT";
    const bool empty = array || what == "EMPTY OBJECT";
    if (!empty || !append_query_result(array ? "[]" : "{}", call.type, out)) out.append_null();
  }
  return out.finish();
}

ColumnPtr json_exists(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader input(arguments[kInput]);
  PathReader paths(arguments[kPath]);
  const std::string on_error = behavior(call, kOnError);
  ColumnBuilder out(call.type);
  JsonNode root;
  for (size_t i = 0; i < n; ++i) {
    if (is_null_row(arguments, i)) {
      out.append_null();
      continue;
    }
    const JsonPathResult found = look_up(input[i], paths.at(i), root);
    if (found.kind != JsonPathResult::Kind::kError) {
      out.append(static_cast<uint8_t>(found.kind != JsonPathResult::Kind::kNothing));
    } else if (on_error == "TRUE" || on_error == "FALSE") {
      out.append(static_cast<uint8_t>(on_error == "TRUE"));
    } else {
      if (on_error == "ERROR") context.row_error(static_cast<uint32_t>(i), found.error);
      out.append_null();
    }
  }
  return out.finish();
}

/// value, kind: VALUE, OBJECT, ARRAY, SCALAR. NULL is no JSON.
ColumnPtr is_json(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader input(arguments[0]);
  const std::string wanted = behavior(call, 1);
  ColumnBuilder out(call.type);
  for (size_t i = 0; i < n; ++i) {
    JsonNode node;
    std::string error;
    const bool valid = arguments[0].column->is_valid(arguments[0].row(i)) && parse_json(input[i], node, error);
    const bool object = node.kind == JsonNode::Kind::kObject;
    const bool array = node.kind == JsonNode::Kind::kArray;
    const bool right = wanted == "OBJECT"   ? object
                       : wanted == "ARRAY"  ? array
                       : wanted == "SCALAR" ? !object && !array
                                            : true;
    out.append(static_cast<uint8_t>(valid && right));
  }
  return out.finish();
}

/// The binder writes these calls, whose clauses are arguments; no other has their number.
void check_input(const Function& function, const Arguments& arguments, size_t count) {
  if (arguments.size() != count) fail_arguments(function.name, arguments);
  refuse_null_literals(function.name, std::span(arguments).first(2));
  if (!arguments[kInput]->type.is_string() || !arguments[kPath]->type.is_string()) {
    fail_arguments(function.name, std::span(arguments).first(2), "'<STRING>, <STRING>'");
  }
}

/// The last argument is a NULL of the RETURNING type.
ExpressionPtr resolve_json_value(const Function& function, Arguments arguments) {
  check_input(function, arguments, kErrorDefault + 2);
  const LogicalType type = arguments.back()->type.as_nullable();
  const bool known =
      type.is_string() || type.is(TypeRoot::kInteger) || type.is(TypeRoot::kDouble) || type.is(TypeRoot::kBoolean);
  if (!known) {
    throw user_error(1103, "Unsupported type '{}' for RETURNING in JSON_VALUE(): take STRING, BOOLEAN, INT or DOUBLE",
                     type.to_string());
  }
  arguments.pop_back();
  for (const size_t fallback : {kEmptyDefault, kErrorDefault})
    arguments[fallback] = make_cast(arguments[fallback], type);
  return make_kernel_call(function.name, type, json_value, std::move(arguments), true);
}

ExpressionPtr resolve_json_query(const Function& function, Arguments arguments) {
  check_input(function, arguments, kErrorDefault + 2);
  const LogicalType type = arguments.back()->type.as_nullable();
  if (!type.is_string() && !(type.is(TypeRoot::kArray) && type.child(0).is_string())) {
    throw user_error(1103, "Unsupported type '{}' for RETURNING in JSON_QUERY(): take STRING or ARRAY<STRING>",
                     type.to_string());
  }
  arguments.pop_back();
  return make_kernel_call(function.name, type, json_query, std::move(arguments), true);
}

ExpressionPtr resolve_json_exists(const Function& function, Arguments arguments) {
  check_input(function, arguments, kErrorDefault + 1);
  return make_kernel_call(function.name, LogicalType::boolean(), json_exists, std::move(arguments), true);
}

ExpressionPtr resolve_is_json(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  if (arguments.size() != 2 || !arguments[0]->type.is_string())
    fail_arguments(function.name, std::span(arguments).first(1), "'<STRING>'");
  return make_kernel_call(function.name, LogicalType::boolean().not_null(), is_json, std::move(arguments));
}

constexpr Function kJsonQueryFunctions[] = {
    {.name = "JSON_VALUE", .resolver = resolve_json_value},
    {.name = "JSON_QUERY", .resolver = resolve_json_query},
    {.name = "JSON_EXISTS", .resolver = resolve_json_exists},
    {.name = "IS JSON", .resolver = resolve_is_json},
};

}  // namespace

std::span<const Function> json_query_functions() {
  return kJsonQueryFunctions;
}

}  // namespace yeoul
