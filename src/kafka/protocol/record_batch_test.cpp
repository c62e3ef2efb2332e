#include "yeoul/kafka/protocol/record_batch.h"

#include <gtest/gtest.h>

#include <cstring>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/crc32c.h"
#include "yeoul/kafka/protocol/message_samples_test.h"
#include "yeoul/kafka/protocol/record_batch_builder.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr int64_t kAppendTime = 1'700'000'009'999;

std::string unhex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string part(const char* data, uint32_t size) {
  return data == nullptr ? "null" : '\'' + std::string(data, size) + '\'';
}

/// "1000 @1700000000000 'k'='v'", and the headers behind.
std::string text_of(const FetchedRecord& record, const RecordRun& run) {
  std::string text = fmt::format("{} @{} {}={}", record.offset, record.timestamp_ms, part(record.key, record.key_size),
                                 part(record.value, record.value_size));
  for (const FetchedHeader& header : run.headers().subspan(record.first_header, record.num_headers)) {
    text += fmt::format(" {}:{}", header.name, part(header.value, header.value_size));
  }
  return text;
}

/// Reads a whole set as a consumer does: from a block with room behind.
class ReadSet {
 public:
  explicit ReadSet(std::string_view bytes, int64_t from_offset = 0, BatchDecoderOptions options = {})
      : pool_(size_t{64} << 20), arena_(pool_), decoder_(options) {
    fetched_ = pool_.take(bytes.size());
    std::memcpy(fetched_->data(), bytes.data(), bytes.size());
    RecordBatchIterator batches({fetched_->data(), bytes.size()});
    RecordBatchInfo info;
    while (batches.next(info)) {
      infos.push_back(info);
      decoder_.decode(info, from_offset, arena_, run);
    }
    rest = batches.rest().size();
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (const FetchedRecord& record : run.records()) out.push_back(text_of(record, run));
    return out;
  }

  RecordRun run;
  std::vector<RecordBatchInfo> infos;
  size_t rest = 0;

 private:
  BufferPool pool_;
  ByteArena arena_;
  BatchDecoder decoder_;
  SharedBuffer fetched_;
};

std::vector<std::string> expected_of(const RecordSample& sample) {
  const std::string text = "0123456789";
  std::string longer;
  for (int i = 0; i < 30; ++i) longer += text;
  std::vector<std::string> out;
  const int64_t times[] = {1'700'000'000'000, 1'700'000'000'500, 1'699'999'999'000, 1'700'000'001'000};
  const std::string pairs[] = {"'k'='v'", "null='" + longer + "'" + (sample.magic == 2 ? " h:'x' :null" : ""),
                               "'gone'=null", "''=''"};
  for (int i = 0; i < 4; ++i) {
    const int64_t time = sample.magic == 0 ? -1 : sample.log_append_time ? kAppendTime : times[i];
    out.push_back(fmt::format("{} @{} {}", 1000 + i, time, pairs[i]));
  }
  return out;
}

TEST(RecordBatchTest, ReadsWhatApacheKafkaWrites) {
  for (const RecordSample& sample : record_samples()) {
    SCOPED_TRACE(fmt::format("magic {} {} {}", sample.magic, sample.compression, sample.log_append_time));
    const ReadSet set(unhex(sample.hex));
    EXPECT_EQ(set.texts(), expected_of(sample));
    EXPECT_EQ(set.rest, 0u);
    const auto type = sample.magic == 0        ? RecordTimestampType::kNone
                      : sample.log_append_time ? RecordTimestampType::kLogAppendTime
                                               : RecordTimestampType::kCreateTime;
    EXPECT_EQ(set.run.records()[3].timestamp_type, type);
    EXPECT_EQ(set.infos.back().last_offset, 1003);
    const std::vector<std::string> all = expected_of(sample);
    const ReadSet late(unhex(sample.hex), 1002);
    EXPECT_EQ(late.texts(), std::vector<std::string>(all.begin() + 2, all.end()));
  }
}

