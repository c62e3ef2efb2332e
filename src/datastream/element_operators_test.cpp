#include <gtest/gtest.h>

#include <limits>

#include "yeoul/common/error.h"
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

/// Each number, with the subtask that had it.
class SaysSubtask : public ProcessFunction<int64_t, std::pair<int64_t, int64_t>> {
 public:
  void open(RuntimeContext& context) override { subtask_ = context.get_index_of_this_subtask(); }
  void process_element(const int64_t& value, Context&, Collector<std::pair<int64_t, int64_t>>& out) override {
    out.collect({value, subtask_});
  }

 private:
  int64_t subtask_ = 0;
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

/// First and last number of each part.
std::vector<std::pair<int64_t, int64_t>> parts(int64_t first, int64_t last, int count) {
  std::vector<std::pair<int64_t, int64_t>> ends;
  for (const SourceSplit& split : range_splits(first, last, count)) {
    const RangeSplit range = RangeSplit::from_split(split);
    ends.emplace_back(range.position, range.last);
  }
  return ends;
}

TEST(DataStream, SequencesReachTheGreatestNumber) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  for (const int parallelism : {1, 3}) {
    auto env = StreamExecutionEnvironment::get_execution_environment();
    env.set_parallelism(parallelism);
    env.config().batch_records_max = 2;
    const auto numbers = [&](int64_t first, int64_t last) {
      auto values = env.from_sequence(first, last).execute_and_collect().to_vector();
      std::sort(values.begin(), values.end());
      return values;
    };
    using Numbers = std::vector<int64_t>;
    EXPECT_EQ(numbers(kMax - 4, kMax), (Numbers{kMax - 4, kMax - 3, kMax - 2, kMax - 1, kMax}));
    EXPECT_EQ(numbers(kMax, kMax), Numbers{kMax});
    EXPECT_EQ(numbers(kMin, kMin + 1), (Numbers{kMin, kMin + 1}));
    EXPECT_EQ(env.from_sequence(kMin, kMax).execute_and_collect("all", 10).size(), 10u);
  }
  using Ends = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(parts(kMin, kMax, 1), (Ends{{kMin, kMax}}));
  EXPECT_EQ(parts(kMin, kMax, 2), (Ends{{kMin, -1}, {0, kMax}}));
  EXPECT_EQ(parts(5, 7, 5), (Ends{{5, 5}, {6, 6}, {7, 7}}));
  EXPECT_EQ(parts(0, -1, 2), Ends());
}

struct Nothing {
  static constexpr auto fields() { return describe("Nothing", 1); }
};

TEST(DataStream, RecordsAreShownAsInFlink) {
  const auto text = [](const auto& value) {
    std::string out;
    append_text(out, value);
    return out;
  };
  using Scores = std::map<std::string, std::vector<int64_t>>;
  EXPECT_EQ(text(Scores()), "{}");
  EXPECT_EQ(text(Scores{{"a", {1, 2}}, {"b", {}}}), "{a=[1, 2], b=[]}");
  EXPECT_EQ(text(std::pair(Scores{{"a", {1}}}, true)), "({a=[1]},true)");
  EXPECT_EQ(text(Nothing()), "Nothing{}");
  EXPECT_EQ(text(Count{"x", 2}), "Count{word=x, count=2}");
}

