#include "yeoul/common/utf8.h"

#include <gtest/gtest.h>

#include "yeoul/common/charset.h"

namespace yeoul {
namespace {

std::string valid(std::string_view bytes) {
  std::string out;
  append_valid_utf8(bytes, out);
  return out;
}

TEST(Utf8, CountsCharactersAsUsersAndAsJavaDo) {
  const std::string text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
  EXPECT_EQ(utf8_length(text), 4u);
  EXPECT_EQ(utf16_length(text), 5u);
  EXPECT_EQ(utf8_offset(text, 2), 3u);
  EXPECT_EQ(utf8_offset(text, 9), text.size());
  EXPECT_EQ(utf16_offset(text, 4), 6u) << "a character is not cut";
  std::string again;
  for (size_t at = 0; at < text.size();) append_utf8(utf8_next(text, at), again);
  EXPECT_EQ(again, text);
}

TEST(Utf8, WhatIsNoneIsReplacedAsJavaDoes) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(valid("a\xc3\xa9"), "a\xc3\xa9");
  EXPECT_EQ(valid("\xff\x80"), bad + bad);
  EXPECT_EQ(valid("\xc0\xaf"), bad + bad) << "overlong";
  EXPECT_EQ(valid("\xed\xa0\x80"), bad + bad + bad) << "a surrogate";
  EXPECT_EQ(valid("\xe2\x82"), bad) << "cut off";
  EXPECT_EQ(valid("\xe2\x82z\xf5"), bad + "z" + bad);
}

TEST(Charset, IsKnownByJavasNames) {
  EXPECT_EQ(find_charset("utf8"), Charset::kUtf8);
  EXPECT_EQ(find_charset("ISO-8859-1"), Charset::kLatin1);
  EXPECT_EQ(find_charset("Latin1"), Charset::kLatin1);
  EXPECT_EQ(find_charset("US-ASCII"), Charset::kAscii);
  EXPECT_EQ(find_charset("UTF-16"), std::nullopt);
}

TEST(Charset, EncodesAndDecodes) {
  const auto encoded = [](std::string_view text, Charset charset) {
    std::string out = ">";
    append_encoded(text, charset, out);
    return out;
  };
  const std::string text = "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
  EXPECT_EQ(encoded(text, Charset::kUtf8), ">" + text);
  EXPECT_EQ(encoded(text, Charset::kLatin1), ">caf\xe9 ? ?");
  EXPECT_EQ(encoded(text, Charset::kAscii), ">caf? ? ?");
  EXPECT_EQ(encoded("\xc3", Charset::kLatin1), ">?");
  EXPECT_EQ(encoded("\x80z\xc3z", Charset::kLatin1), ">?z?z");
  std::string out = ">";
  EXPECT_EQ(append_decoded("caf\xe9", Charset::kLatin1, out), std::string::npos);
  EXPECT_EQ(append_decoded("a\xe9\xe8", Charset::kAscii, out), 1u);
  EXPECT_EQ(append_decoded("\xe9", Charset::kUtf8, out), std::string::npos);
  EXPECT_EQ(out,
            ">caf\xc3\xa9"
            "a\xef\xbf\xbd\xef\xbf\xbd\xe9");
}

}  // namespace
}  // namespace yeoul
