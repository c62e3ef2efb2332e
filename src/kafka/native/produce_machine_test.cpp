#include "yeoul/kafka/native/produce_machine.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/record_batch.h"

namespace yeoul {
namespace {

/// Two brokers; topic "t" with partition 0 at broker 1 and partition 1 at broker 2, "u" with one at broker 1.
class ProduceMachineTest : public testing::Test {
 protected:
  static constexpr int64_t kMs = 1'000'000;
  static constexpr int64_t kSecond = 1'000 * kMs;

  ProduceMachineTest() : cluster_({}, 1) { make({}); }

  void make(const ProduceSettings& settings) {
    machine_.reset();
    accumulator_ = std::make_unique<BatchAccumulator>(settings, std::vector<std::string>{"t", "u"});
    machine_ = std::make_unique<ProduceMachine>(settings, *accumulator_, 1);
    settings_ = settings;
    learn(1, 2);
    if (!settings.idempotent || !settings.transactional_id.empty()) return;
    machine_->producer_id_request();
    machine_->on_producer_id({0, 0, 77, 0}, now_);
  }

  void learn(int32_t leader0, int32_t leader1, int32_t epoch = 4) {
    MetadataResponse metadata;
    metadata.brokers = {{1, "one", 9092, {}}, {2, "two", 9092, {}}};
    const auto add = [&](const char* name, uint64_t id, std::vector<int32_t> leaders) {
      auto& topic = metadata.topics.emplace_back();
      topic.name = name;
      topic.topic_id = {id, id};
      for (size_t i = 0; i < leaders.size(); ++i) {
        auto& partition = topic.partitions.emplace_back();
        partition.partition_index = static_cast<int32_t>(i);
        partition.leader_id = leaders[i];
        partition.leader_epoch = epoch;
      }
    };
    add("t", 7, {leader0, leader1});
    add("u", 8, {1});
    cluster_.set_topics({"t", "u"});
    cluster_.take_request();
    cluster_.on_answer(metadata, now_);
  }

  /// One record for each letter.
  void send(const std::string& letters, int32_t partition = 0, size_t topic = 0) {
    std::vector<ProducedRecord> records;
    for (const char& letter : letters) records.push_back({{}, {&letter, 1}, 0, {}});
    accumulator_->append(topic, partition, records, now_, 0);
  }

  /// The next request to a broker: "t-0: 5@0 abc" is producer epoch 5, first sequence 0, and its records.
  std::string ask(int32_t broker = 1) {
    machine_->update(cluster_, now_);
    const auto request = machine_->next_request(broker, now_, request_);
    if (!request) return "none";
    std::string text;
    for (const auto& topic : request->topic_data) {
      for (const auto& data : topic.partition_data) {
        text += (text.empty() ? "" : " ") + topic.name + "-" + std::to_string(data.index) + ": " + print(data.records);
      }
    }
    return text;
  }

  std::string print(std::string_view bytes) {
    BufferPool pool(0);
    SharedBuffer padded = pool.take(bytes.size());
    std::copy(bytes.begin(), bytes.end(), padded->data());
    RecordBatchInfo info;
    RecordBatchIterator({padded->data(), bytes.size()}).next(info);
    ByteArena arena(pool);
    RecordRun run;
    BatchDecoder().decode(info, 0, arena, run);
    std::string text = std::to_string(info.producer_epoch) + "@" + std::to_string(info.base_sequence) + " ";
    for (const FetchedRecord& record : run.records()) text += std::string(record.value, record.value_size);
    return text;
  }

  static ProduceResponse response(KafkaError error, int64_t offset = 0, int32_t partition = 0, uint64_t topic_id = 7) {
    ProduceResponse response;
    auto& topic = response.responses.emplace_back();
    topic.topic_id = {topic_id, topic_id};
    auto& result = topic.partition_responses.emplace_back();
    result.index = partition;
    result.error_code = static_cast<int16_t>(error);
    result.base_offset = offset;
    return response;
  }

  void answer(uint64_t request, KafkaError error = KafkaError::kNone, int64_t offset = 0, int32_t partition = 0) {
    machine_->on_answer(request, response(error, offset, partition), cluster_, now_);
  }
  void answer(KafkaError error = KafkaError::kNone) { answer(request_, error); }

  /// What became of records: "t-0 0+3 at 10" or the reason.
  std::string deliveries() {
    std::string text;
    for (const Delivery& delivery : machine_->take_deliveries()) {
      if (!text.empty()) text += " | ";
      text += delivery.error.empty()
                  ? to_string(*delivery.partition) + " " + std::to_string(delivery.first_index) + "+" +
                        std::to_string(delivery.num_records) + " at " + std::to_string(delivery.base_offset)
                  : delivery.error;
    }
    return text;
  }

