#include <charconv>
#include <limits>

#include "yeoul/common/ascii.h"
#include "yeoul/common/utf8.h"
#include "yeoul/sql/functions/digest.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/result_types.h"

namespace yeoul {

namespace {

constexpr std::string_view kHexLower = "0123456789abcdef";
constexpr std::string_view kHexUpper = "0123456789ABCDEF";
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void append_hex(std::string_view bytes, std::string_view digits, Buffer& out) {
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    out.append(&digits[byte >> 4], 1);
    out.append(&digits[byte & 15], 1);
  }
}

template <std::string (*kDigest)(std::string_view)>
ColumnPtr digest(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    append_hex(kDigest(in[i]), kHexLower, out);
    return true;
  });
}

template <int kBits>
std::string sha2_of_bits(std::string_view bytes) {
  return sha2(bytes, kBits);
}

ColumnPtr sha2_by_bits(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const CellReader<int32_t> bits(arguments[1]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const std::string bytes = sha2(in[i], bits[i]);
    if (bytes.empty()) context.row_error(static_cast<uint32_t>(i), "Unsupported algorithm.");
    append_hex(bytes, kHexLower, out);
    return true;
  });
}

ColumnPtr to_base64(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const std::string_view bytes = in[i];
    for (size_t at = 0; at < bytes.size(); at += 3) {
      uint32_t group = 0;
      const size_t count = std::min<size_t>(3, bytes.size() - at);
      for (size_t k = 0; k < 3; ++k) group = (group << 8) | (k < count ? static_cast<uint8_t>(bytes[at + k]) : 0u);
      char text[4];
      for (size_t k = 0; k < 4; ++k) text[k] = k <= count ? kBase64[(group >> (18 - 6 * k)) & 63] : '=';
      out.append(text, 4);
    }
    return true;
  });
}

ColumnPtr from_base64(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    std::string_view text = in[i];
    while (!text.empty() && text.back() == '=') text.remove_suffix(1);
    std::string bytes;
    uint32_t bits = 0;
    int have = 0;
    for (const char c : text) {
      const size_t value = kBase64.find(c);
      if (value == std::string_view::npos) {
        context.row_error(static_cast<uint32_t>(i),
                          fmt::format("Illegal base64 character {:x}", static_cast<uint8_t>(c)));
        return false;
      }
      bits = (bits << 6) | static_cast<uint32_t>(value);
      have += 6;
      if (have >= 8) {
        have -= 8;
        bytes += static_cast<char>(bits >> have);
      }
    }
    append_valid_utf8(bytes, out);
    return true;
  });
}

ColumnPtr hex_of_text(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    append_hex(in[i], kHexUpper, out);
    return true;
  });
}

ColumnPtr hex_of_number(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int64_t> in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    append_bytes(out, fmt::format("{:X}", static_cast<uint64_t>(in[i])));
    return true;
  });
}

ExpressionPtr resolve_hex(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  if (arguments.size() != 1) fail_arguments(function.name, arguments);
  const LogicalType argument = arguments[0]->type;
  const LogicalType type = LogicalType::string().as_nullable(argument.nullable());
  if (argument.is_string()) return make_kernel_call(function.name, type, hex_of_text, std::move(arguments));
  if (!argument.is_integer()) fail_arguments(function.name, arguments, "'HEX(<INTEGER>)', 'HEX(<CHARACTER>)'");
  Arguments wide{make_cast(arguments[0], LogicalType::bigint().as_nullable(argument.nullable()))};
  return make_kernel_call(function.name, type, hex_of_number, std::move(wide));
}

/// An odd digit in front stands alone.
ColumnPtr unhex(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    std::string_view text = in[i];
    if (text.size() % 2 != 0) {
      if (hex_digit(text[0]) < 0) return false;
      out.append("", 1);
      text.remove_prefix(1);
    }
    for (size_t at = 0; at + 1 < text.size(); at += 2) {
      const int high = hex_digit(text[at]);
      const int low = hex_digit(text[at + 1]);
      if (high < 0 || low < 0) return false;
      const char byte = static_cast<char>(high * 16 + low);
      out.append(&byte, 1);
    }
    return true;
  });
}

