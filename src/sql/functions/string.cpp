#include <algorithm>
#include <array>

#include "yeoul/common/utf8.h"
#include "yeoul/sql/functions/case_mapping.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/registry.h"
#include "yeoul/sql/functions/result_types.h"

namespace yeoul {

namespace {

bool is_ascii(std::string_view text) {
  uint8_t bits = 0;
  for (const char c : text) bits |= static_cast<uint8_t>(c);
  return bits < 0x80;
}

void append_code_point(uint32_t c, Buffer& out) {
  std::string text;
  append_utf8(c, text);
  append_bytes(out, text);
}

/// The few characters whose upper case is more than one.
std::string_view special_upper(uint32_t c) {
  switch (c) {
    case 0xdf:
      return "SS";
    case 0x149:
      return "\xca\xbcN";
    case 0x1f0:
      return "J\xcc\x8c";
    case 0xfb00:
      return "FF";
    case 0xfb01:
      return "FI";
    case 0xfb02:
      return "FL";
    case 0xfb03:
      return "FFI";
    case 0xfb04:
      return "FFL";
    case 0xfb05:
    case 0xfb06:
      return "ST";
    default:
      return {};
  }
}

void append_upper(std::string_view text, Buffer& out) {
  for (size_t at = 0; at < text.size();) {
    const uint32_t c = utf8_next(text, at);
    const std::string_view special = special_upper(c);
    if (!special.empty()) {
      append_bytes(out, special);
    } else {
      append_code_point(to_upper(c), out);
    }
  }
}

bool is_cased(uint32_t c) {
  return to_upper(c) != c || to_lower(c) != c;
}

void append_lower(std::string_view text, Buffer& out) {
  uint32_t before = 0;
  for (size_t at = 0; at < text.size();) {
    const uint32_t c = utf8_next(text, at);
    if (c == 0x130) {
      append_bytes(out, "i\xcc\x87");
    } else if (c == 0x3a3) {  // the sigma at the end of a word
      size_t after = at;
      const bool is_final = is_cased(before) && (at == text.size() || !is_cased(utf8_next(text, after)));
      append_code_point(is_final ? 0x3c2 : 0x3c3, out);
    } else {
      append_code_point(to_lower(c), out);
    }
    before = c;
  }
}

template <bool kUpper>
ColumnPtr change_case(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const std::string_view text = in[i];
    if (!is_ascii(text)) {
      kUpper ? append_upper(text, out) : append_lower(text, out);
      return true;
    }
    const size_t start = out.size();
    out.append(text.data(), text.size());
    char* cells = out.data() + start;
    constexpr char kFirst = kUpper ? 'a' : 'A';
    for (size_t k = 0; k < text.size(); ++k) {
      const char c = cells[k];
      cells[k] = static_cast<uint8_t>(c - kFirst) < 26 ? static_cast<char>(c ^ 0x20) : c;
    }
    return true;
  });
}

/// ASCII letters and digits make words; everything else parts them.
ColumnPtr initcap(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const std::string_view text = in[i];
    const size_t start = out.size();
    out.append(text.data(), text.size());
    char* cells = out.data() + start;
    bool in_word = false;
    for (size_t k = 0; k < text.size(); ++k) {
      const char c = cells[k];
      const bool lower = c >= 'a' && c <= 'z';
      const bool upper = c >= 'A' && c <= 'Z';
      if (in_word ? upper : lower) cells[k] = static_cast<char>(c ^ 0x20);
      in_word = lower || upper || (c >= '0' && c <= '9');
    }
    return true;
  });
}

enum class Side : uint8_t { kBoth, kLeading, kTrailing };

bool has_character(std::string_view set, std::string_view character) {
  for (size_t at = 0; at < set.size();) {
    const size_t width = std::min(utf8_width(set[at]), set.size() - at);
    if (set.substr(at, width) == character) return true;
    at += width;
  }
  return false;
}

std::string_view trimmed(std::string_view text, std::string_view set, Side side) {
  while (side != Side::kTrailing && !text.empty()) {
    const size_t width = std::min(utf8_width(text[0]), text.size());
    if (!has_character(set, text.substr(0, width))) break;
    text.remove_prefix(width);
  }
  while (side != Side::kLeading && !text.empty()) {
    size_t start = text.size() - 1;
    while (start > 0 && (static_cast<uint8_t>(text[start]) & 0xc0) == 0x80) --start;
    if (!has_character(set, text.substr(start))) break;
    text.remove_suffix(text.size() - start);
  }
  return text;
}

/// text[, characters]
template <Side kSide>
ColumnPtr trim(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  std::optional<StringReader> set;
  if (arguments.size() > 1) set.emplace(arguments[1]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    append_bytes(out, trimmed(in[i], set ? (*set)[i] : std::string_view(" "), kSide));
    return true;
  });
}

