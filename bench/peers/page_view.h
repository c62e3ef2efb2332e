#pragma once

#include <simdjson.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

/// A page view out of JSON and back, as one would write it by hand for this one kind of record when every nanosecond
/// counts.

namespace peer {

struct PageView {
  std::string_view user_id;
  std::string_view page_id;
  std::string_view viewtime;
  std::string_view user_region;
};

/// The strings of a record. `text` is followed by readable bytes, as simdjson wants it.
class Parser {
 public:
  const PageView& parse(const char* text, size_t size, size_t readable) {
    if (!parse_known(text, text + size)) parse_any(text, size, readable);
    return view_;
  }

 private:
  [[noreturn]] static void bad() { throw std::invalid_argument("this is no page view"); }

  /// The form that all records have: these keys in this order, no blanks, no escapes.
  bool parse_known(const char* at, const char* end) {
    return take(at, end, "{\"user_id\":\"", view_.user_id) && take(at, end, ",\"page_id\":\"", view_.page_id) &&
           take(at, end, ",\"viewtime\":\"", view_.viewtime) &&
           take(at, end, ",\"user_region\":\"", view_.user_region) && end - at == 1 && *at == '}';
  }
  template <size_t N>
  static bool take(const char*& at, const char* end, const char (&before)[N], std::string_view& value) {
    constexpr size_t kSize = N - 1;
    if (static_cast<size_t>(end - at) < kSize || std::memcmp(at, before, kSize) != 0) return false;
    const char* const first = at + kSize;
    const char* last = first;
    while (last < end && *last != '"' && *last != '\\' && static_cast<unsigned char>(*last) >= 0x20) ++last;
    if (last == end || *last != '"') return false;
    value = {first, static_cast<size_t>(last - first)};
    at = last + 1;
    return true;
  }
  void parse_any(const char* text, size_t size, size_t readable) {
    simdjson::ondemand::document document;
    simdjson::ondemand::object object;
    if (parser_.iterate(text, size, readable).get(document) || document.get_object().get(object)) bad();
    view_ = PageView();
    for (auto field : object) {
      std::string_view key;
      if (field.unescaped_key().get(key)) bad();
      std::string_view* target = key == "user_id"       ? &view_.user_id
                                 : key == "page_id"     ? &view_.page_id
                                 : key == "viewtime"    ? &view_.viewtime
                                 : key == "user_region" ? &view_.user_region
                                                        : nullptr;
      if (target != nullptr && field.value().get_string().get(*target)) bad();
    }
  }

