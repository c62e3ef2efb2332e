#include "yeoul/types/type_info.h"

#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/types/test_values.h"

namespace yeoul {
namespace {

enum class Colour : uint8_t { kRed = 1, kBlue = 2 };

struct Point {
  int32_t x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
  static constexpr auto fields() { return describe("Point", 3, field("x", &Point::x), field("y", &Point::y)); }
};

struct Click {
  std::string user;
  std::vector<Point> path;
  std::map<std::string, int64_t> counts;
  Colour colour = Colour::kRed;
  bool operator==(const Click&) const = default;
  static constexpr auto fields() {
    return describe("Click", 1, field("user", &Click::user), field("path", &Click::path),
                    field("counts", &Click::counts), field("colour", &Click::colour));
  }
};

template <class T>
std::string bytes_of(const T& value) {
  ByteWriter writer;
  TypeInfo<T>::encode(value, writer);
  return writer.take();
}

template <class T>
void round_trip(const T& value) {
  const std::string bytes = bytes_of(value);
  ByteReader reader(bytes);
  EXPECT_EQ(TypeInfo<T>::decode(reader), value) << TypeInfo<T>::name();
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(TypeInfo<T>::hash(value), murmur3_32(bytes));
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    ByteReader shorter(std::string_view(bytes).substr(0, cut));
    EXPECT_THROW(TypeInfo<T>::decode(shorter), Error) << TypeInfo<T>::name() << " " << cut;
  }
}

TEST(TypeInfo, RoundTrips) {
  round_trip(true);
  round_trip<int8_t>(-128);
  round_trip<uint64_t>(UINT64_MAX);
  round_trip(-0.5f);
  round_trip(1e300);
  round_trip(static_cast<int128>(1) << 100);
  round_trip(std::string("a\0b", 3));
  round_trip(TimestampValue{-1, 999999});
  round_trip(std::vector<std::string>{"", "x"});
  round_trip(std::pair<int32_t, std::string>{7, "seven"});
  round_trip(std::map<std::string, std::vector<int16_t>>{{"a", {1, 2}}, {"b", {}}});
  round_trip(std::tuple<int32_t, std::string, bool>{1, "two", true});
  round_trip(Colour::kBlue);
  round_trip(Click{"ada", {{1, 0.5}, {2, -1}}, {{"x", 1}}, Colour::kBlue});
}

TEST(TypeInfo, StoredBytesNeverChange) {
  EXPECT_EQ(hex_text(bytes_of(Click{"ada", {{1, 0.5}}, {{"x", 2}}, Colour::kBlue})),
            "03616461"
            "01"
            "01000000"
            "000000000000e03f"
            "01"
            "0178"
            "0200000000000000"
            "02");
  EXPECT_EQ(hex_text(bytes_of(std::tuple<int32_t, bool>{-2, true})), "feffffff01");
  EXPECT_EQ(TypeInfo<std::string>::hash("hello"), murmur3_32(std::string("\x05") + "hello"));
}

TEST(TypeInfo, NamesAndVersions) {
  EXPECT_EQ(TypeInfo<long>::name(), TypeInfo<long long>::name());
  EXPECT_EQ((TypeInfo<std::map<std::string, std::vector<int32_t>>>::name()), "MAP<STRING, LIST<INT32>>");
  EXPECT_EQ((TypeInfo<std::tuple<bool, int128>>::name()), "TUPLE<BOOL, INT128>");
  EXPECT_EQ(TypeInfo<Click>::name(),
            "Click{user STRING, path LIST<Point{x INT32, y DOUBLE}>, counts MAP<STRING, INT64>, colour ENUM<UINT8>}");
  EXPECT_EQ(TypeInfo<Point>::version(), 3u);
  // A change of Point is a change of what holds it.
  EXPECT_EQ(TypeInfo<Click>::version(), 3u);
  EXPECT_EQ((TypeInfo<std::tuple<bool, Point>>::version()), 3u);
}

TEST(TypeInfo, NanIsOneKey) {
  EXPECT_EQ(bytes_of(std::bit_cast<double>(0x7ff8000000000001ull)), bytes_of(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_NE(bytes_of(0.0), bytes_of(-0.0));
}

}  // namespace
}  // namespace yeoul