/// TRIM('BOTH', characters, text), TRIM('BOTH', text), TRIM(text), TRIM(characters, text).
ExpressionPtr resolve_trim(const Function& function, Arguments arguments) {
  std::string side = "BOTH";
  if (!arguments.empty()) {
    const std::string keyword = literal_keyword(*arguments[0]);
    if (arguments.size() > 1 && (keyword == "BOTH" || keyword == "LEADING" || keyword == "TRAILING")) {
      side = keyword;
      arguments.erase(arguments.begin());
    }
  }
  refuse_null_literals(function.name, arguments);
  if (arguments.empty() || arguments.size() > 2) fail_arguments(function.name, arguments);
  for (const ExpressionPtr& e : arguments) {
    if (!e->type.is_string())
      fail_arguments(function.name, arguments, "'TRIM([BOTH|LEADING|TRAILING] <STRING> FROM <STRING>)'");
  }
  std::reverse(arguments.begin(), arguments.end());
  const LogicalType type = type_varying(arguments).as_nullable(any_nullable(arguments));
  const Kernel kernel = side == "BOTH"      ? trim<Side::kBoth>
                        : side == "LEADING" ? trim<Side::kLeading>
                                            : trim<Side::kTrailing>;
  return make_kernel_call(function.name, type, kernel, std::move(arguments));
}

ExpressionPtr resolve_btrim(const Function& function, Arguments arguments) {
  for (ExpressionPtr& e : arguments) {
    if (e->type.is(TypeRoot::kNull)) e = make_literal(LogicalType::string(), Value());
    if (!e->type.is_string()) fail_arguments(function.name, arguments);
  }
  if (arguments.empty() || arguments.size() > 2) fail_arguments(function.name, arguments);
  const LogicalType type = LogicalType::string().as_nullable(any_nullable(arguments));
  return make_kernel_call(function.name, type, trim<Side::kBoth>, std::move(arguments));
}

/// Characters [from, to) of the text.
std::string_view characters(std::string_view text, size_t from, size_t to) {
  const size_t begin = utf8_offset(text, from);
  return text.substr(begin, utf8_offset(text.substr(begin), to - from));
}

ColumnPtr substring(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const CellReader<int32_t> position(arguments[1]);
  std::optional<CellReader<int32_t>> length;
  if (arguments.size() > 2) length.emplace(arguments[2]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const std::string_view text = in[i];
    const int64_t wanted = length ? (*length)[i] : int64_t{LogicalType::kMaxLength};
    if (wanted < 0) return false;
    int64_t start = position[i];
    if (start < 0) {
      start += static_cast<int64_t>(utf8_length(text));
      if (start < 0) return true;
    } else if (start > 0) {
      --start;
    }
    append_bytes(out, characters(text, static_cast<size_t>(start), static_cast<size_t>(start + wanted)));
    return true;
  });
}

template <bool kLeft>
ColumnPtr edge(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const CellReader<int32_t> count(arguments[1]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    if (count[i] <= 0) return true;
    const std::string_view text = in[i];
    const auto wanted = static_cast<size_t>(count[i]);
    if (kLeft) {
      append_bytes(out, text.substr(0, utf8_offset(text, wanted)));
    } else {
      const size_t have = utf8_length(text);
      append_bytes(out, have <= wanted ? text : text.substr(utf8_offset(text, have - wanted)));
    }
    return true;
  });
}

ColumnPtr concatenate(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::vector<StringReader> parts;
  for (const Argument& argument : arguments) parts.emplace_back(argument);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    for (const StringReader& part : parts) append_bytes(out, part[i]);
    return true;
  });
}

ExpressionPtr resolve_concatenation(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  if (arguments.size() != 2 || !arguments[0]->type.is_string() || !arguments[1]->type.is_string()) {
    fail_arguments(function.name, arguments, "'<STRING> || <STRING>'");
  }
  LogicalType type = type_concatenated(arguments);
  if (arguments[0]->type.is(TypeRoot::kChar) && arguments[1]->type.is(TypeRoot::kChar)) {
    type = LogicalType::char_(type.length());
  }
  const bool nullable = any_nullable(arguments);
  return make_kernel_call(function.name, type.as_nullable(nullable), concatenate, std::move(arguments));
}

/// NULL parts are left out, their separators too.
ColumnPtr concatenate_with(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader separator(arguments[0]);
  return write_strings(call, arguments.first(1), n, [&](size_t i, Buffer& out) {
    bool first = true;
    for (const Argument& part : arguments.subspan(1)) {
      const size_t row = part.row(i);
      if (part.column->is_null(row)) continue;
      if (!first) append_bytes(out, separator[i]);
      append_bytes(out, part.column->string_at(row));
      first = false;
    }
    return true;
  });
}

/// Counts and cuts in UTF-16 units, as Java.
template <bool kLeft>
ColumnPtr pad(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const CellReader<int32_t> length(arguments[1]);
  const StringReader filling(arguments[2]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    if (length[i] < 0 || filling[i].empty()) return false;
    const auto wanted = static_cast<size_t>(length[i]);
    const std::string_view text = in[i];
    const size_t have = utf16_length(text);
    if (have >= wanted) {
      append_bytes(out, text.substr(0, utf16_offset(text, wanted)));
      return true;
    }
    if (!kLeft) append_bytes(out, text);
    const size_t unit = utf16_length(filling[i]);
    size_t missing = wanted - have;
    for (; missing >= unit; missing -= unit) append_bytes(out, filling[i]);
    append_bytes(out, filling[i].substr(0, utf16_offset(filling[i], missing)));
    if (kLeft) append_bytes(out, text);
    return true;
  });
}