bool is_utf8_name(std::string_view name) {
  return name == "UTF-8" || name == "utf-8" || name == "UTF8" || name == "utf8" || name == "US-ASCII";
}
bool is_utf16_name(std::string_view name) {
  return name == "UTF-16" || name == "utf-16" || name == "UTF-16BE" || name == "UTF-16LE";
}

void append_utf16(std::string_view text, std::string_view charset, Buffer& out) {
  const bool little = charset == "UTF-16LE";
  const auto unit = [&](uint32_t u) {
    const char bytes[2] = {static_cast<char>(little ? u : u >> 8), static_cast<char>(little ? u >> 8 : u)};
    out.append(bytes, 2);
  };
  if (charset == "UTF-16" || charset == "utf-16") unit(0xfeff);
  for (size_t at = 0; at < text.size();) {
    const uint32_t c = utf8_next(text, at);
    if (c >= 0x10000) {
      unit(0xd800 + ((c - 0x10000) >> 10));
      unit(0xdc00 + ((c - 0x10000) & 0x3ff));
    } else {
      unit(c);
    }
  }
}

ColumnPtr encode(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const StringReader charset(arguments[1]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    if (is_utf8_name(charset[i])) {
      append_bytes(out, in[i]);
    } else if (is_utf16_name(charset[i])) {
      append_utf16(in[i], charset[i], out);
    } else {
      context.row_error(static_cast<uint32_t>(i), fmt::format("unsupported encoding {}", charset[i]));
    }
    return true;
  });
}

ColumnPtr decode(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const StringReader charset(arguments[1]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    if (is_utf8_name(charset[i])) {
      append_valid_utf8(in[i], out);
    } else {
      context.row_error(static_cast<uint32_t>(i), fmt::format("unsupported encoding {}", charset[i]));
    }
    return true;
  });
}

ColumnPtr url_encode(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    for (const char c : in[i]) {
      const auto byte = static_cast<uint8_t>(c);
      if (std::isalnum(byte) != 0 || c == '*' || c == '-' || c == '.' || c == '_') {
        out.append(&c, 1);
      } else if (c == ' ') {
        out.append("+", 1);
      } else {
        out.append("%", 1);
        append_hex({&c, 1}, kHexUpper, out);
      }
    }
    return true;
  });
}

ColumnPtr url_decode(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    std::string bytes;
    const std::string_view text = in[i];
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '+') {
        bytes += ' ';
      } else if (text[at] != '%') {
        bytes += text[at];
      } else {
        if (at + 2 >= text.size() || hex_digit(text[at + 1]) < 0 || hex_digit(text[at + 2]) < 0) return false;
        bytes += static_cast<char>(hex_digit(text[at + 1]) * 16 + hex_digit(text[at + 2]));
        at += 2;
      }
    }
    append_valid_utf8(bytes, out);
    return true;
  });
}

/// The parts of a URL by java.net.URL's names.
std::optional<std::string_view> url_part(std::string_view url, std::string_view part) {
  const size_t scheme_end = url.find(':');
  if (scheme_end == std::string_view::npos || scheme_end == 0) return std::nullopt;
  std::string_view rest = url.substr(scheme_end + 1);
  if (part == "PROTOCOL") return url.substr(0, scheme_end);
  const size_t hash = rest.find('#');
  if (part == "REF") return hash == std::string_view::npos ? std::nullopt : std::optional(rest.substr(hash + 1));
  rest = rest.substr(0, hash);
  std::string_view authority;
  bool has_authority = false;
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const size_t end = rest.find_first_of("/?");
    authority = rest.substr(0, end);
    has_authority = true;
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
  }
  if (part == "FILE") return rest;
  const size_t question = rest.find('?');
  if (part == "QUERY")
    return question == std::string_view::npos ? std::nullopt : std::optional(rest.substr(question + 1));
  if (part == "PATH") return rest.substr(0, question);
  if (!has_authority) return std::nullopt;
  if (part == "AUTHORITY") return authority;
  const size_t user_end = authority.rfind('@');
  if (part == "USERINFO") {
    return user_end == std::string_view::npos ? std::nullopt : std::optional(authority.substr(0, user_end));
  }
  if (part == "HOST") {
    std::string_view host = user_end == std::string_view::npos ? authority : authority.substr(user_end + 1);
    return host.substr(0, host.rfind(':'));
  }
  return std::nullopt;
}

