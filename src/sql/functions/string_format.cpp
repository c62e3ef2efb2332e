#include <cmath>

#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/result_types.h"
#include "yeoul/types/text.h"

namespace yeoul {

namespace {

/// One %… of java.util.Formatter.
struct FormatDirective {
  int index = 0;  ///< 0: the next argument
  std::string flags;
  int width = 0;
  int precision = -1;
  char conversion = 0;
};

bool parse_directive(std::string_view format, size_t& at, FormatDirective& out) {
  const auto number = [&] {
    int value = 0;
    while (at < format.size() && format[at] >= '0' && format[at] <= '9' && value < 10000) {
      value = value * 10 + (format[at++] - '0');
    }
    return value;
  };
  const size_t start = at;
  const int first = at < format.size() && format[at] != '0' ? number() : 0;
  if (first > 0 && at < format.size() && format[at] == '$') {
    ++at;
    out.index = first;
  } else {
    at = start;
  }
  while (at < format.size() && std::string_view("-#+ 0,(").find(format[at]) != std::string_view::npos) {
    out.flags += format[at++];
  }
  out.width = number();
  if (at < format.size() && format[at] == '.') {
    ++at;
    out.precision = number();
  }
  if (at >= format.size()) return false;
  out.conversion = format[at++];
  return true;
}

std::string with_thousands(std::string digits) {
  const size_t end = std::min(digits.find('.'), digits.size());
  const size_t first = !digits.empty() && digits[0] == '-' ? 1 : 0;
  for (size_t at = end; at > first + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

/// The text of one argument without padding; nothing where the conversion does not fit its type.
std::optional<std::string> converted(const FormatDirective& d, const Argument& argument, size_t i,
                                     const TimeZone& zone) {
  const Column& column = *argument.column;
  const size_t row = argument.row(i);
  const LogicalType& type = column.type();
  const bool null = column.is_null(row);
  const bool comma = d.flags.find(',') != std::string::npos;
  const bool plus = d.flags.find('+') != std::string::npos;
  if (d.conversion == 'b') {
    if (null) return "false";
    return type.is(TypeRoot::kBoolean) && column.values<uint8_t>()[row] == 0 ? "false" : "true";
  }
  if (null) return "null";
  std::string text;
  switch (d.conversion) {
    case 's':
    case 'S':
      append_text(column, row, zone, text);
      if (type.is(TypeRoot::kBoolean)) text = text == "TRUE" ? "true" : "false";
      return d.precision >= 0 ? text.substr(0, static_cast<size_t>(d.precision)) : text;
    case 'd':
      if (!type.is_integer()) return std::nullopt;
      text = std::to_string(IntegerReader(argument)[i]);
      if (comma) text = with_thousands(text);
      return plus && text[0] != '-' ? "+" + text : text;
    case 'x':
    case 'X':
    case 'o': {
      if (!type.is_integer()) return std::nullopt;
      const size_t bits = 8 * cell_bytes(type.physical());
      const auto value = static_cast<uint64_t>(IntegerReader(argument)[i]) & (~uint64_t{0} >> (64 - bits));
      return d.conversion == 'o'   ? fmt::format("{:o}", value)
             : d.conversion == 'x' ? fmt::format("{:x}", value)
                                   : fmt::format("{:X}", value);
    }
    case 'f':
    case 'e': {
      const int precision = d.precision >= 0 ? d.precision : 6;
      double value = 0;
      if (type.is(TypeRoot::kDouble)) {
        value = column.values<double>()[row];
      } else if (type.is(TypeRoot::kFloat)) {
        value = static_cast<double>(column.values<float>()[row]);
      } else if (type.is(TypeRoot::kDecimal)) {
        append_text(column, row, zone, text);
        value = std::strtod(text.c_str(), nullptr);
      } else {
        return std::nullopt;
      }
      if (!std::isfinite(value)) return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
      text = d.conversion == 'f' ? fmt::format("{:.{}f}", value, precision) : fmt::format("{:.{}e}", value, precision);
      if (comma) text = with_thousands(text);
      return plus && text[0] != '-' ? "+" + text : text;
    }
    default:
      return std::nullopt;
  }
}

std::string padded_to(std::string text, const FormatDirective& d) {
  const auto width = static_cast<size_t>(d.width);
  if (text.size() >= width) return text;
  if (d.flags.find('-') != std::string::npos) return text + std::string(width - text.size(), ' ');
  if (d.flags.find('0') != std::string::npos && d.conversion != 's') {
    const size_t sign = text[0] == '-' || text[0] == '+' ? 1 : 0;
    return text.substr(0, sign) + std::string(width - text.size(), '0') + text.substr(sign);
  }
  return std::string(width - text.size(), ' ') + text;
}

/// format, argument, …
bool format_row(std::span<const Argument> arguments, size_t i, const TimeZone& zone, std::string& out) {
  const std::string_view format = arguments[0].column->string_at(arguments[0].row(i));
  size_t next = 1;
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      out += format[at++];
      continue;
    }
    ++at;
    FormatDirective d;
    if (!parse_directive(format, at, d)) return false;
    if (d.conversion == '%' || d.conversion == 'n') {
      out += d.conversion == 'n' ? "\n" : padded_to("%", d);
      continue;
    }
    const size_t index = d.index > 0 ? static_cast<size_t>(d.index) : next++;
    if (index >= arguments.size()) return false;
    std::optional<std::string> text = converted(d, arguments[index], i, zone);
    if (!text) return false;
    out += padded_to(std::move(*text), d);
  }
  return true;
}

/// NULL where the format is broken or does not fit an argument.
ColumnPtr printf_text(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  return write_strings(call, arguments.first(1), n, [&](size_t i, Buffer& out) {
    std::string text;
    if (!format_row(arguments, i, context.config().zone, text)) return false;
    append_bytes(out, text);
    return true;
  });
}

ExpressionPtr resolve_printf(const Function& function, Arguments arguments) {
  if (arguments.empty() || !arguments[0]->type.is_string()) fail_arguments(function.name, arguments, "'<STRING>, ...'");
  return make_kernel_call(function.name, LogicalType::string(), printf_text, std::move(arguments));
}

constexpr Function kStringFormatFunctions[] = {
    {.name = "PRINTF", .resolver = resolve_printf},
};

}  // namespace

std::span<const Function> string_format_functions() {
  return kStringFormatFunctions;
}

}  // namespace yeoul