TEST(DataStream, DurationsThatAreTooLongAreRefused) {
  EXPECT_EQ(Duration::of_days(106'751'991'167).to_millis(), 9'223'372'036'828'800'000);
  EXPECT_EQ(Duration(std::chrono::nanoseconds(-1'500'000)).to_millis(), -1);
  EXPECT_EQ(Duration(std::chrono::duration<double>(0.25)).to_millis(), 250);
  EXPECT_EQ(Duration::of_millis(std::numeric_limits<int64_t>::max()).to_millis(), std::numeric_limits<int64_t>::max());
  constexpr int64_t kMany = std::numeric_limits<int64_t>::max() / 1000;
  for (const auto& make : {Duration::of_days, Duration::of_hours, Duration::of_minutes}) {
    EXPECT_THROW(make(kMany), Error);
    EXPECT_THROW(make(-kMany), Error);
  }
  EXPECT_THROW(Duration::of_seconds(kMany + 1), Error);
  EXPECT_THROW(Duration(std::chrono::duration<double>(1e17)), Error);
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

TEST(DataStream, PartitionsAsTheUserSays) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(3);
  const auto subtask = [](const DataStream<int64_t>& numbers) {
    return numbers.process(SaysSubtask()).execute_and_collect().to_vector();
  };
  const auto numbers = env.from_sequence(0, 8);
  const auto by_third = [](int64_t key, int partitions) { return static_cast<int>(key) % partitions; };
  for (const auto& [number, at] : subtask(numbers.partition_custom(by_third, [](int64_t n) { return n / 3; }))) {
    EXPECT_EQ(at, number / 3);
  }
  EXPECT_EQ(subtask(numbers.shuffle()).size(), 9u);
  EXPECT_EQ(subtask(numbers.rescale()).size(), 9u);
  const auto wrong = [](int64_t, int partitions) { return partitions; };
  try {
    subtask(numbers.partition_custom(wrong, [](int64_t n) { return n; }));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 7119) << error.what();
  }
}

TEST(DataStream, ChainsAreCutWhereTheUserSays) {
  const auto cut = [](auto set) {
    auto env = StreamExecutionEnvironment::get_execution_environment();
    auto second = env.from_collection<int64_t>({1}).map([](int64_t n) { return n; }).map([](int64_t n) { return n; });
    second.set_description("the second").slot_sharing_group("any");
    set(env, second);
    second.map([](int64_t n) { return n; }).print();
    std::vector<bool> chained;
    const StreamGraph graph = env.get_stream_graph();
    for (const StreamNode& node : graph.nodes()) chained.push_back(node.chain_with_input);
    return chained;
  };
  using Bools = std::vector<bool>;
  EXPECT_EQ(cut([](auto&, auto&) {}), (Bools{true, true, true, true, true}));
  EXPECT_EQ(cut([](auto&, auto& second) { second.start_new_chain(); }), (Bools{true, true, false, true, true}));
  EXPECT_EQ(cut([](auto&, auto& second) { second.disable_chaining(); }), (Bools{true, true, false, false, true}));
  EXPECT_EQ(cut([](auto& env, auto&) { env.disable_operator_chaining(); }), (Bools{true, false, false, false, false}));
}

TEST(DataStream, ThereIsNoBatchMode) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_runtime_mode(RuntimeExecutionMode::kAutomatic);
  EXPECT_THROW(env.set_runtime_mode(RuntimeExecutionMode::kBatch), Error);
}

TEST(DataStream, AggregatesOfOneField) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  const auto counts = env.from_collection<Count>({{"b", 2}, {"a", 1}, {"c", 3}, {"d", 3}}).key_by([](const Count&) {
    return int64_t{0};
  });
  const auto last = [](const DataStream<Count>& stream) { return stream.execute_and_collect().to_vector().back(); };
  EXPECT_EQ(last(counts.sum(&Count::count)), (Count{"b", 9}));
  EXPECT_EQ(last(counts.min(&Count::count)), (Count{"b", 1}));
  EXPECT_EQ(last(counts.max(&Count::count)), (Count{"b", 3}));
  EXPECT_EQ(last(counts.min_by(&Count::count)), (Count{"a", 1}));
  EXPECT_EQ(last(counts.max_by(&Count::count)), (Count{"c", 3}));
  using Pair = std::pair<std::string, int64_t>;
  const auto pairs =
      env.from_collection<Pair>({{"a", 1}, {"b", 5}, {"a", 3}}).key_by([](const Pair& p) { return p.first; });
  EXPECT_EQ(pairs.sum<1>().execute_and_collect().to_vector(), (std::vector<Pair>{{"a", 1}, {"b", 5}, {"a", 4}}));
  const auto windows = pairs.count_window(1).max([](auto& p) -> auto& { return p.second; });
  EXPECT_EQ(windows.execute_and_collect().to_vector().size(), 3u);
}

}  // namespace
}  // namespace yeoul