  /// Puts records into a request of their own each; returns the requests.
  std::vector<uint64_t> send_apart(const std::string& letters) {
    std::vector<uint64_t> requests;
    for (const char letter : letters) {
      send(std::string(1, letter));
      now_ += 5 * kMs;
      EXPECT_NE(ask(), "none");
      requests.push_back(request_);
    }
    return requests;
  }
  void pass_backoff() { now_ += 2 * kSecond; }

  int64_t now_ = 10 * kSecond;
  ProduceSettings settings_;
  ClusterView cluster_;
  std::unique_ptr<BatchAccumulator> accumulator_;
  std::unique_ptr<ProduceMachine> machine_;
  uint64_t request_ = 0;
};

TEST_F(ProduceMachineTest, LingersThenSendsAndTellsOffsets) {
  send("abc");
  EXPECT_EQ(ask(), "none");
  EXPECT_EQ(machine_->due_at_ns(now_), now_ + 5 * kMs);
  send("d");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "t-0: 0@0 abcd");
  EXPECT_EQ(ask(), "none");
  EXPECT_GT(accumulator_->waiting_bytes(), 0u);
  answer(request_, KafkaError::kNone, 100);
  EXPECT_EQ(deliveries(), "t-0 0+4 at 100");
  EXPECT_EQ(accumulator_->waiting_bytes(), 0u);
  send("e");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "t-0: 0@4 e");
  answer(request_, KafkaError::kNone, 104);
  EXPECT_EQ(deliveries(), "t-0 4+1 at 104");
}

TEST_F(ProduceMachineTest, ARequestHasWhatABrokerIsLeaderOf) {
  send("a", 0);
  send("b", 1);
  send("c", 0, 1);
  now_ += 5 * kMs;
  EXPECT_EQ(ask(1), "t-0: 0@0 a u-0: 0@0 c");
  EXPECT_EQ(ask(2), "t-1: 0@0 b");
}

TEST_F(ProduceMachineTest, FullBatchesGoAtOnce) {
  ProduceSettings settings;
  settings.batch_bytes = 150;
  settings.linger_ns = kSecond;
  make(settings);
  send("abcdefgh");
  EXPECT_EQ(ask(), "t-0: 0@0 abcdef");
  EXPECT_EQ(ask(), "none");
  now_ += kSecond;
  EXPECT_EQ(ask(), "t-0: 0@6 gh");
}

TEST_F(ProduceMachineTest, AFullBufferDoesNotLinger) {
  ProduceSettings settings;
  settings.buffer_bytes = 120;
  settings.linger_ns = kSecond;
  make(settings);
  send("abcdef");
  EXPECT_EQ(ask(), "none");
  send("ghijklmnop");
  EXPECT_EQ(ask(), "t-0: 0@0 abcdefghijklmnop");
  send("q");
  EXPECT_EQ(ask(), "t-0: 0@16 q") << "it is not half empty";
  answer(request_ - 1);
  send("r");
  EXPECT_EQ(ask(), "none");
}

TEST_F(ProduceMachineTest, WhileSomebodyWaitsForRoomNothingLingers) {
  ProduceSettings settings;
  settings.linger_ns = kSecond;
  make(settings);
  send("a", 0);
  send("b", 0, 1);
  EXPECT_EQ(ask(), "none");
  machine_->update(cluster_, now_, true);
  const auto request = machine_->next_request(1, now_, request_);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->topic_data.size(), 2u);
  send("c");
  EXPECT_EQ(ask(), "none");
}

TEST_F(ProduceMachineTest, FlushSendsAtOnceAndEndsWithTheLastAnswer) {
  send("a");
  accumulator_->begin_flush();
  EXPECT_EQ(ask(), "t-0: 0@0 a");
  send("later");
  EXPECT_FALSE(accumulator_->take_flush_end());
  answer();
  EXPECT_TRUE(accumulator_->take_flush_end());
  EXPECT_FALSE(accumulator_->take_flush_end());
  accumulator_->begin_flush();
  EXPECT_EQ(ask(), "t-0: 0@1 later");
}

TEST_F(ProduceMachineTest, SoManyRequestsAreOnTheirWay) {
  send_apart("abcde");
  send("f");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "none");
  answer(uint64_t{0});
  EXPECT_EQ(ask(), "t-0: 0@5 f");
}

TEST_F(ProduceMachineTest, TheLimitOfARequest) {
  ProduceSettings settings;
  settings.request_bytes_max = 150;
  make(settings);
  send("a", 0);
  send("b", 0, 1);
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "t-0: 0@0 a u-0: 0@0 b");
  send("aaaa", 0);
  send("bbbb", 0, 1);
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "t-0: 0@1 aaaa");
  EXPECT_EQ(ask(), "u-0: 0@1 bbbb");
  const std::string large(200, 'x');
  const ProducedRecord record{{}, large, -1, {}};
  try {
    accumulator_->append(0, 0, {&record, 1}, now_, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.to_string(),
              "a record of 200 bytes cannot be sent to topic=t partition=0: it is above 'max.request.size' = 150 "
              "[YEOUL-4006]");
  }
}

