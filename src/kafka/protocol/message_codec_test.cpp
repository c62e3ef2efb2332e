#include "yeoul/kafka/protocol/message_codec.h"

#include <gtest/gtest.h>

#include <fstream>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/api.h"
#include "yeoul/kafka/protocol/crc32c.h"
#include "yeoul/kafka/protocol/fetch_messages.h"
#include "yeoul/kafka/protocol/message_samples_test.h"
#include "yeoul/kafka/protocol/metadata_messages.h"
#include "yeoul/kafka/protocol/sample_filler_test.h"
#include "yeoul/kafka/protocol/session_messages.h"

namespace yeoul {
namespace {

/// Calls back with every message: each API, request and response, each version, full and sparse.
template <class Body>
void for_each_sample(Body body) {
  for (const Api& api : all_apis()) {
    for (int16_t version = api.versions.first; version <= api.versions.last; ++version) {
      for (const bool request : {true, false}) {
        for (const SampleKind kind : {SampleKind::kFull, SampleKind::kSparse}) {
          const SampleMessage sample(api, request, version, kind);
          SCOPED_TRACE(fmt::format("{} {} {}", sample.table().name, version, kind == SampleKind::kFull));
          body(api, request, api.wire_version(version), kind, sample);
        }
      }
    }
  }
}

std::string encoded(const SampleMessage& sample, WireVersion version) {
  std::string bytes;
  encode_struct(sample.table(), sample.object(), version, bytes);
  return bytes;
}

TEST(MessageCodecTest, BytesAreThoseOfApacheKafka) {
  size_t num_samples = 0;
  for_each_sample([&](const Api&, bool, WireVersion version, SampleKind kind, const SampleMessage& sample) {
    const std::string bytes = encoded(sample, version);
    const auto theirs = std::find_if(message_samples().begin(), message_samples().end(), [&](const MessageSample& row) {
      return row.message == sample.table().name && row.version == version.number &&
             row.full == (kind == SampleKind::kFull);
    });
    ASSERT_NE(theirs, message_samples().end());
    EXPECT_EQ(bytes.size(), theirs->size);
    EXPECT_EQ(crc32c(bytes), theirs->crc32c);
    ++num_samples;
  });
  EXPECT_EQ(num_samples, message_samples().size());
}

TEST(MessageCodecTest, WhatIsDecodedIsWhatWasEncoded) {
  for_each_sample([](const Api& api, bool request, WireVersion version, SampleKind, const SampleMessage& sample) {
    const std::string bytes = encoded(sample, version);
    const std::shared_ptr<void> back = make_message(api, request);
    decode_struct(sample.table(), back.get(), version, bytes);
    std::string again;
    encode_struct(sample.table(), back.get(), version, again);
    EXPECT_EQ(again, bytes);
    EXPECT_EQ(print_struct(sample.table(), back.get(), version),
              print_struct(sample.table(), sample.object(), version));
  });
}

TEST(MessageCodecTest, EveryCutIsRefused) {
  for_each_sample([](const Api& api, bool request, WireVersion version, SampleKind, const SampleMessage& sample) {
    const std::string bytes = encoded(sample, version);
    for (size_t size = 0; size < bytes.size(); ++size) {
      const std::shared_ptr<void> back = make_message(api, request);
      const std::string cut = bytes.substr(0, size);
      EXPECT_THROW(decode_struct(sample.table(), back.get(), version, cut), Error) << size;
    }
  });
}

TEST(MessageCodecTest, AnArrayIsNotBelievedBeyondItsBytes) {
  const std::string bytes("\x7f\xff\xff\xff", 4);
  MetadataRequest request;
  try {
    decode_struct(MetadataRequest::table(), &request, {8, false}, bytes);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 4010);
    EXPECT_EQ(error.message(),
              "the bytes are not a valid MetadataRequest: Topics claims more elements than there are bytes");
  }
}

TEST(MessageCodecTest, UnknownTaggedFieldsArePassedOver) {
  std::string bytes("\0\0", 2);                 // error code
  bytes += std::string("\2\0\1\0\2\0\3\0", 8);  // one API, no tags
  bytes += std::string("\0\0\0\5", 4);          // throttle time
  bytes += std::string("\2\1\x08", 3) + std::string("\0\0\0\0\0\0\0\x09", 8) + std::string("\x63\3abc", 5);
  ApiVersionsResponse response;
  decode_struct(ApiVersionsResponse::table(), &response, {3, true}, bytes);
  EXPECT_EQ(response.throttle_time_ms, 5);
  EXPECT_EQ(response.finalized_features_epoch, 9);
  ASSERT_EQ(response.api_keys.size(), 1u);
  EXPECT_EQ(response.api_keys[0].max_version, 3);
}

TEST(MessageCodecTest, PrintsWithoutRecordsAndSecrets) {
  FetchRequest fetch;
  fetch.topics.emplace_back().topic = "a\"b";
  fetch.topics[0].partitions.emplace_back().fetch_offset = 7;
  EXPECT_EQ(print_struct(FetchRequest::table(), &fetch, {10, false}),
            "{ReplicaId: -1, MaxWaitMs: 0, MinBytes: 0, MaxBytes: 2147483647, IsolationLevel: 0, SessionId: 0, "
            "SessionEpoch: -1, Topics: [{Topic: \"a\\x22b\", Partitions: [{Partition: 0, CurrentLeaderEpoch: -1, "
            "FetchOffset: 7, LogStartOffset: -1, PartitionMaxBytes: 0}]}], ForgottenTopicsData: []}");
  SaslAuthenticateRequest login;
  login.auth_bytes.value = "secret";
  EXPECT_EQ(print_struct(SaslAuthenticateRequest::table(), &login, {2, true}), "{AuthBytes: <hidden>}");
}

TEST(MessageCodecTest, AVersionThatCannotCarryAValueIsAFault) {
  MetadataRequest request;
  request.topics.emplace().emplace_back();
  std::string out;
  EXPECT_THROW(encode_struct(MetadataRequest::table(), &request, {9, true}, out), Error);  // a null name
  request.topics->front().name = "t";
  request.include_topic_authorized_operations = true;
  EXPECT_THROW(encode_struct(MetadataRequest::table(), &request, {7, false}, out), Error);
  encode_struct(MetadataRequest::table(), &request, {8, false}, out);
}

/// Not a test of its own: gives tests/kafka_samples/KafkaSamples.java what to serialise.
TEST(MessageCodecTest, WritesSamplesWhenAsked) {
  const char* path = std::getenv("YEOUL_KAFKA_SAMPLES");
  if (path == nullptr) return;
  std::ofstream file(path);
  for_each_sample([&](const Api&, bool, WireVersion version, SampleKind kind, const SampleMessage& sample) {
    file << sample.table().name << '\t' << version.number << '\t' << (kind == SampleKind::kFull) << '\t'
         << sample.json() << '\n';
  });
}

}  // namespace
}  // namespace yeoul
