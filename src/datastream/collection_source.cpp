#include "yeoul/datastream/collection_source.h"

#include <numeric>

namespace yeoul {
namespace {

class SequenceReader final : public RangeReader {
 public:
  using RangeReader::RangeReader;

 private:
  BatchPtr make_batch(int64_t first, int64_t end) override {
    auto batch = std::make_shared<Batch<int64_t>>();
    batch->values.resize(static_cast<size_t>(end - first));
    std::iota(batch->values.begin(), batch->values.end(), first);
    return batch;
  }
};

}  // namespace

std::unique_ptr<SplitEnumerator> NumberSequenceSource::create_enumerator(
    SplitEnumeratorContext& context, const std::optional<std::string>& restored) const {
  return fixed_split_enumerator(context, range_splits(first_, end_, context.parallelism()), restored);
}

std::unique_ptr<SourceReader> NumberSequenceSource::create_reader(SourceReaderContext context) const {
  return std::make_unique<SequenceReader>(std::move(context));
}

}  // namespace yeoul