TEST_F(ProduceMachineTest, ARecordMayBeAsLargeAsJavasProducerLetsIt) {
  const std::string value(1'048'490, 'x');
  const auto takes = [&](const ProducedRecord& record) {
    try {
      accumulator_->append(0, 0, {&record, 1}, now_, 0);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  const std::string_view all = value;
  const std::pair<std::string_view, std::string_view> header{"h", {}};
  EXPECT_TRUE(takes({{}, all.substr(1), -1, {}}));
  EXPECT_FALSE(takes({{}, all, -1, {}}));
  EXPECT_TRUE(takes({"k", all.substr(2), -1, {}}));
  EXPECT_FALSE(takes({"k", all.substr(1), -1, {}}));
  EXPECT_TRUE(takes({{}, all.substr(4), -1, {&header, 1}}));
  EXPECT_FALSE(takes({{}, all.substr(3), -1, {&header, 1}}));
}

TEST_F(ProduceMachineTest, LostRequestsAreRepeatedInOrderOneByOne) {
  const auto requests = send_apart("abc");
  for (const uint64_t request : requests) machine_->on_failure(request, "gone", cluster_, now_);
  EXPECT_EQ(ask(), "none");  // backs off
  pass_backoff();
  send("d");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "t-0: 0@0 a");
  EXPECT_EQ(ask(), "none");  // b only when a has come to its end
  answer();
  EXPECT_EQ(ask(), "t-0: 0@1 b");
  answer();
  EXPECT_EQ(ask(), "t-0: 0@2 c");
  answer();
  EXPECT_EQ(ask(), "t-0: 0@3 d");
  answer();
  EXPECT_EQ(deliveries(), "t-0 0+1 at 0 | t-0 1+1 at 0 | t-0 2+1 at 0 | t-0 3+1 at 0");
}

TEST_F(ProduceMachineTest, FollowsTheLeaderAtOnce) {
  send_apart("a");
  auto moved = response(KafkaError::kNotLeaderOrFollower);
  moved.responses[0].partition_responses[0].current_leader = {2, 5};
  machine_->on_answer(request_, moved, cluster_, now_);
  EXPECT_EQ(ask(1), "none");
  EXPECT_EQ(ask(2), "t-0: 0@0 a");
  answer();
  EXPECT_EQ(deliveries(), "t-0 0+1 at 0");
}

// Brokers know the last five batches: with the sixth written, the first could not be told from a new one.
TEST_F(ProduceMachineTest, AtMostFourBatchesOvertakeOneThatIsOnItsWayToAnotherLeader) {
  const uint64_t stuck = send_apart("a").front();
  learn(2, 2, 5);
  for (const char letter : std::string("bcde")) {
    send(std::string(1, letter));
    now_ += 5 * kMs;
    EXPECT_NE(ask(2), "none");
    answer();
  }
  send("f");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(2), "none");
  machine_->on_failure(stuck, "lost", cluster_, now_);
  pass_backoff();
  EXPECT_EQ(ask(2), "t-0: 0@0 a");
  answer();
  EXPECT_EQ(ask(2), "t-0: 0@5 f");
}

TEST_F(ProduceMachineTest, ALeaderThatIsNotKnownIsWaitedFor) {
  learn(-1, 2, 5);
  send("a");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "none");
  learn(1, 2, 6);
  EXPECT_EQ(ask(), "t-0: 0@0 a");
}

TEST_F(ProduceMachineTest, DuplicatesAreDelivered) {
  send_apart("a");
  answer(KafkaError::kDuplicateSequenceNumber);
  EXPECT_EQ(deliveries(), "t-0 0+1 at -1");
}

TEST_F(ProduceMachineTest, OutOfOrderBehindAFailureWaitsForIt) {
  const auto requests = send_apart("ab");
  answer(requests[0], KafkaError::kNotEnoughReplicas);
  answer(requests[1], KafkaError::kOutOfOrderSequenceNumber);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 0@0 a");
  EXPECT_EQ(ask(), "none");
  answer();
  EXPECT_EQ(ask(), "t-0: 0@1 b");
}

