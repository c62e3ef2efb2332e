#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "yeoul/formats/json/json_index.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace yeoul {

/// Kinds of JSON values, as the bytes show them.
enum class JsonKind : uint8_t { kString, kInteger, kFloat, kTrue, kFalse, kNull, kObject, kArray, kBroken };

/// Position of the first backslash, or the size. Reads up to 16 bytes behind the end.
inline size_t find_backslash(std::string_view text) {
#ifdef __SSE2__
  const __m128i backslash = _mm_set1_epi8('\\');
  for (size_t at = 0; at < text.size(); at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(block, backslash));
    if (mask != 0) {
      const size_t found = at + static_cast<size_t>(__builtin_ctz(static_cast<unsigned>(mask)));
      return found < text.size() ? found : text.size();
    }
  }
  return text.size();
#else
  const size_t found = text.find('\\');
  return found == std::string_view::npos ? text.size() : found;
#endif
}

/// The first quote, backslash or byte beyond ASCII in [at, end), or `end`. Reads up to 16 bytes behind the end.
inline const char* find_string_stop(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  for (; at < end; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // Bytes beyond ASCII have their sign bit set already.
    const __m128i stops = _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash));
    const int mask = _mm_movemask_epi8(_mm_or_si128(stops, block));
    if (mask == 0) continue;
    at += __builtin_ctz(static_cast<unsigned>(mask));
    return at < end ? at : end;
  }
  return end;
#else
  while (at < end && *at != '"' && *at != '\\' && static_cast<uint8_t>(*at) < 0x80) ++at;
  return at;
#endif
}

/// Where a value of the usual form ends that starts at `at`: a string without escapes and all ASCII, a number or a
/// literal. Null for any other. Reads up to 16 bytes behind the end.
inline const char* end_of_usual_value(const char* at, const char* end) {
  if (*at == '"') {
    const char* const behind = find_string_stop(at + 1, end);
    return behind == end || *behind != '"' ? nullptr : behind + 1;
  }
  if (*at == '{' || *at == '[') return nullptr;
  const char* behind = at;
  while (behind<end&& * behind> ' ' && *behind != ',' && *behind != '}') ++behind;
  return behind;
}

/// Walks the tokens of an indexed text and checks all of JSON's grammar on the way, also in values that nobody asked
/// for. Functions that return false (or kBroken, kError) have set error() and error_byte(). Threads: one.
class JsonCursor {
 public:
  /// A place to come back to.
  using Mark = const uint32_t*;

  /// `data` is readable behind its end, as Message says.
  void reset(const char* data, const JsonIndex& index) {
    data_ = data;
    token_ = index.tokens();
    end_ = token_ + index.num_tokens();
    error_ = nullptr;
  }

  /// For one value that is no object or array: `token` is where it starts, the entry behind it where it ends.
  void reset_to_scalar(const char* data, const uint32_t* token) {
    data_ = data;
    token_ = token;
    end_ = token + 1;
    error_ = nullptr;
  }

  Mark mark() const { return token_; }
  void rewind(Mark mark) { token_ = mark; }
  void advance() { ++token_; }
  /// The current token's first byte; '\0' behind the last.
  char peek() const { return token_ < end_ ? data_[*token_] : '\0'; }
  uint32_t byte() const { return *token_; }

  /// The current string between its quotes, escapes as they stand.
  std::string_view raw_string() const {
    const char* first = data_ + token_[0] + 1;
    const char* last = data_ + token_[1] - 1;
    while (*last != '"') --last;
    return {first, static_cast<size_t>(last - first)};
  }
  /// The current number or literal, or whatever stands there.
  std::string_view raw_scalar() const {
    const char* first = data_ + token_[0];
    const char* last = data_ + token_[1];
    while (last > first && is_blank(last[-1])) --last;
    return {first, static_cast<size_t>(last - first)};
  }
  /// Takes the current token when it is an integer of at most 18 digits; leaves it otherwise.
  bool take_integer(int64_t& value) {
    const char* at = data_ + token_[0];
    const char* const limit = data_ + token_[1];
    const bool negative = *at == '-';
    at += negative;
    const char* const first = at;
    uint64_t digits = 0;
    while (at < limit && static_cast<uint8_t>(*at - '0') < 10) digits = digits * 10 + static_cast<uint8_t>(*at++ - '0');
    const auto count = at - first;
    if (count == 0 || count > 18 || (*first == '0' && count > 1)) return false;
    if (at != limit && !is_blank(*at)) return false;
    value = negative ? -static_cast<int64_t>(digits) : static_cast<int64_t>(digits);
    ++token_;
    return true;
  }

  enum class Step { kValue, kEnd, kError };
  /// Inside an object, behind its '{' (`first`) or a value: moves to the next field's value, or behind the '}'.
  Step next_field(bool first, std::string_view& raw_key) {
    char c = peek();
    if (c == '}') {
      ++token_;
      return Step::kEnd;
    }
    if (!first) {
      if (c != ',') return error_step("',' or '}' is missing");
      ++token_;
      c = peek();
    }
    if (c != '"') return error_step("a field name in double quotes is missing");
    raw_key = raw_string();
    ++token_;
    if (peek() != ':') return error_step("':' is missing");
    ++token_;
    return Step::kValue;
  }
  /// The same for an array's elements.
  Step next_element(bool first) {
    if (peek() == ']') {
      ++token_;
      return Step::kEnd;
    }
    if (!first) {
      if (peek() != ',') return error_step("',' or ']' is missing");
      ++token_;
    }
    return Step::kValue;
  }

  /// Kind of the current value; numbers and literals are checked whole. kBroken: no JSON.
  JsonKind kind();
  /// Moves behind the current value, checking it.
  bool skip_value(int depth = 0);
  /// The current string without escapes: a view of the text, or of `scratch` where there are some. False: a bad escape.
  bool string_text(std::string& scratch, std::string_view& text) {
    text = raw_string();
    if (find_backslash(text) == text.size()) return true;
    if (!unescape(text, scratch)) return false;
    text = scratch;
    return true;
  }
  /// A raw key without escapes, likewise.
  bool unescape(std::string_view raw, std::string& out);
  /// Appends the current value as Jackson's JsonNode.toString writes it (no blanks, of equal keys the last value) and
  /// moves behind it. `exact_decimals`: fractions as java.math.BigDecimal, else as double.
  bool append_tree(std::string& out, bool exact_decimals, int depth = 0);

  const char* error() const { return error_; }
  int64_t error_byte() const { return error_byte_; }
  bool fail(const char* why) { return fail_at(why, token_ <= end_ ? *token_ : *end_); }
  bool fail_at(const char* why, int64_t byte) {
    error_ = why;
    error_byte_ = byte;
    return false;
  }

  /// Jackson's limit.
  static constexpr int kMaxDepth = 1000;

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  Step error_step(const char* why) {
    fail(why);
    return Step::kError;
  }
  bool append_tree_object(std::string& out, bool exact_decimals, int depth);

  const char* data_ = nullptr;
  const uint32_t* token_ = nullptr;
  const uint32_t* end_ = nullptr;
  const char* error_ = nullptr;
  int64_t error_byte_ = -1;
};

}  // namespace yeoul
