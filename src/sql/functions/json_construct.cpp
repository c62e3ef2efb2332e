#include "yeoul/sql/functions/json_document.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/result_types.h"
#include "yeoul/types/text.h"

namespace yeoul {
namespace {

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = (group << 8) | (k < count ? static_cast<uint8_t>(bytes[at + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out += k <= count ? kDigits[(group >> (18 - 6 * k)) & 63] : '=';
  }
  return out;
}

/// ISO-8601 with as many digits of the second as it has.
std::string instant_text(TimestampValue value, bool utc) {
  std::string text;
  append_timestamp_text(value, 9, text);
  text[text.find(' ')] = 'T';
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return utc ? text + "Z" : text;
}

/// A FLOAT counts as the double it is; NaN and the infinities, which JSON lacks, as strings.
void set_real(double value, JsonNode& out) {
  std::string text;
  append_double_text(value, text);
  const bool number = text.find_first_of("NI") == std::string::npos;
  out.kind = number ? JsonNode::Kind::kFraction : JsonNode::Kind::kString;
  out.text = number ? big_decimal_text(text) : text;
}

void set_node(const Column& column, size_t row, JsonNode& out);

void set_container(const Column& column, size_t row, JsonNode& out) {
  if (column.type().is(TypeRoot::kRow)) {
    out.kind = JsonNode::Kind::kObject;
    for (size_t i = 0; i < column.children().size(); ++i) {
      set_node(column.child(i), row, out.add_field(column.type().fields()[i].name));
    }
    return;
  }
  const bool map = column.type().is(TypeRoot::kMap);
  out.kind = map ? JsonNode::Kind::kObject : JsonNode::Kind::kArray;
  for (int32_t at = column.offsets()[row]; at < column.offsets()[row + 1]; ++at) {
    const auto cell = static_cast<size_t>(at);
    JsonNode& child = map ? out.add_field(column.child(0).is_null(cell) ? std::string("null")
                                                                        : std::string(column.child(0).string_at(cell)))
                          : out.children.emplace_back();
    set_node(column.child(map ? 1 : 0), cell, child);
  }
}

void set_node(const Column& column, size_t row, JsonNode& out) {
  if (column.is_null(row)) return;
  const LogicalType& type = column.type();
  switch (type.root()) {
    case TypeRoot::kBoolean:
      out.kind = column.values<uint8_t>()[row] != 0 ? JsonNode::Kind::kTrue : JsonNode::Kind::kFalse;
      return;
    case TypeRoot::kFloat:
      return set_real(static_cast<double>(column.values<float>()[row]), out);
    case TypeRoot::kDouble:
      return set_real(column.values<double>()[row], out);
    case TypeRoot::kDecimal:
      out.kind = JsonNode::Kind::kFraction;
      append_decimal_text(column.values<int128>()[row], type.scale(), out.text);
      out.text = big_decimal_text(out.text);
      return;
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      out.kind = JsonNode::Kind::kString;
      out.text = column.string_at(row);
      return;
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      out.kind = JsonNode::Kind::kString;
      out.text = base64(column.string_at(row));
      return;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      out.kind = JsonNode::Kind::kString;
      out.text = instant_text(column.timestamp_at(row), type.is(TypeRoot::kTimestampLtz));
      return;
    case TypeRoot::kArray:
    case TypeRoot::kMap:
    case TypeRoot::kRow:
      return set_container(column, row, out);
    default:
      out.kind = JsonNode::Kind::kInteger;
      append_text(column, row, TimeZone(), out.text);
  }
}

void check_convertible(const LogicalType& type) {
  switch (type.root()) {
    case TypeRoot::kArray:
      return check_convertible(type.child(0));
    case TypeRoot::kMap:
      if (!type.child(0).is_string()) {
        throw user_error(
            1103, "a MAP with keys of type {} cannot be converted into JSON: the key type must be a character string",
            type.child(0).to_string());
      }
      return check_convertible(type.child(1));
    case TypeRoot::kRow:
      for (const RowField& field : type.fields()) check_convertible(field.type);
      return;
    default:
      break;
  }
  const bool known = type.is_numeric() || type.is_string() || type.is_binary() || type.is(TypeRoot::kBoolean) ||
                     type.is(TypeRoot::kTimestamp) || type.is(TypeRoot::kTimestampLtz);
  if (!known) {
    throw user_error(1103, "Type '{}' is not scalar or cannot be converted into JSON", type.to_string());
  }
}

// JSON_OBJECT and JSON_ARRAY: argument 0 says what each value is: 'j' JSON text, 'v' any value; in front 'N' when NULLs
// are written, 'A' when they are left out.

void set_value(const Argument& argument, size_t i, char how, JsonNode& out) {
  const size_t row = argument.row(i);
  if (how == 'v' || argument.column->is_null(row)) return set_node(*argument.column, row, out);
  std::string error;
  parse_json(argument.column->string_at(row), out, error);  // another function of ours wrote it
}

template <bool kObject>
ColumnPtr construct(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const std::string& how = call.arguments[0]->value.string();
  constexpr size_t kStep = kObject ? 2 : 1;
  return write_strings(call, {}, n, [&](size_t i, Buffer& out) {
    JsonNode node;
    node.kind = kObject ? JsonNode::Kind::kObject : JsonNode::Kind::kArray;
    for (size_t at = 1; at + kStep <= arguments.size(); at += kStep) {
      const Argument& value = arguments[at + kStep - 1];
      if (how[0] == 'A' && value.column->is_null(value.row(i))) continue;
      JsonNode& child = kObject ? node.add_field(call.arguments[at]->value.string()) : node.children.emplace_back();
      set_value(value, i, how[(at - 1) / kStep + 1], child);
    }
    std::string text;
    append_json(node, text);
    append_bytes(out, text);
    return true;
  });
}

template <bool kObject>
ExpressionPtr resolve_construct(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  constexpr size_t kStep = kObject ? 2 : 1;
  const std::string on_null = arguments.empty() ? "" : literal_keyword(*arguments[0]);
  if ((on_null != "ABSENT" && on_null != "NULL") || (arguments.size() - 1) % kStep != 0) {
    fail_arguments(function.name, arguments);
  }
  std::string how = on_null == "ABSENT" ? "A" : "N";
  for (size_t at = 1; at < arguments.size(); at += kStep) {
    const Expression& key = *arguments[at];
    const bool literal = key.kind == Expression::Kind::kLiteral && key.type.is_string() && !key.value.is_null();
    if (kObject && !literal) {
      throw user_error(1103, "a key of JSON_OBJECT must be a string literal that is not NULL, not {}", key.to_string());
    }
    const Expression& value = *arguments[at + kStep - 1];
    const bool json = value.name == "JSON_OBJECT" || value.name == "JSON_ARRAY" || value.name == "JSON";
    if (!json) check_convertible(value.type);
    how += json ? 'j' : 'v';
  }
  arguments[0] = make_literal(LogicalType::string().not_null(), Value(std::move(how)));
  return make_kernel_call(function.name, LogicalType::string().not_null(), construct<kObject>, std::move(arguments));
}

/// JSON(text): text that JSON_OBJECT and JSON_ARRAY take as it is.
ColumnPtr json_literal(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    JsonNode node;
    std::string error;
    if (!parse_json(in[i], node, error)) {
      context.row_error(static_cast<uint32_t>(i),
                        fmt::format("Invalid JSON string in JSON(value) function: {}", error));
      return false;
    }
    std::string text;
    append_json(node, text);
    append_bytes(out, text);
    return true;
  });
}

ColumnPtr json_string(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    JsonNode node;
    set_node(*arguments[0].column, arguments[0].row(i), node);
    std::string text;
    append_json(node, text);
    append_bytes(out, text);
    return true;
  });
}