TEST_F(ProduceMachineTest, AGapBeginsANewEpoch) {
  const auto first = send_apart("a");
  answer(first[0]);
  const auto requests = send_apart("bc");
  answer(requests[0], KafkaError::kOutOfOrderSequenceNumber);
  EXPECT_EQ(ask(), "none");  // c is on its way under the old one
  answer(requests[1], KafkaError::kOutOfOrderSequenceNumber);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 1@0 b");
  answer();
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 1@1 c");
  answer();
  EXPECT_EQ(deliveries(), "t-0 0+1 at 0 | t-0 1+1 at 0 | t-0 2+1 at 0");
}

TEST_F(ProduceMachineTest, AForgottenProducerBeginsANewEpoch) {
  send_apart("a");
  answer();
  send_apart("b");
  answer(KafkaError::kUnknownProducerId);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 1@0 b");
  // Other partitions go over to it when nothing of the old one is on its way.
  send("x", 1);
  now_ += 5 * kMs;
  EXPECT_EQ(ask(2), "t-1: 1@0 x");
}

TEST_F(ProduceMachineTest, WhatIsLostTwiceBeginsANewEpochTwice) {
  answer(send_apart("a")[0]);
  const auto requests = send_apart("cd");
  answer(requests[0], KafkaError::kOutOfOrderSequenceNumber);
  answer(requests[1], KafkaError::kOutOfOrderSequenceNumber);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 1@0 c");
  answer();
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 1@1 d");
  answer(KafkaError::kOutOfOrderSequenceNumber);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 2@0 d");
}

TEST_F(ProduceMachineTest, WhatWasLostWithLaterRecordsBeginsANewEpoch) {
  const auto requests = send_apart("ab");
  machine_->on_failure(requests[0], "it is silent", cluster_, now_);
  answer(requests[1]);  // so a was there, too
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 0@0 a");
  answer(KafkaError::kOutOfOrderSequenceNumber);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 1@0 a");
}

TEST_F(ProduceMachineTest, ALateAnswerDoesNotTakeBackALaterOne) {
  const auto requests = send_apart("ab");
  answer(requests[1]);
  answer(requests[0]);  // of the leader before
  send_apart("c");
  answer(KafkaError::kOutOfOrderSequenceNumber);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 1@0 c");
}

TEST_F(ProduceMachineTest, AForgottenProducerOfTheOldEpochGoesOverToo) {
  send("xy", 1);
  now_ += 5 * kMs;
  EXPECT_EQ(ask(2), "t-1: 0@0 xy");
  const uint64_t other = request_;
  send_apart("a");
  answer(KafkaError::kUnknownProducerId);
  pass_backoff();
  EXPECT_EQ(ask(1), "t-0: 1@0 a");
  answer(other, KafkaError::kUnknownProducerId, 0, 1);
  pass_backoff();
  EXPECT_EQ(ask(2), "t-1: 2@0 xy");
}

TEST_F(ProduceMachineTest, OtherPartitionsFinishTheOldEpochFirst) {
  send("x", 1);
  now_ += 5 * kMs;
  EXPECT_EQ(ask(2), "t-1: 0@0 x");
  const uint64_t other = request_;
  send_apart("a");
  answer(KafkaError::kUnknownProducerId);
  send("y", 1);
  pass_backoff();
  EXPECT_EQ(ask(1), "t-0: 1@0 a");
  EXPECT_EQ(ask(2), "none");
  answer(other, KafkaError::kNone, 0, 1);
  EXPECT_EQ(ask(2), "t-1: 1@0 y");
}

TEST_F(ProduceMachineTest, TheLastEpochNeedsANewProducer) {
  machine_->set_producer({77, INT16_MAX});
  send_apart("a");
  answer(KafkaError::kUnknownProducerId);
  pass_backoff();
  EXPECT_EQ(ask(), "none");
  ASSERT_TRUE(machine_->wants_producer_id(now_));
  machine_->producer_id_request();
  machine_->on_producer_id({0, 0, 78, 0}, now_);
  EXPECT_EQ(ask(), "t-0: 0@0 a");
}

TEST_F(ProduceMachineTest, SequenceNumbersBeginAgainAtTheirEnd) {
  EXPECT_EQ(sequence_after(INT32_MAX - 1, 1), INT32_MAX);
  EXPECT_EQ(sequence_after(INT32_MAX - 1, 3), 1);
}

TEST_F(ProduceMachineTest, LateRecordsAreGivenUp) {
  learn(-1, 2, 5);
  send("abc");
  now_ += 120 * kSecond;
  EXPECT_EQ(ask(), "none");
  EXPECT_EQ(deliveries(),
            "topic=t partition=0: records 0 to 2 of those sent to it were not delivered: not delivered within "
            "'delivery.timeout.ms' = 120000; it has no leader");
  EXPECT_EQ(accumulator_->waiting_bytes(), 0u);
}