/// url, part[, key of the query]
ColumnPtr parse_url(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader url(arguments[0]);
  const StringReader part(arguments[1]);
  std::optional<StringReader> key;
  if (arguments.size() > 2) key.emplace(arguments[2]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const std::optional<std::string_view> found = url_part(url[i], part[i]);
    if (!found) return false;
    if (!key) {
      append_bytes(out, *found);
      return true;
    }
    if (part[i] != "QUERY") return false;
    const std::string wanted = std::string((*key)[i]) + "=";
    std::string_view query = *found;
    while (true) {
      const size_t end = query.find('&');
      const std::string_view pair = query.substr(0, end);
      if (pair.starts_with(wanted)) {
        append_bytes(out, pair.substr(wanted.size()));
        return true;
      }
      if (end == std::string_view::npos) return false;
      query.remove_prefix(end + 1);
    }
  });
}

/// "1.2" is 1.0.0.2, as inet_aton has it.
ColumnPtr inet_aton(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  return write_cells<int64_t>(call, arguments, n, [&](size_t i) -> std::optional<int64_t> {
    std::vector<int64_t> parts;
    std::string_view rest = in[i];
    while (true) {
      const size_t dot = rest.find('.');
      const std::string_view part = rest.substr(0, dot);
      int64_t value = 0;
      const auto result = std::from_chars(part.data(), part.data() + part.size(), value);
      if (part.empty() || result.ptr != part.data() + part.size() || value < 0 || parts.size() == 4)
        return std::nullopt;
      parts.push_back(value);
      if (dot == std::string_view::npos) break;
      rest.remove_prefix(dot + 1);
    }
    int64_t address = 0;
    for (size_t k = 0; k + 1 < parts.size(); ++k) {
      if (parts[k] > 255) return std::nullopt;
      address |= parts[k] << (24 - 8 * static_cast<int>(k));
    }
    if (parts.back() >= int64_t{1} << (32 - 8 * (parts.size() - 1))) return std::nullopt;
    return address | parts.back();
  });
}

ColumnPtr inet_ntoa(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int64_t> in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const int64_t address = in[i];
    if (address < 0 || address > std::numeric_limits<uint32_t>::max()) return false;
    append_bytes(out,
                 fmt::format("{}.{}.{}.{}", address >> 24, (address >> 16) & 255, (address >> 8) & 255, address & 255));
    return true;
  });
}

constexpr Function kStringEncodingFunctions[] = {
    {"MD5", "s", type_char<32>, digest<md5>},
    {"SHA1", "s", type_char<40>, digest<sha1>},
    {"SHA224", "s", type_char<56>, digest<sha2_of_bits<224>>},
    {"SHA256", "s", type_char<64>, digest<sha2_of_bits<256>>},
    {"SHA384", "s", type_char<96>, digest<sha2_of_bits<384>>},
    {"SHA512", "s", type_char<128>, digest<sha2_of_bits<512>>},
    {"SHA2", "si", type_varchar<128>, sha2_by_bits, NullRule::kAnyArgument, true},
    {"TO_BASE64", "s|y", type_string, to_base64},
    {"FROM_BASE64", "s", type_string, from_base64, NullRule::kAnyArgument, true},
    {.name = "HEX", .resolver = resolve_hex},
    {"UNHEX", "s", type_bytes, unhex, NullRule::kNullable},
    {"ENCODE", "ss", type_bytes, encode, NullRule::kAnyArgument, true},
    {"DECODE", "ys", type_string, decode, NullRule::kAnyArgument, true},
    {"URL_ENCODE", "s", type_string, url_encode, NullRule::kNullable},
    {"URL_DECODE", "s", type_string, url_decode, NullRule::kNullable},
    {"PARSE_URL", "ss?s", type_string, parse_url, NullRule::kNullable},
    {"INET_ATON", "s", type_of_root<TypeRoot::kBigint>, inet_aton, NullRule::kNullable},
    {"INET_NTOA", "l", type_string, inet_ntoa, NullRule::kNullable},
};

}  // namespace

std::span<const Function> string_encoding_functions() {
  return kStringEncodingFunctions;
}

}  // namespace yeoul
