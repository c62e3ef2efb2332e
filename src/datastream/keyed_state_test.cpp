#include <gtest/gtest.h>

#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

class LargestFunction : public AggregateFunction<int64_t, int64_t, std::string> {
 public:
  int64_t create_accumulator() const override { return 0; }
  void add(const int64_t& value, int64_t& largest) const override { largest = std::max(largest, value); }
  std::string get_result(const int64_t& largest) const override { return "max " + std::to_string(largest); }
  void merge(int64_t& into, const int64_t& from) const override { into = std::max(into, from); }
};

/// Every kind of state: what a key had before each record.
class RemembersAll : public KeyedProcessFunction<std::string, Event, std::string> {
 public:
  void open(RuntimeContext& context) override {
    last_ = context.get_state(ValueStateDescriptor<int64_t>{"last"});
    list_ = context.get_list_state(ListStateDescriptor<int64_t>{"list"});
    seen_ = context.get_map_state(MapStateDescriptor<int64_t, int64_t>{"seen"});
    sum_ = context.get_reducing_state(
        ReducingStateDescriptor<int64_t>{"sum", [](const int64_t& a, const int64_t& b) { return a + b; }});
    largest_ = context.get_aggregating_state(AggregatingStateDescriptor<LargestFunction>{"largest", {}});
  }
  void process_element(const Event& event, Context& context, Collector<std::string>& out) override {
    if (event.value == 0) {
      last_.clear(), list_.clear(), seen_.clear(), sum_.clear(), largest_.clear();
      return;
    }
    std::string text = context.get_current_key() + ":";
    append_text(text, std::tuple(last_.value(), list_.get(), seen_.get(event.value), sum_.get(), largest_.get()));
    out.collect(text);
    last_.update(event.value);
    list_.add(event.value);
    seen_.put(event.value, seen_.get(event.value).value_or(0) + 1);
    sum_.add(event.value);
    largest_.add(event.value);
  }

 private:
  ValueState<int64_t> last_;
  ListState<int64_t> list_;
  MapState<int64_t, int64_t> seen_;
  ReducingState<int64_t> sum_;
  AggregatingState<int64_t, std::string> largest_;
};

TEST(KeyedProcess, EveryKindOfState) {
  const auto result =
      events({{"a", 5}, {"b", 1}, {"a", 3}, {"a", 5}, {"b", 0}, {"b", 2}}).key_by(key_of).process(RemembersAll());
  EXPECT_EQ(collected_lines(result),
            (Lines{"a:(null,[],null,null,null)", "b:(null,[],null,null,null)", "a:(5,[5],null,5,max 5)",
                   "a:(3,[5, 3],1,8,max 5)", "b:(null,[],null,null,null)"}));
}

}  // namespace
}  // namespace yeoul