TEST_F(ProduceMachineTest, LateRecordsNameWhatStoodInTheWay) {
  send("a");
  send("b", 1);
  send("c", 0, 1);
  machine_->update(cluster_, now_);
  machine_->set_unreachable(1, "broker 1: refused");
  MetadataResponse metadata;  // "t" was made anew, with one partition
  metadata.brokers = {{1, "one", 9092, {}}, {2, "two", 9092, {}}};
  metadata.topics.emplace_back().name = "t";
  metadata.topics.back().topic_id = {9, 9};
  metadata.topics.back().partitions.emplace_back().leader_id = 1;
  cluster_.take_request();
  cluster_.on_answer(metadata, now_);
  machine_->update(cluster_, now_);
  now_ += 120 * kSecond;
  machine_->update(cluster_, now_);
  EXPECT_EQ(deliveries(),
            "topic=t partition=0: records 0 to 0 of those sent to it were not delivered: not delivered within "
            "'delivery.timeout.ms' = 120000; last: broker 1: refused | "
            "topic=t partition=1: records 0 to 0 of those sent to it were not delivered: not delivered within "
            "'delivery.timeout.ms' = 120000; it does not exist any more: the topic has 1 partitions now | "
            "topic=u partition=0: records 0 to 0 of those sent to it were not delivered: not delivered within "
            "'delivery.timeout.ms' = 120000; last: broker 1: refused");
}

TEST_F(ProduceMachineTest, RecordsThatWaitForLongAreToldOfOnce) {
  EXPECT_EQ(ask(), "none");
  EXPECT_LE(machine_->due_at_ns(now_), now_ + 11 * kSecond);
  now_ += 3600 * kSecond;  // an idle producer waits for nothing
  EXPECT_EQ(ask(), "none");
  send("a");
  now_ += 5 * kMs;
  ask();
  machine_->on_failure(request_, "broker 1 (one:9092): it closed the connection", cluster_, now_);
  now_ += 9 * kSecond;
  ask();
  EXPECT_FALSE(machine_->take_stall());
  now_ += 2 * kSecond;
  EXPECT_LE(machine_->due_at_ns(now_ - kSecond), now_);
  ask();
  const std::optional<Stall> stall = machine_->take_stall();
  ASSERT_TRUE(stall);
  EXPECT_FALSE(stall->ended);
  EXPECT_EQ(to_string(stall->partition), "t-0");
  EXPECT_EQ(stall->leader, 1);
  EXPECT_EQ(stall->waited_ns / kSecond, 11);
  EXPECT_EQ(stall->reason, "broker 1 (one:9092): it closed the connection");
  now_ += 2 * kSecond;
  ask();
  EXPECT_FALSE(machine_->take_stall());
  answer();
  now_ += 2 * kSecond;
  ask();
  const std::optional<Stall> end = machine_->take_stall();
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->ended);
}

TEST_F(ProduceMachineTest, RecordsBehindOthersThatMoveAreNotToldOf) {
  const auto requests = send_apart("abc");
  for (const uint64_t request : {requests[0], requests[1]}) {
    now_ += 8 * kSecond;
    answer(request);
    ask();
    EXPECT_FALSE(machine_->take_stall());
  }
  now_ += 8 * kSecond;
  ask();
  EXPECT_FALSE(machine_->take_stall());
  now_ += 3 * kSecond;
  ask();
  const std::optional<Stall> stall = machine_->take_stall();
  ASSERT_TRUE(stall);
  EXPECT_EQ(stall->waited_ns / kSecond, 11);
}

TEST_F(ProduceMachineTest, WhatFollowsAGivenUpBatchWaitsUntilItsFateIsKnown) {
  const auto requests = send_apart("a");
  machine_->on_failure(requests[0], "broker 1 (one:9092): it closed the connection", cluster_, now_);
  now_ += 119 * kSecond;
  send("b");
  now_ += 2 * kSecond;
  // a was sent once, and nobody knows what became of it: b goes under a new epoch.
  EXPECT_EQ(ask(), "t-0: 1@0 b");
  EXPECT_EQ(deliveries(),
            "topic=t partition=0: records 0 to 0 of those sent to it were not delivered: not delivered within "
            "'delivery.timeout.ms' = 120000; last: broker 1 (one:9092): it closed the connection");
}

TEST_F(ProduceMachineTest, AGivenUpBatchOnItsWayHoldsItsPlace) {
  const auto requests = send_apart("a");
  now_ += 119 * kSecond;
  send("b");
  now_ += 2 * kSecond;
  EXPECT_EQ(ask(), "t-0: 0@1 b");
  EXPECT_NE(deliveries(), "");
  answer(requests[0]);
  answer();
  EXPECT_EQ(deliveries(), "t-0 1+1 at 0");
}

