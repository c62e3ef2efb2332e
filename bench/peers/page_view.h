#pragma once

#include <simdjson.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

/// A page view out of JSON and back, as one would write it by hand for this one kind of record.

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
    return view_;
  }

 private:
  [[noreturn]] static void bad() { throw std::invalid_argument("this is no page view"); }

  simdjson::ondemand::parser parser_;
  PageView view_;
};

/// "2024-01-01 00:00:00.123" as milliseconds since 1970, and back.
struct Timestamp {
  static int64_t number(const char* at, int digits) {
    int64_t value = 0;
    for (int i = 0; i < digits; ++i) {
      const auto digit = static_cast<unsigned>(at[i] - '0');
      if (digit > 9) throw std::invalid_argument("a timestamp has no digit where one should be");
      value = value * 10 + digit;
    }
    return value;
  }
  static int64_t days(int64_t y, int64_t m, int64_t d) {  // of the Gregorian calendar, since 1970
    y -= m <= 2;
    const int64_t era = y / 400;
    const int64_t of_era = y - era * 400;
    const int64_t of_year = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
    return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
  }
  static int64_t parse(std::string_view text) {
    if (text.size() != 23) throw std::invalid_argument("a timestamp is not as expected");
    const char* at = text.data();
    const int64_t date = days(number(at, 4), number(at + 5, 2), number(at + 8, 2));
    return ((date * 24 + number(at + 11, 2)) * 60 + number(at + 14, 2)) * 60'000 + number(at + 17, 2) * 1'000 +
           number(at + 20, 3);
  }
  static void digits(std::string& out, int64_t value, int count) {
    char text[8];
    for (int i = count - 1; i >= 0; --i, value /= 10) text[i] = static_cast<char>('0' + value % 10);
    out.append(text, static_cast<size_t>(count));
  }
  static void append(std::string& out, int64_t millis) {
    const int64_t z = millis / 86'400'000 + 719'468;
    const int64_t era = z / 146'097;
    const int64_t of_era = z - era * 146'097;
    const int64_t year = (of_era - of_era / 1'460 + of_era / 36'524 - of_era / 146'096) / 365;
    const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    const int64_t month = (5 * of_year + 2) / 153;
    const int64_t ms = millis % 86'400'000;
    digits(out, year + era * 400 + (month >= 10), 4);
    out += '-';
    digits(out, month < 10 ? month + 3 : month - 9, 2);
    out += '-';
    digits(out, of_year - (153 * month + 2) / 5 + 1, 2);
    out += ' ';
    digits(out, ms / 3'600'000, 2);
    out += ':';
    digits(out, ms / 60'000 % 60, 2);
    out += ':';
    digits(out, ms / 1'000 % 60, 2);
    int64_t fraction = ms % 1'000;
    if (fraction == 0) return;
    out += '.';
    for (int64_t unit = 100; fraction != 0; fraction %= unit, unit /= 10)
      out += static_cast<char>('0' + fraction / unit);
  }
};

inline void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04X", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  out += '"';
}

/// `{"user_id":…,"page_id":…,"viewtime":…,"user_region":…}`
inline void append_page_view(std::string& out, std::string_view user_id, std::string_view page_id, int64_t viewtime,
                             std::string_view user_region) {
  out += "{\"user_id\":";
  append_quoted(out, user_id);
  out += ",\"page_id\":";
  append_quoted(out, page_id);
  out += ",\"viewtime\":\"";
  Timestamp::append(out, viewtime);
  out += "\",\"user_region\":";
  append_quoted(out, user_region);
  out += '}';
}

}  // namespace peer
