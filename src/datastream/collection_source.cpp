#include "yeoul/datastream/collection_source.h"

namespace yeoul {
namespace {

class SequenceReader final : public RangeReader {
 public:
  using RangeReader::RangeReader;

 private:
  BatchPtr make_batch(int64_t first, size_t count) override {
    auto batch = std::make_shared<Batch<int64_t>>();
    batch->values.resize(count);
    // std::iota would count beyond the greatest number.
    for (size_t i = 0; i < count; ++i) batch->values[i] = first + static_cast<int64_t>(i);
    return batch;
  }
};

}  // namespace

std::unique_ptr<SplitEnumerator> NumberSequenceSource::create_enumerator(
    SplitEnumeratorContext& context, const std::optional<std::string>& restored) const {
  return fixed_split_enumerator(context, range_splits(first_, last_, context.parallelism()), restored);
}

std::unique_ptr<SourceReader> NumberSequenceSource::create_reader(SourceReaderContext context) const {
  return std::make_unique<SequenceReader>(std::move(context));
}

}  // namespace yeoul