TEST_F(ProduceMachineTest, RefusedRecordsAreNamed) {
  send_apart("a");
  answer();
  deliveries();
  send("bcd");
  now_ += 5 * kMs;
  ask();
  auto refusal = response(KafkaError::kInvalidRecord);
  auto& result = refusal.responses[0].partition_responses[0];
  result.error_message = "one or more records have been rejected";
  result.record_errors.push_back({1, "compacted topic cannot accept message without key"});
  machine_->on_answer(request_, refusal, cluster_, now_);
  EXPECT_EQ(deliveries(),
            "topic=t partition=0: records 1 to 3 of those sent to it were not delivered: INVALID_RECORD: one or more "
            "records have been rejected; record 2: compacted topic cannot accept message without key");
  // The broker did not write it: what follows needs sequence numbers without a gap.
  send("e");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "t-0: 1@0 e");
}

TEST_F(ProduceMachineTest, TooLargeBatchesAreHalved) {
  const auto requests = send_apart("x");
  answer(requests[0]);
  deliveries();
  send("abcde");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "t-0: 0@1 abcde");
  answer(KafkaError::kMessageTooLarge);
  EXPECT_EQ(ask(), "t-0: 0@1 abc");
  answer(KafkaError::kRecordListTooLarge);
  EXPECT_EQ(ask(), "t-0: 0@1 ab");
  answer();
  EXPECT_EQ(ask(), "t-0: 0@3 c");
  answer(KafkaError::kMessageTooLarge);
  EXPECT_EQ(ask(), "t-0: 1@0 de");
  answer();
  const std::string what = deliveries();
  EXPECT_TRUE(
      what.starts_with("t-0 1+2 at 0 | topic=t partition=0: records 3 to 3 of those sent to it were not "
                       "delivered: MESSAGE_TOO_LARGE (69 bytes; the topic's 'max.message.bytes' is the limit)"))
      << what;
  EXPECT_TRUE(what.ends_with("t-0 4+2 at 0")) << what;
  EXPECT_EQ(accumulator_->waiting_bytes(), 0u);
}

