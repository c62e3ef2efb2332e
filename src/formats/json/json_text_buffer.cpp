#include "yeoul/formats/json/json_text_buffer.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "yeoul/formats/json/json_text.h"
#include "yeoul/types/text.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace yeoul {
namespace {

constexpr int64_t kMillisOfDay = 86'400'000;

#ifdef __SSE2__
/// Ones where a byte needs an escape.
__m128i escapes(__m128i block) {
  const __m128i control = _mm_set1_epi8(0x1f);
  return _mm_or_si128(
      _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))),
      _mm_cmpeq_epi8(_mm_min_epu8(block, control), block));
}

/// Copies the first and the last bytes of a text that both words cover together.
template <class Word>
__m128i copy_ends(char* to, const char* from, size_t size) {
  Word first, last;
  std::memcpy(&first, from, sizeof first);
  std::memcpy(&last, from + size - sizeof last, sizeof last);
  std::memcpy(to, &first, sizeof first);
  std::memcpy(to + size - sizeof last, &last, sizeof last);
  if constexpr (sizeof(Word) == 8) {
    return _mm_set_epi64x(static_cast<int64_t>(last), static_cast<int64_t>(first));
  } else {
    const auto low = static_cast<int32_t>(first), high = static_cast<int32_t>(last);
    return _mm_set_epi32(high, low, high, low);
  }
}

/// Copies a text, and tells whether none of its characters needs an escape. The bytes are looked at where they come
/// from: to read what was just written, in other pieces, would wait for the writes.
bool copy_plain(char* to, const char* from, size_t size) {
  __m128i bad = _mm_setzero_si128();
  const auto copy_block = [&](size_t at) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), block);
    bad = _mm_or_si128(bad, escapes(block));
  };
  if (size >= 16) {
    for (size_t at = 0; at + 16 <= size; at += 16) copy_block(at);
    copy_block(size - 16);
  } else if (size >= 8) {
    bad = escapes(copy_ends<uint64_t>(to, from, size));
  } else if (size >= 4) {
    bad = escapes(copy_ends<uint32_t>(to, from, size));
  } else {
    for (size_t at = 0; at < size; ++at) bad = _mm_or_si128(bad, escapes(_mm_set1_epi8(to[at] = from[at])));
  }
  return _mm_movemask_epi8(bad) == 0;
}
#else
bool copy_plain(char* to, const char* from, size_t size) {
  copy_bytes(to, from, size);
  return std::none_of(from, from + size,
                      [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; });
}
#endif

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
  if (copy_plain(to + 1, text.data(), text.size())) {
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

void JsonTextBuffer::append_double(double value) {
  scratch_.clear();
  append_double_text(value, scratch_);
  append_number(std::isfinite(value));
}

void JsonTextBuffer::append_float(float value) {
  scratch_.clear();
  append_float_text(value, scratch_);
  append_number(std::isfinite(value));
}

/// What the scratch holds.
void JsonTextBuffer::append_number(bool finite) {
  if (!finite) put('"');
  append(scratch_);
  if (!finite) put('"');
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
