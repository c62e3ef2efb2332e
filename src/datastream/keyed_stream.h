#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "yeoul/datastream/data_stream.h"
#include "yeoul/datastream/reduce_operator.h"

namespace yeoul {

/// A stream of records T dealt out by keys K. Threads: one.
template <class T, class K>
class KeyedStream : public DataStream<T> {
 public:
  using KeyType = K;

  KeyedStream(std::shared_ptr<EnvironmentState> state, std::vector<StreamInput> inputs,
              std::shared_ptr<const KeyExtractor<T>> extractor)
      : DataStream<T>(std::move(state), hashed(std::move(inputs), extractor)), extractor_(std::move(extractor)) {}

  /// Each record's key's value so far: `T(const T& so_far, const T& next)`.
  template <class F>
  DataStream<T> reduce(F function) const {
    static_assert(std::is_invocable_r_v<T, F&, const T&, const T&>,
                  "Yeoul: reduce() needs a function that takes two records and returns one of the same type, e.g. "
                  "[](const Count& a, const Count& b) { return Count{a.word, a.count + b.count}; }");
    if constexpr (std::is_invocable_r_v<T, F&, const T&, const T&>) {
      return this->template add<T>("Keyed Reduce",
                                   keyed_operator_factory<ReduceOperator<T, F>>(extractor_, std::move(function)));
    }
  }

  const std::shared_ptr<const KeyExtractor<T>>& extractor() const { return extractor_; }

 private:
  static std::vector<StreamInput> hashed(std::vector<StreamInput> inputs,
                                         const std::shared_ptr<const KeyExtractor<T>>& extractor) {
    for (StreamInput& input : inputs) {
      input.partitioning = Partitioning::kHash;
      input.partitioning_chosen = true;
      input.key_selector = extractor;
    }
    return inputs;
  }

  std::shared_ptr<const KeyExtractor<T>> extractor_;
};

}  // namespace yeoul