TEST_F(ProduceMachineTest, WhatWasTooLargeIsNotBatchedSoAgain) {
  ProduceSettings settings;
  settings.batch_bytes = 1'000'000;
  make(settings);
  const std::string value(1'000, 'v');
  const std::vector<ProducedRecord> records(800, {{}, value, 0, {}});
  const auto next_size = [&] {
    machine_->update(cluster_, now_);
    return machine_->next_request(1, now_, request_)->topic_data[0].partition_data[0].records.size();
  };
  accumulator_->append(0, 0, records, now_, 0);
  now_ += 5 * kMs;
  EXPECT_GT(next_size(), 800'000u);
  answer(KafkaError::kMessageTooLarge);
  EXPECT_LT(next_size(), 450'000u);
  answer(KafkaError::kMessageTooLarge);
  const size_t passed = next_size();
  EXPECT_LT(passed, 225'000u);
  answer();
  for (int i = 0; i < 2; ++i) {
    next_size();
    answer(i == 0 ? KafkaError::kNone : KafkaError::kMessageTooLarge);
  }
  for (int i = 0; i < 2; ++i) {
    next_size();
    answer();
  }
  accumulator_->append(0, 0, records, now_, 0);
  for (int i = 0; i < 4; ++i) {
    EXPECT_LE(next_size(), passed);
    answer();
  }
}

TEST_F(ProduceMachineTest, RetriesHaveAnEnd) {
  ProduceSettings settings;
  settings.retries = 1;
  make(settings);
  send_apart("a");
  answer(KafkaError::kNotEnoughReplicas);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 0@0 a");
  answer(KafkaError::kNotEnoughReplicas);
  EXPECT_EQ(deliveries(),
            "topic=t partition=0: records 0 to 0 of those sent to it were not delivered: NOT_ENOUGH_REPLICAS");
}

TEST_F(ProduceMachineTest, WithoutIdempotence) {
  ProduceSettings settings;
  settings.idempotent = false;
  settings.acks = 1;
  settings.in_flight_max = 1;
  make(settings);
  send_apart("a");
  send("b");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "none");
  answer(KafkaError::kCorruptMessage);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: -1@-1 a");
  answer();
  EXPECT_EQ(ask(), "t-0: -1@-1 b");
  settings.acks = 0;
  make(settings);
  send_apart("a");
  machine_->on_sent(request_, now_);
  EXPECT_EQ(deliveries(), "t-0 0+1 at -1");
}

TEST_F(ProduceMachineTest, AnAnswerThatLeavesAPartitionOutIsNone) {
  send_apart("a");
  machine_->on_answer(request_, {}, cluster_, now_);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 0@0 a");
}

TEST_F(ProduceMachineTest, CompressedBatchesAreTheSame) {
  for (const Compression compression :
       {Compression::kGzip, Compression::kSnappy, Compression::kLz4, Compression::kZstd}) {
    ProduceSettings settings;
    settings.compression = compression;
    make(settings);
    send_apart("a");
    answer();
    send("bcd");
    now_ += 5 * kMs;
    EXPECT_EQ(ask(), "t-0: 0@1 bcd");
    answer(KafkaError::kMessageTooLarge);
    EXPECT_EQ(ask(), "t-0: 0@1 bc");
  }
}

TEST_F(ProduceMachineTest, SettingsThatExcludeOneAnother) {
  const auto code_of = [](const ProduceSettings& settings) {
    try {
      check_produce_settings(settings);
      return 0;
    } catch (const Error& error) {
      return error.code();
    }
  };
  ProduceSettings settings;
  EXPECT_EQ(code_of(settings), 0);
  settings.acks = 1;
  EXPECT_EQ(code_of(settings), 2010);
  settings.idempotent = false;
  EXPECT_EQ(code_of(settings), 0);
  settings.transactional_id = "id";
  EXPECT_EQ(code_of(settings), 2010);
  settings = {};
  settings.delivery_timeout_ns = kSecond;
  EXPECT_EQ(code_of(settings), 2010);
}

class TransactionalProduceTest : public ProduceMachineTest {
 protected:
  TransactionalProduceTest() {
    ProduceSettings settings;
    settings.transactional_id = "id";
    make(settings);
    machine_->set_producer({77, 3});
  }

  /// The broker, of before Apache Kafka 2.5, knows nothing of the producer.
  void answer_unknown(uint64_t request, int64_t log_start_offset) {
    ProduceResponse unknown = response(KafkaError::kUnknownProducerId, -1);
    unknown.responses[0].partition_responses[0].log_start_offset = log_start_offset;
    machine_->on_answer(request, unknown, cluster_, now_);
  }
};

TEST_F(TransactionalProduceTest, NothingLeavesOutsideOfATransaction) {
  send("a");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "none");
  machine_->begin_transaction(true);
  EXPECT_FALSE(machine_->has_written());
  EXPECT_EQ(ask(), "t-0: 3@0 a");
  EXPECT_TRUE(machine_->has_written());
  answer();
  machine_->end_transaction();
  machine_->set_producer({77, 4});
  send("b");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "none");
  machine_->begin_transaction(true);
  EXPECT_EQ(ask(), "t-0: 4@0 b");
}

TEST_F(TransactionalProduceTest, PartitionsAreRegisteredFirst) {
  machine_->begin_transaction(false);
  send("a", 0);
  send("b", 0, 1);
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "none");
  EXPECT_EQ(machine_->take_unregistered().size(), 2u);
  EXPECT_TRUE(machine_->take_unregistered().empty());
  machine_->set_registered({{"u", 0}});
  EXPECT_EQ(ask(), "u-0: 3@0 b");
  machine_->set_registered({{"t", 0}});
  EXPECT_EQ(ask(), "t-0: 3@0 a");
  machine_->end_transaction();
  machine_->begin_transaction(false);
  send("c", 0);
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "none");
}

TEST_F(TransactionalProduceTest, AFailureEndsTheTransactionAndAnAbortDropsTheRest) {
  machine_->begin_transaction(true);
  const auto requests = send_apart("ab");
  answer(requests[0], KafkaError::kTopicAuthorizationFailed);
  EXPECT_NE(deliveries(), "");
  send("c");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "none");
  machine_->drop_transaction();
  EXPECT_TRUE(machine_->has_in_flight());
  answer(requests[1], KafkaError::kOutOfOrderSequenceNumber);
  EXPECT_FALSE(machine_->has_in_flight());
  EXPECT_EQ(deliveries(), "");
  EXPECT_EQ(accumulator_->waiting_bytes(), 0u);
  machine_->set_producer({77, 4});
  machine_->begin_transaction(true);
  send("d");
  now_ += 5 * kMs;
  EXPECT_EQ(ask(), "t-0: 4@0 d");
}

TEST_F(TransactionalProduceTest, WaitsForTheEndOfTheTransactionBefore) {
  machine_->begin_transaction(true);
  send_apart("a");
  answer(KafkaError::kConcurrentTransactions);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 3@0 a");
}

TEST_F(TransactionalProduceTest, AProducerThatIsNotKnownYetKeepsItsNumbers) {
  machine_->begin_transaction(true);
  const auto requests = send_apart("abc");
  answer(requests[0], KafkaError::kNotEnoughReplicas);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 3@0 a");
  answer_unknown(requests[1], 0);
  answer();
  answer_unknown(requests[2], 0);  // from before a was written
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 3@1 b");
  answer(request_, KafkaError::kNone, 1);
  EXPECT_EQ(ask(), "t-0: 3@2 c");
  answer(request_, KafkaError::kNone, 2);
  EXPECT_EQ(deliveries(), "t-0 0+1 at 0 | t-0 1+1 at 1 | t-0 2+1 at 2");
}

