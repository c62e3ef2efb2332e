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

using Texts = std::vector<std::string>;

struct Exclaims {
  std::string map(const std::string& text) const { return text + "!"; }
};
struct IsLong {
  bool filter(const std::string& text) const { return text.size() > 2; }
};
struct Repeats {
  void open(RuntimeContext& context) { times = context.get_number_of_parallel_subtasks() + 1; }
  void flat_map(const std::string& text, Collector<std::string>& out) const {
    for (int i = 0; i < times; ++i) out.collect(text);
  }
  int times = 0;
};
struct RepeatsAny {
  template <class T>
  void flat_map(const T& value, Collector<T>& out) const {
    out.collect(value), out.collect(value);
  }
};

TEST(DataStream, FunctionsAreClasses) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(1);
  const auto texts = env.from_elements<std::string>("a", "bc");
  EXPECT_EQ(texts.map(Exclaims()).filter(IsLong()).execute_and_collect().to_vector(), Texts{"bc!"});
  EXPECT_EQ(texts.flat_map(Repeats()).execute_and_collect().to_vector(), (Texts{"a", "a", "bc", "bc"}));
  EXPECT_EQ(texts.flat_map<std::string>(Repeats()).execute_and_collect().to_vector(), (Texts{"a", "a", "bc", "bc"}));
  EXPECT_EQ(texts.flat_map<std::string>(RepeatsAny()).execute_and_collect().to_vector(), (Texts{"a", "a", "bc", "bc"}));
}

TEST(DataStream, FunctionsAreGenericLambdas) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(1);
  const auto texts = env.from_elements<std::string>("a", "bc");
  const auto longer =
      texts.map([](const auto& text) { return text + "!"; }).filter([](const auto& text) { return text.size() > 2; });
  EXPECT_EQ(longer.execute_and_collect().to_vector(), Texts{"bc!"});
  const auto parts = texts.flat_map<std::string>([](const auto& text, auto& out) noexcept { out.collect(text); });
  EXPECT_EQ(parts.execute_and_collect().to_vector(), (Texts{"a", "bc"}));
  const auto lists = texts.flat_map([](const auto& text) { return Texts{text, text}; });
  EXPECT_EQ(lists.execute_and_collect().to_vector(), (Texts{"a", "a", "bc", "bc"}));
  EXPECT_EQ(texts.flat_map([](const std::string& text, Collector<size_t>& out) noexcept { out.collect(text.size()); })
                .execute_and_collect()
                .to_vector(),
            (std::vector<size_t>{1, 2}));
}

}  // namespace
}  // namespace yeoul