TEST(RecordBatchTest, NoDamageGoesUnnoticedAndNoneCrashes) {
  for (const RecordSample& sample : record_samples()) {
    SCOPED_TRACE(fmt::format("magic {} {} {}", sample.magic, sample.compression, sample.log_append_time));
    const std::string bytes = unhex(sample.hex);
    for (size_t at = 0; at < bytes.size(); ++at) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
      BatchDecoderOptions unchecked;
      unchecked.check_crcs = false;
      unchecked.unpacked_bytes_max = 1 << 20;
      try {
        ReadSet(damaged, 0, unchecked);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), 4012);
      }
      // Offsets, lengths and the leader's epoch stand outside the checksum.
      if (sample.magic < 2 || at < 17) continue;
      EXPECT_THROW(ReadSet{damaged}, Error) << at;
    }
  }
}

TEST(RecordBatchTest, ABatchThatIsCutShortIsLeftOut) {
  RecordBatchBuilder builder;
  builder.append(1, "k", "v");
  std::string bytes;
  builder.finish({}, bytes);
  const std::string one = bytes;
  for (size_t size = 0; size < one.size(); ++size) {
    const ReadSet set(one + one.substr(0, size));
    EXPECT_EQ(set.run.size(), 1u);
    EXPECT_EQ(set.rest, size);
  }
}

TEST(RecordBatchTest, WhatIsWrittenIsReadBack) {
  std::vector<std::pair<std::string_view, std::string_view>> headers = {{"a", "1"}, {"", {}}};
  for (const Compression compression :
       {Compression::kNone, Compression::kGzip, Compression::kSnappy, Compression::kLz4, Compression::kZstd}) {
    RecordBatchBuilder builder(compression);
    std::string bytes;
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 3000; ++i) {
        const std::string value(static_cast<size_t>(i), 'x');
        builder.append(1000 - i, i % 3 == 0 ? std::string_view() : "key", value,
                       i == 7 ? headers : decltype(headers)());
      }
      builder.append(5000, "", {});
      EXPECT_EQ(builder.num_records(), 3001);
      builder.finish({77, 3, 9, true}, bytes);
    }
    const ReadSet set(bytes);
    ASSERT_EQ(set.infos.size(), 2u) << name_of(compression);
    const RecordBatchInfo& info = set.infos[1];
    EXPECT_EQ(info.compression, compression);
    EXPECT_EQ(info.producer_id, 77);
    EXPECT_EQ(info.producer_epoch, 3);
    EXPECT_EQ(info.base_sequence, 9);
    EXPECT_TRUE(info.transactional);
    EXPECT_EQ(info.num_records, 3001);
    EXPECT_EQ(info.max_timestamp_ms, 5000);
    ASSERT_EQ(set.run.size(), 6002u);
    EXPECT_EQ(set.texts()[7], "7 @993 'key'='xxxxxxx' a:'1' :null");
    EXPECT_EQ(set.texts()[3000], "3000 @5000 ''=null");
    EXPECT_EQ(set.texts()[3001 + 3], "3 @997 null='xxx'");
  }
}

TEST(RecordBatchTest, ALevelThatDoesNotExistIsRefused) {
  EXPECT_THROW(RecordBatchBuilder(Compression::kGzip, 10), Error);
  EXPECT_THROW(RecordBatchBuilder(Compression::kLz4, 18), Error);
  EXPECT_THROW(RecordBatchBuilder(Compression::kSnappy, 1), Error);
  RecordBatchBuilder(Compression::kGzip, -1);
  RecordBatchBuilder(Compression::kZstd, -5);
}

/// Sets the count of records, and the checksum to match.
std::string with_count(std::string batch, int32_t count) {
  store_big_endian(batch.data() + 57, count);
  store_big_endian(batch.data() + 17, crc32c(std::string_view(batch).substr(21)));
  return batch;
}