TEST_F(TransactionalProduceTest, AnOutOfOrderAnswerFromBeforeAnAcknowledgementIsNotTheLastWord) {
  machine_->begin_transaction(true);
  const auto requests = send_apart("ab");
  answer(requests[0]);
  answer(requests[1], KafkaError::kOutOfOrderSequenceNumber);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 3@1 b");
  answer(KafkaError::kOutOfOrderSequenceNumber);
  EXPECT_EQ(deliveries(),
            "t-0 0+1 at 0 | topic=t partition=0: records 1 to 1 of those sent to it were not delivered: "
            "OUT_OF_ORDER_SEQUENCE_NUMBER");
}

TEST_F(TransactionalProduceTest, AProducerThatWasForgottenWithDeletedRecordsIsNumberedAnew) {
  machine_->begin_transaction(true);
  answer(send_apart("a")[0], KafkaError::kNone, 4);
  const auto requests = send_apart("bc");
  answer_unknown(requests[0], -1);  // asked again: where the log begins is not known
  answer_unknown(requests[1], -1);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 3@1 b");
  answer_unknown(request_, 5);
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 3@0 b");
  answer(request_, KafkaError::kNone, 5);
  EXPECT_EQ(ask(), "t-0: 3@1 c");
  answer(request_, KafkaError::kNone, 6);
  EXPECT_EQ(deliveries(), "t-0 0+1 at 4 | t-0 1+1 at 5 | t-0 2+1 at 6");
}

TEST_F(TransactionalProduceTest, AProducerThatWasForgottenWithoutAReasonEndsTheTransaction) {
  machine_->begin_transaction(true);
  answer(send_apart("a")[0], KafkaError::kNone, 4);
  answer_unknown(send_apart("b")[0], 4);
  EXPECT_EQ(deliveries(),
            "t-0 0+1 at 4 | topic=t partition=0: records 1 to 1 of those sent to it were not delivered: "
            "UNKNOWN_PRODUCER_ID");
  send("c");
  pass_backoff();
  EXPECT_EQ(ask(), "none");
}

TEST_F(ProduceMachineTest, CountsWhatItDoes) {
  const std::vector<uint64_t> requests = send_apart("ab");
  EXPECT_EQ(machine_->take_stats().last_send_ns, -1);
  now_ += 3 * kMs;
  answer(requests[0]);
  answer(requests[1], KafkaError::kNotEnoughReplicas);
  ProduceStats stats = machine_->take_stats();
  EXPECT_EQ(stats.num_records, 2);
  EXPECT_EQ(stats.num_produce_requests, 2);
  EXPECT_EQ(stats.num_answers, 2);
  EXPECT_EQ(stats.answer_ns, 8 * kMs + 3 * kMs);
  EXPECT_EQ(stats.longest_answer_ns, 8 * kMs);
  EXPECT_EQ(stats.queue_ns, 2 * 5 * kMs);
  EXPECT_EQ(stats.last_send_ns, 13 * kMs);
  EXPECT_EQ(stats.num_repeated, 1);
  EXPECT_GT(stats.batch_bytes, 2 * static_cast<int64_t>(kBatchHeadBytes));
  pass_backoff();
  EXPECT_EQ(ask(), "t-0: 0@1 b");
  answer(KafkaError::kMessageTooLarge);
  EXPECT_NE(deliveries(), "");
  stats = machine_->take_stats();
  EXPECT_EQ(stats.num_records, 3) << "one of them twice";
  EXPECT_EQ(stats.num_failed, 1);
  EXPECT_EQ(stats.num_repeated, 1);
  EXPECT_EQ(stats.longest_answer_ns, 0) << "the long one was taken";
}

TEST_F(ProduceMachineTest, SaysWhenMoreRecordsChangeNothing) {
  for (const int32_t broker : {1, 2}) {
    EXPECT_FALSE(machine_->is_saturated());
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(machine_->answers_wanted(broker), 1u);
      send("a", broker - 1);
      now_ += 5 * kMs;
      EXPECT_NE(ask(broker), "none");
    }
    EXPECT_EQ(machine_->answers_wanted(broker), 1u) << "nothing waits for an answer";
  }
  EXPECT_TRUE(machine_->is_saturated());
  make({.batch_bytes = 70});
  send("abcdefg");
  for (int i = 0; i < 5; ++i) ask();
  EXPECT_EQ(ask(), "none");
  EXPECT_EQ(machine_->answers_wanted(1), 3u);
  EXPECT_FALSE(machine_->is_saturated()) << "the other broker is idle";
}

}  // namespace
}  // namespace yeoul
