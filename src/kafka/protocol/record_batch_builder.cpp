#include "yeoul/kafka/protocol/record_batch_builder.h"

namespace yeoul {

void RecordBatchBuilder::finish(const BatchProducer& producer, std::string& out) {
  const size_t start = out.size();
  out.resize(start + kBatchHeadBytes);
  compressor_.compress(records_.records(), out);
  write_batch_head(out.data() + start, out.size() - start, compressor_.compression(), records_.summary(), producer);
  records_.clear();
}

}  // namespace yeoul
