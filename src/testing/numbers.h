#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "yeoul/runtime/typed_batch_splitter.h"
#include "yeoul/state/api/key_groups.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

/// Batches of integers, the simplest records there are, for tests of the runtime.
using Numbers = Batch<int64_t>;

inline std::shared_ptr<Numbers> numbers(std::vector<int64_t> values) {
  auto batch = std::make_shared<Numbers>();
  batch->values = std::move(values);
  return batch;
}

/// first, first + 1, …; `count` of them.
inline std::shared_ptr<Numbers> number_range(int64_t first, size_t count) {
  std::vector<int64_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return numbers(std::move(values));
}

inline const std::vector<int64_t>& values_of(const BatchBase& batch) {
  return static_cast<const Numbers&>(batch).values;
}

inline std::vector<std::string> number_lines(const BatchBase& batch) {
  std::vector<std::string> lines;
  for (const int64_t value : values_of(batch)) lines.push_back(std::to_string(value));
  return lines;
}

inline std::vector<std::string> sorted_lines(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

inline std::shared_ptr<const BatchSplitter> number_splitter() {
  return std::make_shared<TypedBatchSplitter<int64_t>>();
}

/// Key bytes of numbers.
inline CanonicalKeys number_keys(const std::vector<int64_t>& values) {
  CanonicalKeys keys{.offsets = {0}};
  for (const int64_t value : values) {
    keys.bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    keys.offsets.push_back(static_cast<uint32_t>(keys.bytes.size()));
  }
  return keys;
}

/// The key of a number is the number.
class NumberKeySelector final : public KeySelector {
 public:
  void key_groups(const BatchBase& batch, int max_parallelism, std::vector<uint32_t>& out) const override {
    out.clear();
    for (const int64_t value : values_of(batch)) {
      const std::string_view bytes(reinterpret_cast<const char*>(&value), sizeof value);
      out.push_back(static_cast<uint32_t>(key_group_of(bytes, max_parallelism)));
    }
  }
};

/// Each number is its own event time.
class NumberWatermarks final : public SourceWatermarkStrategy {
 public:
  void candidates(const BatchBase& batch, std::vector<int64_t>& out) const override { out = values_of(batch); }
};

/// A factory from a function.
class LambdaOperatorFactory final : public OperatorFactory {
 public:
  explicit LambdaOperatorFactory(std::function<std::unique_ptr<Operator>()> make) : make_(std::move(make)) {}
  std::unique_ptr<Operator> create() const override { return make_(); }

 private:
  std::function<std::unique_ptr<Operator>()> make_;
};

template <class T, class... Args>
std::shared_ptr<const OperatorFactory> factory_of(Args... args) {
  return std::make_shared<LambdaOperatorFactory>([=] { return std::make_unique<T>(args...); });
}

/// Edges between nodes of numbers.
inline StreamEdge forward(int source, int target, int input = 0) {
  return {.source = source, .target = target, .target_input = input};
}
inline StreamEdge partitioned(int source, int target, Partitioning partitioning, int input = 0) {
  return {.source = source,
          .target = target,
          .target_input = input,
          .partitioning = partitioning,
          .key_selector = partitioning == Partitioning::kHash ? std::make_shared<NumberKeySelector>() : nullptr,
          .splitter = number_splitter()};
}

}  // namespace yeoul
