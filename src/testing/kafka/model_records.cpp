#include "yeoul/testing/kafka/model_records.h"

#include "yeoul/kafka/protocol/buffer_pool.h"
#include "yeoul/kafka/protocol/record_batch.h"

namespace yeoul {

std::vector<ModelRecord> records_of(const ModelPartition& partition, bool committed_only) {
  std::vector<ModelBatch> batches;
  for (const ModelBatch& batch : partition.batches()) {
    if (!batch.control && (!committed_only || partition.is_committed(batch))) batches.push_back(batch);
  }
  return records_in(batches);
}

std::vector<ModelRecord> records_in(const std::vector<ModelBatch>& batches) {
  std::vector<ModelRecord> out;
  BufferPool pool(0);
  ByteArena arena(pool);
  BatchDecoder decoder;
  RecordRun run;
  for (const ModelBatch& batch : batches) {
    std::string bytes = batch.bytes;
    bytes.append(PaddedBuffer::kPadding, '\0');
    RecordBatchIterator iterator(std::string_view(bytes).substr(0, batch.bytes.size()));
    RecordBatchInfo info;
    while (iterator.next(info)) {
      run.clear();
      decoder.decode(info, info.base_offset, arena, run);
      for (const FetchedRecord& record : run.records()) {
        const auto text = [](const char* bytes, uint32_t size) {
          return std::string(bytes == nullptr ? "" : bytes, size);
        };
        out.push_back({record.offset, text(record.key, record.key_size), text(record.value, record.value_size)});
      }
    }
  }
  return out;
}

}  // namespace yeoul
