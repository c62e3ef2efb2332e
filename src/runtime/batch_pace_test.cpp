#include "yeoul/runtime/batch_pace.h"

#include <gtest/gtest.h>

namespace yeoul {
namespace {

constexpr int64_t kMs = 1'000'000;

/// Rows of the next batches of a chain that takes so long for each row.
int64_t after_batches(BatchPace& pace, int batches, int64_t row_ns) {
  for (int i = 0; i < batches; ++i) pace.on_batch(static_cast<size_t>(pace.next()), pace.next() * row_ns);
  return pace.next();
}

TEST(BatchPace, GrowsToTheMaximumWhereFunctionsAreFast) {
  BatchPace pace(1000, true);
  EXPECT_LE(pace.next(), 16);
  EXPECT_EQ(after_batches(pace, 7, 500), 1000);
}

TEST(BatchPace, HoldsWhatIsDoneInAMomentWhereTheyAreSlow) {
  BatchPace pace(1024, true);
  const int64_t rows = after_batches(pace, 10, 2 * kMs);
  EXPECT_GE(rows, 5);
  EXPECT_LE(rows, 25);
  EXPECT_EQ(after_batches(pace, 3, 600 * kMs), 1);
  EXPECT_EQ(after_batches(pace, 20, 1000), 1024) << "they are fast again";
}

TEST(BatchPace, BatchesThatWereNotFullSayNothing) {
  BatchPace pace(1024, true);
  const int64_t before = pace.next();
  pace.on_batch(1, 100);
  EXPECT_EQ(pace.next(), before);
}

TEST(BatchPace, UnpacedBatchesAreAlwaysAsLarge) {
  BatchPace pace(1024, false);
  EXPECT_EQ(after_batches(pace, 3, 100 * kMs), 1024);
}

}  // namespace
}  // namespace yeoul