TEST(RecordBatchTest, ClaimsAreNotBelieved) {
  RecordBatchBuilder builder;
  builder.append(1, "k", "v");
  std::string bytes;
  builder.finish({}, bytes);
  EXPECT_THROW(ReadSet(with_count(bytes, INT32_MAX)), Error);
  EXPECT_THROW(ReadSet(with_count(bytes, -1)), Error);
  EXPECT_THROW(ReadSet(with_count(bytes, 0)), Error);  // bytes left over
  EXPECT_THROW(ReadSet(with_count(bytes, 2)), Error);
}

TEST(RecordBatchTest, UnpackingHasALimit) {
  for (const Compression compression :
       {Compression::kGzip, Compression::kSnappy, Compression::kLz4, Compression::kZstd}) {
    RecordBatchBuilder builder(compression);
    builder.append(1, {}, std::string(3 << 20, 'x'));
    std::string bytes;
    builder.finish({}, bytes);
    BatchDecoderOptions options;
    options.unpacked_bytes_max = 4 << 20;
    EXPECT_EQ(ReadSet(bytes, 0, options).run.size(), 1u);
    options.unpacked_bytes_max = 1 << 20;
    EXPECT_THROW(ReadSet(bytes, 0, options), Error) << name_of(compression);
  }
}

TEST(RecordBatchTest, RawSnappyIsReadToo) {
  // One record; the body as snappy's own block format has it: length, then one literal.
  const std::string body("\x0e\0\0\0\1\2v\0", 8);
  std::string batch(61, '\0');
  batch += std::string("\x08\x1c", 2) + body;
  store_big_endian(batch.data() + 8, static_cast<int32_t>(batch.size() - 12));
  batch[16] = 2;
  batch[22] = 2;
  const ReadSet set(with_count(batch, 1));
  EXPECT_EQ(set.texts(), std::vector<std::string>{"0 @0 null='v'"});
}

TEST(RecordBatchTest, ControlBatches) {
  for (const char type : {0, 1, 5}) {
    // Length, attributes, two deltas, a key of version and type, a null value, no headers.
    std::string batch(61, '\0');
    batch += std::string("\x14\0\0\0\x08\0\0\0", 8) + type + std::string("\1\0", 2);
    store_big_endian(batch.data() + 8, static_cast<int32_t>(batch.size() - 12));
    batch[16] = 2;
    batch[22] = 0x30;
    batch = with_count(batch, 1);
    batch.reserve(batch.size() + PaddedBuffer::kPadding);
    BufferPool pool(0);
    ByteArena arena(pool);
    RecordBatchIterator batches(batch);
    RecordBatchInfo info;
    ASSERT_TRUE(batches.next(info));
    EXPECT_TRUE(info.control);
    EXPECT_TRUE(info.transactional);
    EXPECT_EQ(BatchDecoder().control_type(info, arena), type == 0   ? ControlType::kAbort
                                                        : type == 1 ? ControlType::kCommit
                                                                    : ControlType::kOther);
  }
}

TEST(BufferPoolTest, GivesBlocksAgainWithinItsLimit) {
  BufferPool pool(100'000);
  SharedBuffer first = pool.take(50'000);
  const char* memory = first->data();
  EXPECT_EQ(pool.bytes_in_use(), 53'248u);
  first.reset();
  EXPECT_EQ(pool.bytes_kept(), 53'248u);
  first = pool.take(40'000);
  EXPECT_EQ(first->data(), memory);
  SharedBuffer second = pool.take(60'000);
  first.reset();
  EXPECT_EQ(pool.bytes_kept(), 0u) << "too much together with the other";
  second.reset();
  EXPECT_EQ(pool.bytes_kept(), 61'440u);
  EXPECT_EQ(pool.bytes_in_use(), 0u);
}

}  // namespace
}  // namespace yeoul
