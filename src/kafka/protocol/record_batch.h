#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "yeoul/kafka/protocol/compression.h"
#include "yeoul/kafka/protocol/record_run.h"

namespace yeoul {

/// The head of a batch of records (magic 2), or of one message of the older formats (magic 0 and 1), which may hold
/// others in it.
struct RecordBatchInfo {
  int64_t base_offset = 0;
  int64_t last_offset = 0;  ///< also where the last records were compacted away
  int64_t base_timestamp_ms = -1;
  int64_t max_timestamp_ms = -1;
  int64_t producer_id = -1;
  int32_t leader_epoch = -1;
  int32_t base_sequence = -1;
  int32_t num_records = 0;
  int16_t producer_epoch = -1;
  int8_t magic = 2;
  Compression compression = Compression::kNone;
  RecordTimestampType timestamp_type = RecordTimestampType::kCreateTime;
  bool transactional = false;
  bool control = false;
  uint32_t crc = 0;
  std::string_view checked;  ///< the bytes that the checksum is of
  std::string_view body;     ///< the records, compressed as `compression` says; magic 0 and 1: key and value
  std::string_view bytes;    ///< the whole batch
};

/// Goes over the batches of a fetched record set. A set may end in a batch that is cut short: it is not given.
class RecordBatchIterator {
 public:
  explicit RecordBatchIterator(std::string_view records) : rest_(records) {}

  /// @throws external error 4012 for what is no batch
  bool next(RecordBatchInfo& info);
  /// What is left: the bytes of a batch that is cut short.
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// What a control batch says of its producer's transaction.
enum class ControlType : int16_t { kAbort = 0, kCommit = 1, kOther = 2 };

struct BatchDecoderOptions {
  bool check_crcs = true;  ///< `check.crcs`
  /// Batches that unpack to more are refused.
  size_t unpacked_bytes_max = size_t{1} << 30;
};

/// Makes records of batches. Threads: one at a time.
class BatchDecoder {
 public:
  explicit BatchDecoder(BatchDecoderOptions options = {}) : options_(options) {}

  /// Appends the batch's records from `from_offset` on. They lead into the batch's bytes, behind which
  /// PaddedBuffer::kPadding must be readable, or into the arena's.
  /// @throws external error 4012 naming the offset for a wrong checksum or damaged records
  void decode(const RecordBatchInfo& info, int64_t from_offset, ByteArena& arena, RecordRun& out);
  /// What a control batch says. @throws as decode().
  ControlType control_type(const RecordBatchInfo& info, ByteArena& arena);

 private:
  void check_crc(const RecordBatchInfo& info) const;
  void decode_records(const RecordBatchInfo& info, std::string_view body, int64_t from_offset, RecordRun& out) const;
  void decode_message(const RecordBatchInfo& info, int64_t from_offset, ByteArena& arena, RecordRun& out);
  void decode_inner_messages(const RecordBatchInfo& outer, std::string_view body, int64_t from_offset, RecordRun& out);

  BatchDecoderOptions options_;
  Decompressor decompressor_;
  RecordRun control_;
};

}  // namespace yeoul