  simdjson::ondemand::parser parser_;
  PageView view_;
};

/// "2024-01-01 00:00:00.123" as milliseconds since 1970, and back. The date is worked out when it changes.
class Timestamp {
 public:
  int64_t parse(std::string_view text) {
    if (text.size() != kSize) throw std::invalid_argument("a timestamp is not as expected");
    const char* at = text.data();
    if (std::memcmp(at, parsed_date_, kDate) != 0) {
      parsed_days_ = days(number(at, 4), number(at + 5, 2), number(at + 8, 2));
      std::memcpy(parsed_date_, at, kDate);
    }
    return ((parsed_days_ * 24 + number(at + 11, 2)) * 60 + number(at + 14, 2)) * 60'000 + number(at + 17, 2) * 1'000 +
           number(at + 20, 3);
  }
  /// Writes at most 23 characters; returns their end.
  char* write(char* to, int64_t millis) {
    const int64_t day = millis / 86'400'000;
    const auto ms = static_cast<uint32_t>(millis % 86'400'000);
    if (day != written_days_) {
      write_date(written_date_, day);
      written_days_ = day;
    }
    std::memcpy(to, written_date_, kDate);
    to[10] = ' ';
    digits(to + 11, ms / 3'600'000, 2);
    to[13] = ':';
    digits(to + 14, ms / 60'000 % 60, 2);
    to[16] = ':';
    digits(to + 17, ms / 1'000 % 60, 2);
    const uint32_t fraction = ms % 1'000;
    if (fraction == 0) return to + 19;
    to[19] = '.';
    digits(to + 20, fraction, 3);
    return to + (fraction % 10 != 0 ? 23 : fraction % 100 != 0 ? 22 : 21);
  }

 private:
  static constexpr size_t kDate = 10;
  static constexpr size_t kSize = 23;

  static int64_t number(const char* at, int count) {
    int64_t value = 0;
    for (int i = 0; i < count; ++i) {
      const auto digit = static_cast<unsigned>(at[i] - '0');
      if (digit > 9) throw std::invalid_argument("a timestamp has no digit where one should be");
      value = value * 10 + digit;
    }
    return value;
  }
  static void digits(char* to, uint32_t value, int count) {
    for (int i = count - 1; i >= 0; --i, value /= 10) to[i] = static_cast<char>('0' + value % 10);
  }
  static int64_t days(int64_t y, int64_t m, int64_t d) {  // of the Gregorian calendar, since 1970
    y -= m <= 2;
    const int64_t era = y / 400;
    const int64_t of_era = y - era * 400;
    const int64_t of_year = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
    return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
  }
  static void write_date(char* to, int64_t day) {
    const int64_t z = day + 719'468;
    const int64_t era = z / 146'097;
    const int64_t of_era = z - era * 146'097;
    const int64_t year = (of_era - of_era / 1'460 + of_era / 36'524 - of_era / 146'096) / 365;
    const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    const int64_t month = (5 * of_year + 2) / 153;
    digits(to, static_cast<uint32_t>(year + era * 400 + (month >= 10)), 4);
    to[4] = '-';
    digits(to + 5, static_cast<uint32_t>(month < 10 ? month + 3 : month - 9), 2);
    to[7] = '-';
    digits(to + 8, static_cast<uint32_t>(of_year - (153 * month + 2) / 5 + 1), 2);
  }

  char parsed_date_[kDate] = {};
  int64_t parsed_days_ = 0;
  char written_date_[kDate] = {};
  int64_t written_days_ = -1;
};

/// JSON objects, written into one buffer that is used again.
class Writer {
 public:
  /// @param bytes  of all strings to come
  void begin(size_t bytes) {
    const size_t most = 6 * bytes + 256;
    if (buffer_.size() < most) buffer_.resize(most);
    at_ = buffer_.data();
  }
  template <size_t N>
  void put(const char (&text)[N]) {
    std::memcpy(at_, text, N - 1);
    at_ += N - 1;
  }
  void put_number(int64_t value) { at_ = std::to_chars(at_, at_ + 20, value).ptr; }
  void put_timestamp(int64_t millis) { at_ = timestamp_.write(at_, millis); }
  void put_string(std::string_view text) {
    *at_++ = '"';
    for (const char c : text) {
      if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20) {
        *at_++ = c;
        continue;
      }
      *at_++ = '\\';
      if (c == '"' || c == '\\') {
        *at_++ = c;
        continue;
      }
      const char* const hex = "0123456789ABCDEF";
      std::memcpy(at_, "u00", 3);
      at_[3] = hex[c >> 4];
      at_[4] = hex[c & 15];
      at_ += 5;
    }
    *at_++ = '"';
  }
  std::string_view text() const { return {buffer_.data(), static_cast<size_t>(at_ - buffer_.data())}; }

  std::string_view page_view(std::string_view user_id, std::string_view page_id, int64_t viewtime,
                             std::string_view user_region) {
    begin(user_id.size() + page_id.size() + user_region.size());
    put("{\"user_id\":");
    put_string(user_id);
    put(",\"page_id\":");
    put_string(page_id);
    put(",\"viewtime\":\"");
    put_timestamp(viewtime);
    put("\",\"user_region\":");
    put_string(user_region);
    put("}");
    return text();
  }

 private:
  std::string buffer_;
  char* at_ = nullptr;
  Timestamp timestamp_;
};

}  // namespace peer