ExpressionPtr resolve_json_string(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  if (arguments.size() != 1) fail_arguments(function.name, arguments);
  check_convertible(arguments[0]->type);
  const LogicalType type = LogicalType::string().as_nullable(arguments[0]->type.nullable());
  return make_kernel_call(function.name, type, json_string, std::move(arguments));
}

/// Takes the first character of UTF-8 text.
uint32_t take_code_point(std::string_view& text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  const size_t length = std::min<size_t>(lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4, text.size());
  uint32_t code = length == 1 ? lead : lead & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) code = (code << 6) | (static_cast<uint8_t>(text[i]) & 0x3fu);
  text.remove_prefix(length);
  return code;
}

/// Escapes all but printable ASCII.
ColumnPtr json_quote(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  static constexpr std::string_view kSpecial = "\"\\/\b\f\n\r\t";
  static constexpr std::string_view kEscapes = "\"\\/bfnrt";
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    std::string quoted = "\"";
    for (std::string_view text = in[i]; !text.empty();) {
      const uint32_t code = take_code_point(text);
      const size_t found = code < 0x80 ? kSpecial.find(static_cast<char>(code)) : std::string_view::npos;
      if (found != std::string_view::npos) {
        quoted += '\\';
        quoted += kEscapes[found];
      } else if (code >= 0x20 && code < 0x7f) {
        quoted += static_cast<char>(code);
      } else if (code < 0x10000) {
        quoted += fmt::format("\\u{:04x}", code);
      } else {
        quoted += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff));
      }
    }
    append_bytes(out, quoted + "\"");
    return true;
  });
}

/// Text that stands in quotes without them and its escapes; any other text as it is.
ColumnPtr json_unquote(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const std::string_view text = in[i];
    std::string unquoted;
    const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"' &&
                        append_unescaped(text.substr(1, text.size() - 2), unquoted);
    append_bytes(out, quoted ? std::string_view(unquoted) : text);
    return true;
  });
}

constexpr Function kJsonConstructFunctions[] = {
    {.name = "JSON_OBJECT", .resolver = resolve_construct<true>},
    {.name = "JSON_ARRAY", .resolver = resolve_construct<false>},
    {"JSON", "s", type_string, json_literal, NullRule::kAnyArgument, true},
    {.name = "JSON_STRING", .resolver = resolve_json_string},
    {"JSON_QUOTE", "s", type_string, json_quote},
    {"JSON_UNQUOTE", "s", type_string, json_unquote},
};

}  // namespace

std::span<const Function> json_construct_functions() {
  return kJsonConstructFunctions;
}

}  // namespace yeoul
