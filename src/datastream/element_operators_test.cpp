#include <gtest/gtest.h>

#include "yeoul/datastream/datastream.h"

namespace yeoul {
namespace {

struct Count {
  std::string word;
  int64_t count = 0;
  bool operator==(const Count&) const = default;
  static constexpr auto fields() {
    return describe("Count", 1, field("word", &Count::word), field("count", &Count::count));
  }
};

TEST(DataStream, CountsWords) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  const auto counts = env.from_collection<std::string>({"to be or", "", "not to be"})
                          .flat_map([](const std::string& line, Collector<Count>& out) {
                            std::string word;
                            for (const char c : line + " ") {
                              if (c != ' ') {
                                word += c;
                              } else if (!word.empty()) {
                                out.collect({std::exchange(word, ""), 1});
                              }
                            }
                          })
                          .filter([](const Count& count) { return count.word != "or"; })
                          .key_by([](const Count& count) { return count.word; })
                          .reduce([](const Count& a, const Count& b) {
                            return Count{a.word, a.count + b.count};
                          })
                          .execute_and_collect()
                          .to_vector();
  EXPECT_EQ(counts, (std::vector<Count>{{"to", 1}, {"be", 1}, {"not", 1}, {"to", 2}, {"be", 2}}));
}

TEST(DataStream, MapsAndUnitesInParallel) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(2);
  const auto numbers = env.from_sequence(1, 3000);
  const auto doubled = numbers.map([](int64_t n) { return n * 2; });
  auto values = doubled.union_(numbers.filter([](int64_t n) { return n > 2999; })).execute_and_collect().to_vector();
  std::sort(values.begin(), values.end());
  ASSERT_EQ(values.size(), 3001u);
  EXPECT_EQ(values.front(), 2);
  EXPECT_EQ(values.back(), 6000);
}

}  // namespace
}  // namespace yeoul
