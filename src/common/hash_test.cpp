#include "yeoul/common/hash.h"

#include <gtest/gtest.h>

namespace yeoul {
namespace {

// Published vectors of MurmurHash3_x86_32 with seed 0.
TEST(Hash, Murmur3IsTheStandardOne) {
  EXPECT_EQ(murmur3_32(""), 0u);
  EXPECT_EQ(murmur3_32("test"), 0xba6bd213u);
  EXPECT_EQ(murmur3_32("Hello, world!"), 0xc0363e43u);
  EXPECT_EQ(murmur3_32("The quick brown fox jumps over the lazy dog"), 0x2e4ff723u);
}

}  // namespace
}  // namespace yeoul