ColumnPtr repeat_text(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const CellReader<int32_t> count(arguments[1]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    for (int32_t k = 0; k < count[i]; ++k) append_bytes(out, in[i]);
    return true;
  });
}

ColumnPtr reverse(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    std::string_view text = in[i];
    while (!text.empty()) {
      size_t start = text.size() - 1;
      while (start > 0 && (static_cast<uint8_t>(text[start]) & 0xc0) == 0x80) --start;
      append_bytes(out, text.substr(start));
      text.remove_suffix(text.size() - start);
    }
    return true;
  });
}

ColumnPtr replace(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const StringReader search(arguments[1]);
  const StringReader replacement(arguments[2]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const std::string_view text = in[i];
    const std::string_view wanted = search[i];
    size_t at = 0;
    if (wanted.empty()) {
      append_bytes(out, replacement[i]);
      while (at < text.size()) {
        const size_t width = std::min(utf8_width(text[at]), text.size() - at);
        append_bytes(out, text.substr(at, width));
        append_bytes(out, replacement[i]);
        at += width;
      }
      return true;
    }
    while (true) {
      const size_t found = text.find(wanted, at);
      append_bytes(out, text.substr(at, found == std::string_view::npos ? found : found - at));
      if (found == std::string_view::npos) return true;
      append_bytes(out, replacement[i]);
      at = found + wanted.size();
    }
  });
}

ColumnPtr translate(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const StringReader from(arguments[1]);
  const StringReader to(arguments[2]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const std::string_view text = in[i];
    for (size_t at = 0; at < text.size();) {
      const size_t width = std::min(utf8_width(text[at]), text.size() - at);
      const std::string_view character = text.substr(at, width);
      at += width;
      size_t index = 0;
      bool found = false;
      for (size_t k = 0; k < from[i].size() && !found;) {
        const size_t w = std::min(utf8_width(from[i][k]), from[i].size() - k);
        found = from[i].substr(k, w) == character;
        k += w;
        if (!found) ++index;
      }
      append_bytes(out, found ? characters(to[i], index, index + 1) : character);
    }
    return true;
  });
}

/// text, replacement, position[, length]; positions count UTF-16 units.
ColumnPtr overlay(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const StringReader replacement(arguments[1]);
  const CellReader<int32_t> position(arguments[2]);
  std::optional<CellReader<int32_t>> length;
  if (arguments.size() > 3) length.emplace(arguments[3]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const std::string_view text = in[i];
    const auto size = static_cast<int64_t>(utf16_length(text));
    const int64_t start = position[i];
    if (start <= 0 || start > size) {
      append_bytes(out, text);
      return true;
    }
    const int64_t cut = length ? (*length)[i] : static_cast<int64_t>(utf16_length(replacement[i]));
    append_bytes(out, text.substr(0, utf16_offset(text, static_cast<size_t>(start - 1))));
    append_bytes(out, replacement[i]);
    if (cut > 0 && start + cut <= size)
      append_bytes(out, text.substr(utf16_offset(text, static_cast<size_t>(start - 1 + cut))));
    return true;
  });
}

constexpr Function kStringFunctions[] = {
    {"UPPER", "s", type_of_argument<0>, change_case<true>},
    {"LOWER", "s", type_of_argument<0>, change_case<false>},
    {"INITCAP", "s", type_of_argument<0>, initcap},
    {.name = "TRIM", .resolver = resolve_trim},
    {"LTRIM", "s?s", type_varying, trim<Side::kLeading>},
    {"RTRIM", "s?s", type_varying, trim<Side::kTrailing>},
    {.name = "BTRIM", .resolver = resolve_btrim},
    {"SUBSTRING", "si?i", type_varying, substring, NullRule::kNullable},
    {"SUBSTR", "si?i", type_varying, substring, NullRule::kNullable},
    {"LEFT", "si", type_varying, edge<true>, NullRule::kNullable},
    {"RIGHT", "si", type_varying, edge<false>, NullRule::kNullable},
    {.name = "||", .resolver = resolve_concatenation},
    {"CONCAT", "ss*|s", type_string, concatenate},
    {"CONCAT_WS", "ss*|s", type_string, concatenate_with},
    {"LPAD", "sis", type_string, pad<true>},
    {"RPAD", "sis", type_string, pad<false>},
    {"REPEAT", "si", type_string, repeat_text},
    {"REVERSE", "s", type_string, reverse, NullRule::kNullable},
    {"REPLACE", "sss", type_string, replace},
    {"TRANSLATE", "sss", type_string, translate},
    {"TRANSLATE3", "sss", type_string, translate},
    {"OVERLAY", "ssi?i", type_concatenated, overlay},
};

}  // namespace

std::span<const Function> string_functions() {
  return kStringFunctions;
}

}  // namespace yeoul
