#include "yeoul/formats/json/json_text_buffer.h"

#include <algorithm>
#include <charconv>

#include "yeoul/formats/json/json_text.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace yeoul {
namespace {

constexpr int64_t kMillisOfDay = 86'400'000;

/// Whether no character of [text, text + size) needs an escape. 16 bytes behind the end are readable.
bool is_plain(const char* text, size_t size) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i control = _mm_set1_epi8(0x1f);
  for (size_t at = 0; at < size; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at));
    const __m128i bad = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)),
                                     _mm_cmpeq_epi8(_mm_min_epu8(block, control), block));
    auto mask = static_cast<uint32_t>(_mm_movemask_epi8(bad));
    if (size - at < 16) mask &= (1u << (size - at)) - 1;
    if (mask != 0) return false;
  }
  return true;
#else
  return std::none_of(text, text + size,
                      [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; });
#endif
}

char* write_two(char* to, int64_t value) {
  to[0] = static_cast<char>('0' + value / 10);
  to[1] = static_cast<char>('0' + value % 10);
  return to + 2;
}

}  // namespace

void JsonTextBuffer::grow(size_t bytes) {
  capacity_ = std::max({capacity_ * 2, size_ + bytes + kSlack, size_t{4096}});
  auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
  if (size_ != 0) std::memcpy(larger.get(), bytes_.get(), size_);
  bytes_ = std::move(larger);
}

void JsonTextBuffer::append_quoted(std::string_view text) {
  char* to = room(text.size() + 2);
  *to = '"';
  copy_bytes(to + 1, text.data(), text.size());
  if (is_plain(to + 1, text.size())) {
    to[1 + text.size()] = '"';
    size_ += text.size() + 2;
    return;
  }
  scratch_.clear();
  append_json_string(text, scratch_);
  append(scratch_);
}

void JsonTextBuffer::append_integer(int64_t value) {
  constexpr size_t kMaxDigits = 20;
  char* to = room(kMaxDigits);
  size_ += static_cast<size_t>(std::to_chars(to, to + kMaxDigits, value).ptr - to);
}

void JsonTextBuffer::append_timestamp(TimestampValue value, char separator) {
  int64_t days = value.millis / kMillisOfDay;
  int64_t millis = value.millis % kMillisOfDay;
  if (millis < 0) {
    millis += kMillisOfDay;
    --days;
  }
  if (!date_known_ || days != date_days_) {
    scratch_.clear();
    append_java_date(days, scratch_);
    date_known_ = scratch_.size() == sizeof date_text_;
    date_days_ = days;
    if (date_known_) std::memcpy(date_text_, scratch_.data(), sizeof date_text_);
  }
  if (!date_known_ || value.nanos != 0) {
    scratch_.clear();
    append_java_timestamp(value, separator, scratch_);
    return append(scratch_);
  }
  constexpr size_t kMax = 23;  // '2024-12-31 23:59:59.999'
  char* const start = room(kMax);
  std::memcpy(start, date_text_, sizeof date_text_);
  char* to = start + sizeof date_text_;
  *to++ = separator;
  const int64_t second = millis / 1000;
  to = write_two(to, second / 3600);
  *to++ = ':';
  to = write_two(to, second / 60 % 60);
  *to++ = ':';
  to = write_two(to, second % 60);
  if (const int64_t fraction = millis % 1000; fraction != 0) {
    *to = '.';
    to[1] = static_cast<char>('0' + fraction / 100);
    write_two(to + 2, fraction % 100);
    to += fraction % 10 != 0 ? 4 : fraction % 100 != 0 ? 3 : 2;
  }
  size_ += static_cast<size_t>(to - start);
}

}  // namespace yeoul
