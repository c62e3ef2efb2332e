#include "yeoul/kafka/protocol/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace yeoul {
namespace {

TEST(Crc32cTest, KnownValues) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);            // the check value of the catalogues
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c_by_tables("123456789"), 0xe3069283u);
}

TEST(Crc32cTest, InstructionAndTablesAgree) {
  std::string bytes;
  uint32_t state = 1;
  for (int i = 0; i < 10'000; ++i) bytes += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const std::string_view all = bytes;
  for (size_t start = 0; start < 9; ++start) {
    for (const size_t size : {0, 1, 7, 8, 9, 1535, 1536, 1537, 3071, 3072, 4000, 9000}) {
      EXPECT_EQ(crc32c(all.substr(start, size)), crc32c_by_tables(all.substr(start, size))) << start << ' ' << size;
    }
  }
}

}  // namespace
}  // namespace yeoul
