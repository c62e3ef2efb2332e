#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/datastream/fixed_splits.h"

namespace yeoul {

/// The elements of a vector, in order; one split, so that the order holds.
template <class T>
class CollectionSource final : public Source {
 public:
  using OutputType = T;

  explicit CollectionSource(std::vector<T> values)
      : values_(std::make_shared<const std::vector<T>>(std::move(values))) {}

  bool bounded() const override { return true; }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override {
    return fixed_split_enumerator(context, range_splits(0, static_cast<int64_t>(values_->size()) - 1, 1), restored);
  }
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override {
    return std::make_unique<Reader>(std::move(context), values_);
  }

 private:
  class Reader final : public RangeReader {
   public:
    Reader(SourceReaderContext context, std::shared_ptr<const std::vector<T>> values)
        : RangeReader(std::move(context)), values_(std::move(values)) {}

   private:
    BatchPtr make_batch(int64_t first, size_t count) override {
      auto batch = std::make_shared<Batch<T>>();
      const auto from = values_->begin() + first;
      batch->values.assign(from, from + static_cast<std::ptrdiff_t>(count));
      return batch;
    }

    std::shared_ptr<const std::vector<T>> values_;
  };

  std::shared_ptr<const std::vector<T>> values_;
};

/// The numbers [first, last], in as many splits as there are subtasks (Flink's NumberSequenceSource).
class NumberSequenceSource final : public Source {
 public:
  using OutputType = int64_t;

  NumberSequenceSource(int64_t first, int64_t last) : first_(first), last_(last) {}

  bool bounded() const override { return true; }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override;
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override;

 private:
  int64_t first_;
  int64_t last_;
};

}  // namespace yeoul
