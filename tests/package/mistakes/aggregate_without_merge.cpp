#include "yeoul/datastream/datastream.h"

class Longest : public yeoul::AggregateFunction<std::string, std::string, size_t> {
 public:
  std::string create_accumulator() const override { return ""; }
  void add(const std::string& value, std::string& longest) const override {
    if (value.size() > longest.size()) longest = value;
  }
  size_t get_result(const std::string& longest) const override { return longest.size(); }
};

// expected: Yeoul: the AggregateFunction lacks create_accumulator(), add(), get_result() or merge()
const yeoul::AggregatingStateDescriptor<Longest> kLongest{"longest"};

int main() {}
