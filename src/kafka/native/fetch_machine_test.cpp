#include "yeoul/kafka/native/fetch_machine.h"

#include <gtest/gtest.h>

#include <cstring>

#include "yeoul/kafka/protocol/crc32c.h"
#include "yeoul/kafka/protocol/record_batch_builder.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr int64_t kStart = 1'000'000'000;
const TopicPartition kPartition{"t", 0};

/// Sets what the broker decides: the first offset. Attributes may be added: control, for one.
std::string at_offset(std::string batch, int64_t offset, int attributes = 0) {
  store_big_endian(batch.data(), offset);
  batch[22] = static_cast<char>(batch[22] | attributes);
  store_big_endian(batch.data() + 17, crc32c(std::string_view(batch).substr(21)));
  return batch;
}

std::string batch_of(int64_t offset, std::vector<std::string> values, BatchProducer producer = {}) {
  RecordBatchBuilder builder(Compression::kLz4);
  for (const std::string& value : values) builder.append(1, {}, value);
  std::string batch;
  builder.finish(producer, batch);
  return at_offset(batch, offset);
}

std::string marker(int64_t offset, int64_t producer_id, char type) {
  RecordBatchBuilder builder;
  builder.append(1, std::string("\0\0\0", 3) + type, std::string(6, '\0'));
  std::string batch;
  builder.finish({producer_id, 0, -1, true}, batch);
  return at_offset(batch, offset, 32);
}

class FetchMachineTest : public testing::Test {
 protected:
  FetchMachineTest() : pool_(1 << 20), cluster_({}, 1), machine_({}, pool_) {
    machine_.assign(kPartition, {10});
    cluster_.set_topics(machine_.topics());
    learn_topic({7, 7});
  }

  void learn_topic(Uuid id, int16_t error = 0) {
    MetadataResponse metadata;
    metadata.brokers = {{1, "one", 9092, {}}, {2, "two", 9092, {}}};
    auto& topic = metadata.topics.emplace_back();
    topic.name = "t";
    topic.topic_id = id;
    topic.error_code = error;
    if (error == 0) {
      topic.partitions.emplace_back().leader_id = 1;
      topic.partitions.back().leader_epoch = 4;
    }
    cluster_.take_request();
    cluster_.on_answer(metadata, kStart);
  }

  void lead(int32_t leader, int32_t epoch) { cluster_.set_leader(kPartition, leader, epoch); }

  /// What the broker is asked of the partition's epochs: "<the leader's> <that of what was read>"; empty: nothing.
  std::string check(int32_t broker, int64_t now = kStart) {
    const auto request = machine_.next_check(broker, cluster_, now);
    if (!request) return "";
    EXPECT_EQ(request->topics[0].topic, "t");
    const auto& asked = request->topics[0].partitions[0];
    return std::to_string(asked.current_leader_epoch) + " " + std::to_string(asked.leader_epoch);
  }

  void answer_check(int32_t broker, int32_t epoch, int64_t end_offset, int16_t error = 0) {
    OffsetForLeaderEpochResponse response;
    response.topics.push_back({"t", {{error, 0, epoch, end_offset}}});
    machine_.on_check(broker, response, cluster_, kStart);
  }

  /// The position that broker 1 is asked for next, -1 if it is not asked for the partition.
  int64_t ask(int64_t now = kStart) {
    const auto request = machine_.next_request(1, cluster_, now);
    if (!request || request->topics.empty()) return -1;
    return request->topics[0].partitions[0].fetch_offset;
  }

  FetchResponse::PartitionData data_with(const std::string& records, int64_t high_watermark) {
    buffer_ = pool_.take(records.size());
    std::memcpy(buffer_->data(), records.data(), records.size());
    FetchResponse::PartitionData data;
    data.high_watermark = data.last_stable_offset = high_watermark;
    data.records = {buffer_->data(), records.size()};
    return data;
  }

  void answer(FetchResponse::PartitionData data, int64_t now = kStart, int32_t broker = 1) {
    FetchResponse response;
    response.session_id = 5;
    auto& topic = response.responses.emplace_back();
    topic.topic_id = {7, 7};
    topic.partitions.push_back(std::move(data));
    machine_.on_answer(broker, std::move(response), std::exchange(buffer_, nullptr), cluster_, now);
  }

  /// "10:a 11:b", then where reading goes on and what else is to be said. "none": there was nothing.
  std::string next_run() {
    if (!machine_.decode_next(run_)) return "none";
    std::string text;
    for (const FetchedRecord& record : run_.run.records()) {
      text += std::to_string(record.offset) + ":" + std::string(record.value, record.value_size) + " ";
    }
    text += "> " + std::to_string(run_.position_after);
    if (run_.at_end) text += " end";
    if (run_.trouble == FetchTrouble::kOutOfRange) text += " out of range";
    if (run_.trouble == FetchTrouble::kRecreated) text += " recreated";
    if (run_.trouble == FetchTrouble::kGone) text += " gone";
    if (run_.trouble == FetchTrouble::kTruncated) text += " truncated to " + std::to_string(run_.truncated_to);
    EXPECT_EQ(run_.trouble == FetchTrouble::kNone, run_.error.empty());
    if (!run_.error.empty()) text += " " + run_.error;
    return text;
  }

  BufferPool pool_;
  ClusterView cluster_;
  FetchMachine machine_;
  SharedBuffer buffer_;
  FetchedRun run_;
};

TEST_F(FetchMachineTest, AsksForTheNextRecordsBeforeTheseAreDecoded) {
  EXPECT_EQ(machine_.brokers(cluster_), std::set<int32_t>{1});
  EXPECT_EQ(ask(), 10);
  EXPECT_EQ(ask(), -1);  // one request at a time
  answer(data_with(batch_of(8, {"x", "y", "a"}) + batch_of(20, {"b", "c"}), 30));
  EXPECT_EQ(ask(), 22);
  EXPECT_EQ(next_run(), "10:a 20:b 21:c > 22");
  EXPECT_EQ(next_run(), "none");
  answer(data_with(batch_of(22, {"d"}), 23));
  EXPECT_EQ(next_run(), "22:d > 23 end");
}

TEST_F(FetchMachineTest, ARequestHasWhatTheBrokerNeeds) {
  const auto request = machine_.next_request(1, cluster_, kStart);
  EXPECT_EQ(request->isolation_level, 1);
  EXPECT_EQ(request->topics[0].topic_id, (Uuid{7, 7}));
  EXPECT_EQ(request->topics[0].topic, "t");
  EXPECT_EQ(request->topics[0].partitions[0].current_leader_epoch, 4);
  EXPECT_EQ(machine_.newest_version(*request), kNewestVersion);
  EXPECT_FALSE(machine_.next_request(2, cluster_, kStart));
}

TEST_F(FetchMachineTest, TheEndIsToldOnceWithoutRecordsToo) {
  ask();
  answer(data_with("", 10));
  EXPECT_EQ(next_run(), "> 10 end");
  ask();
  answer(data_with("", 10));
  EXPECT_EQ(next_run(), "none");
}

TEST_F(FetchMachineTest, AbortedRecordsAreLeftOutAndPassed) {
  const BatchProducer bad{9, 0, 0, true};
  const BatchProducer good{8, 0, 0, true};
  ask();
  auto data = data_with(batch_of(10, {"good"}, good) + batch_of(11, {"bad", "bad"}, bad) + batch_of(13, {"plain"}) +
                            marker(14, 9, 0) + batch_of(15, {"later"}, bad) + marker(16, 9, 1) + marker(17, 8, 1),
                        18);
  data.aborted_transactions = {{9, 11}};
  answer(std::move(data));
  EXPECT_EQ(next_run(), "10:good 13:plain 15:later > 18 end");
}

TEST_F(FetchMachineTest, MuchComesInSeveralRuns) {
  const std::string value(kRunBytes / 2, 'v');
  ask();
  answer(data_with(batch_of(10, {value}) + batch_of(11, {value}) + batch_of(12, {value}) + batch_of(13, {value}), 14));
  ASSERT_TRUE(machine_.decode_next(run_));
  EXPECT_EQ(run_.run.size(), 2u);
  EXPECT_EQ(run_.position_after, 12);
  EXPECT_FALSE(run_.at_end);
  ASSERT_TRUE(machine_.decode_next(run_));
  EXPECT_EQ(run_.run.records()[0].offset, 12);
  EXPECT_EQ(run_.position_after, 14);
  EXPECT_FALSE(machine_.decode_next(run_));
}

TEST_F(FetchMachineTest, SeekDropsWhatWasAskedAndFetchedBefore) {
  ask();
  answer(data_with(batch_of(10, {"a"}), 50));
  ask();
  machine_.seek(kPartition, 40);
  EXPECT_EQ(next_run(), "none");
  answer(data_with(batch_of(11, {"b"}), 50));
  EXPECT_EQ(next_run(), "none");
  EXPECT_EQ(ask(), 40);
}

TEST_F(FetchMachineTest, PausedPartitionsAreForgotten) {
  ask();
  answer(data_with(batch_of(10, {"a"}), 50));
  machine_.pause(kPartition);
  EXPECT_TRUE(machine_.brokers(cluster_).empty());
  EXPECT_EQ(ask(), -1);
  EXPECT_EQ(next_run(), "10:a > 11");
  machine_.resume(kPartition);
  EXPECT_EQ(ask(), 11);
}

TEST_F(FetchMachineTest, AnErrorStopsThePartitionUntilSeek) {
  ask();
  FetchResponse::PartitionData data;
  data.error_code = 1;
  answer(data);
  EXPECT_EQ(next_run(),
            "> 10 out of range topic=t partition=0 offset=10: the broker refuses to read: OFFSET_OUT_OF_RANGE");
  EXPECT_TRUE(machine_.brokers(cluster_).empty());
  machine_.seek(kPartition, 3);
  EXPECT_EQ(ask(), 3);
}

TEST_F(FetchMachineTest, ATopicThatMayNotBeDescribedAnyMoreIsAnError) {
  learn_topic({}, static_cast<int16_t>(KafkaError::kUnknownServerError));
  EXPECT_EQ(ask(), 10);  // the broker's own trouble
  answer(data_with("", 10));
  learn_topic({}, static_cast<int16_t>(KafkaError::kTopicAuthorizationFailed));
  EXPECT_EQ(ask(), -1);
  EXPECT_EQ(next_run(), "> 10 end");
  EXPECT_EQ(next_run(),
            "> 10 topic=t partition=0 offset=10: the brokers refuse to say where the topic is: "
            "TOPIC_AUTHORIZATION_FAILED; the user that the job logs in as needs the rights to Describe and Read it");
}

TEST_F(FetchMachineTest, ATopicThatMayNotBeDescribedAtTheStartIsAnError) {
  ClusterView unknown({}, 1);
  unknown.set_topics(machine_.topics());
  unknown.take_request();
  MetadataResponse metadata;
  metadata.brokers = {{1, "one", 9092, {}}};
  metadata.topics.emplace_back().name = "t";
  metadata.topics.back().error_code = static_cast<int16_t>(KafkaError::kInvalidTopicException);
  unknown.on_answer(metadata, kStart);
  EXPECT_TRUE(machine_.lacks_leaders(unknown, kStart));
  machine_.check_existence(unknown, kStart);
  EXPECT_EQ(next_run(),
            "> 10 topic=t partition=0 offset=10: the brokers refuse to say where the topic is: "
            "INVALID_TOPIC_EXCEPTION");
  EXPECT_FALSE(machine_.lacks_leaders(unknown, kStart));
}

TEST_F(FetchMachineTest, ATopicThatWasMadeAnewIsNotReadOnSilently) {
  ask();
  answer(data_with(batch_of(10, {"a"}), 50));
  learn_topic({8, 8});
  EXPECT_EQ(ask(), -1);
  EXPECT_EQ(next_run(), "10:a > 11");
  EXPECT_EQ(next_run(),
            "> 11 recreated topic=t partition=0 offset=11: the topic was deleted and created again, so that the "
            "position means "
            "nothing any more");
  machine_.seek(kPartition, 0);
  EXPECT_EQ(ask(), 0);
}

TEST_F(FetchMachineTest, ATopicThatWasMadeAnewBeforeARestoreIsNoticed) {
  machine_.assign(kPartition, {10, -1, {6, 6}});
  EXPECT_EQ(ask(), -1);
  EXPECT_TRUE(next_run().starts_with("> 10 recreated"));
  machine_.assign(kPartition, {10, -1, {7, 7}});
  EXPECT_EQ(ask(), 10);
  answer(data_with(batch_of(10, {"a"}), 11));
  EXPECT_EQ(next_run(), "10:a > 11 end");
  EXPECT_EQ(run_.topic_id, (Uuid{7, 7}));
}

/// A batch that a leader of that epoch has taken.
std::string of_epoch(std::string batch, int32_t epoch) {
  store_big_endian(batch.data() + 12, epoch);
  return batch;
}

TEST_F(FetchMachineTest, TruncationIsNoticed) {
  machine_.assign(kPartition, {10, 3, {}});
  const auto first = machine_.next_request(1, cluster_, kStart);
  EXPECT_EQ(first->topics[0].partitions[0].last_fetched_epoch, 3);
  answer(data_with(of_epoch(batch_of(10, {"a"}), 3) + of_epoch(batch_of(11, {"b"}), 4), 20));
  EXPECT_EQ(next_run(), "10:a 11:b > 12");
  EXPECT_EQ(run_.epoch_after, 4);
  EXPECT_EQ(run_.records()[0].leader_epoch, 3);
  const auto second = machine_.next_request(1, cluster_, kStart);
  EXPECT_EQ(second->topics[0].partitions[0].last_fetched_epoch, 4);
  FetchResponse::PartitionData data;
  data.diverging_epoch = {3, 11};
  answer(std::move(data));
  EXPECT_TRUE(next_run().starts_with("> 12 truncated to 11 topic=t partition=0 offset=12: records were lost"));
  EXPECT_EQ(ask(), -1);
  machine_.seek(kPartition, 11);
  EXPECT_EQ(ask(), 11);
}

constexpr int16_t kUnknownTopic = 3;
constexpr int16_t kUnknownId = 100;

TEST_F(FetchMachineTest, APartitionIsGoneOnceBrokersHaveDeniedItForAWhile) {
  FetchResponse::PartitionData denial;
  denial.error_code = kUnknownId;
  ask();
  answer(denial);
  EXPECT_EQ(next_run(), "none");
  EXPECT_LT(cluster_.due_at_ns(), kStart + 1'000'000'000);
  // The metadata still shows it.
  EXPECT_TRUE(machine_.next_request(1, cluster_, kStart + 5'000'000'000));
  answer(denial, kStart + 5'000'000'000);
  learn_topic({}, kUnknownTopic);
  EXPECT_EQ(ask(kStart + 6'000'000'000), -1);
  EXPECT_EQ(next_run(), "none");
  EXPECT_EQ(machine_.due_at_ns(kStart + 6'000'000'000), kStart + kGoneAfterNs);
  EXPECT_EQ(ask(kStart + kGoneAfterNs), -1);
  EXPECT_EQ(next_run(),
            "> 10 gone topic=t partition=0 offset=10: the brokers say that this partition does not exist (any more)");
  EXPECT_EQ(ask(kStart + 2 * kGoneAfterNs), -1);
  EXPECT_EQ(next_run(), "none") << "it is told once";
}

TEST_F(FetchMachineTest, APartitionThatIsReadAgainIsNotGone) {
  FetchResponse::PartitionData denial;
  denial.error_code = kUnknownTopic;
  ask();
  answer(denial);
  EXPECT_TRUE(machine_.next_request(1, cluster_, kStart + 5'000'000'000));
  FetchResponse nothing_new;
  nothing_new.session_id = 5;
  machine_.on_answer(1, std::move(nothing_new), nullptr, cluster_, kStart + 5'000'000'000);
  EXPECT_TRUE(machine_.next_request(1, cluster_, kStart + 9'000'000'000));
  answer(denial, kStart + 9'000'000'000);
  EXPECT_TRUE(machine_.next_request(1, cluster_, kStart + 12'000'000'000));
  answer(denial, kStart + 12'000'000'000);
  EXPECT_EQ(next_run(), "none");
}

TEST_F(FetchMachineTest, APartitionThatNeverWasIsGoneToo) {
  machine_.assign({"t", 7}, {});
  machine_.check_existence(cluster_, kStart);
  EXPECT_EQ(next_run(), "none");
  machine_.check_existence(cluster_, kStart + kGoneAfterNs);
  EXPECT_TRUE(next_run().starts_with("> 0 gone topic=t partition=7"));
}

class GonePartitionTest : public FetchMachineTest {
 protected:
  void lose_topic() {
    learn_topic({}, kUnknownTopic);
    EXPECT_EQ(ask(), -1);
    EXPECT_EQ(ask(kStart + kGoneAfterNs), -1);
    EXPECT_TRUE(next_run().starts_with("> 10 gone"));
  }

  /// Whether it is looked for now.
  bool look(int64_t now) {
    const bool looks = machine_.lacks_leaders(cluster_, now);
    if (looks) machine_.check_existence(cluster_, now);
    return looks;
  }
};

constexpr int64_t kGoneAt = kStart + kGoneAfterNs;
constexpr int64_t kOneSecond = 1'000'000'000;

TEST_F(GonePartitionTest, IsLookedForNowAndThen) {
  lose_topic();
  EXPECT_TRUE(look(kGoneAt));
  EXPECT_FALSE(look(kGoneAt + kOneSecond / 2));
  EXPECT_EQ(machine_.due_at_ns(kGoneAt), kGoneAt + kOneSecond);
  EXPECT_TRUE(look(kGoneAt + kOneSecond));
  EXPECT_EQ(next_run(), "none") << "it is told once";
}

TEST_F(GonePartitionTest, OfAnotherTopicOfThatNameIsNotReadOnSilently) {
  lose_topic();
  learn_topic({8, 8});
  EXPECT_TRUE(look(kGoneAt));
  EXPECT_TRUE(next_run().starts_with("> 10 recreated"));
  EXPECT_FALSE(look(kGoneAt + kOneSecond));
  machine_.seek(kPartition, 0);
  EXPECT_EQ(ask(kGoneAt), 0);
}

TEST_F(GonePartitionTest, ThatBrokersHadForgottenForAWhileIsReadOn) {
  EXPECT_EQ(ask(), 10);
  answer(data_with("", 10));
  next_run();
  lose_topic();
  learn_topic({7, 7});
  EXPECT_TRUE(look(kGoneAt));
  EXPECT_TRUE(machine_.next_request(1, cluster_, kGoneAt));
  EXPECT_EQ(next_run(), "none");
}

TEST_F(GonePartitionTest, WithoutTopicIdsIsTakenForAnother) {
  learn_topic({});
  machine_.assign(kPartition, {10});
  EXPECT_EQ(ask(), 10);
  answer(data_with("", 10));
  next_run();
  lose_topic();
  learn_topic({});
  EXPECT_TRUE(look(kGoneAt));
  EXPECT_TRUE(next_run().starts_with("> 10 recreated"));
}

TEST_F(FetchMachineTest, APartitionThatHasNoLeaderForLongIsToldOfOnceAndWhenItHasOneAgain) {
  const auto learn_leader = [&](int32_t leader, int32_t epoch) {
    MetadataResponse metadata;
    metadata.brokers = {{1, "one", 9092, {}}};
    auto& topic = metadata.topics.emplace_back();
    topic.name = "t";
    topic.topic_id = {7, 7};
    topic.partitions.emplace_back().leader_id = leader;
    topic.partitions.back().leader_epoch = epoch;
    cluster_.take_request();
    cluster_.on_answer(metadata, kStart);
  };
  const auto news = [&](int64_t seconds) -> std::string {
    const auto told = machine_.note_leaders(cluster_, kStart + seconds * 1'000'000'000);
    if (!told) return "none";
    if (told->ended) return "ended";
    return to_string(told->partition) + " +" + std::to_string(told->num_others) + " " + told->reason;
  };
  EXPECT_EQ(news(0), "none");
  learn_leader(-1, 5);
  EXPECT_EQ(news(1), "none");
  EXPECT_EQ(machine_.due_at_ns(kStart), kStart + 6'000'000'000);
  EXPECT_EQ(news(5), "none");
  EXPECT_EQ(news(6), "t-0 +0 it has no leader");
  EXPECT_EQ(news(7), "none");
  learn_leader(1, 6);
  EXPECT_EQ(news(8), "ended");
  learn_leader(-1, 7);
  EXPECT_EQ(news(9), "none");
  learn_leader(1, 8);
  EXPECT_EQ(news(20), "none");
}

TEST_F(FetchMachineTest, AMovedLeaderIsAskedForAgain) {
  ask();
  FetchResponse::PartitionData data;
  data.error_code = 6;
  data.current_leader = {2, 5};
  answer(data);
  EXPECT_EQ(next_run(), "none");
  EXPECT_EQ(cluster_.find(kPartition)->leader, 2);
  EXPECT_LT(cluster_.due_at_ns(), kStart + 1'000'000'000);
  EXPECT_EQ(machine_.due_at_ns(kStart), kStart + 100'000'000);
  EXPECT_TRUE(machine_.next_request(2, cluster_, kStart + 100'000'000));
}

TEST_F(FetchMachineTest, DamagedRecordsStopThePartitionBehindTheWholeOnes) {
  ask();
  std::string damaged = batch_of(11, {"b"});
  damaged.back() ^= 1;
  answer(data_with(batch_of(10, {"a"}) + damaged, 50));
  EXPECT_EQ(next_run(), "10:a > 11");
  const std::string failure = next_run();
  EXPECT_TRUE(failure.starts_with("> 11 topic=t partition=0 offset=11: the record batch is damaged: its checksum"))
      << failure;
  EXPECT_EQ(next_run(), "none");
  machine_.seek(kPartition, 12);
  // A batch that cannot even be skipped.
  machine_.on_failure(1, kStart - 1'000'000'000);
  EXPECT_EQ(ask(), 12);
  std::string unknown = batch_of(13, {"c"});
  unknown[16] = 9;
  answer(data_with(batch_of(12, {"b"}) + unknown, 50));
  EXPECT_EQ(next_run(), "12:b > 13");
  EXPECT_TRUE(
      next_run().starts_with("> 13 topic=t partition=0 offset=13: the record batch is damaged: its format is 9"));
}

TEST_F(FetchMachineTest, TooMuchThatIsBufferedHoldsRequestsBack) {
  FetchSettings settings;
  settings.buffered_bytes_max = 8 << 20;
  FetchMachine machine(settings, pool_);
  machine.assign(kPartition, {10});
  SharedBuffer held = pool_.take(5 << 20);
  EXPECT_FALSE(machine.next_request(1, cluster_, kStart)) << "more than what an answer that comes leaves room for";
  EXPECT_EQ(machine.due_at_ns(kStart), kStart + 5'000'000) << "another thread may let go of it";
  EXPECT_FALSE(machine.has_room_again());
  held = pool_.take(4 << 20);
  EXPECT_TRUE(machine.has_room_again());
  EXPECT_EQ(machine.next_request(1, cluster_, kStart)->max_bytes, 2 << 20);
  EXPECT_FALSE(machine.has_room_again());
}

TEST_F(FetchMachineTest, WhereRoomNeverComesALittleIsFetched) {
  FetchSettings settings;
  settings.buffered_bytes_max = 2 << 20;
  FetchMachine machine(settings, pool_);
  machine.assign(kPartition, {10});
  const SharedBuffer held = pool_.take(2 << 20);
  EXPECT_FALSE(machine.next_request(1, cluster_, kStart));
  EXPECT_FALSE(machine.next_request(1, cluster_, kStart + 999'000'000));
  EXPECT_EQ(machine.next_request(1, cluster_, kStart + 1'000'000'000)->max_bytes, 1 << 20);
  FetchResponse response;
  response.session_id = 5;
  auto& topic = response.responses.emplace_back();
  topic.topic_id = {7, 7};
  topic.partitions.push_back(data_with(batch_of(10, {"a"}), 30));
  machine.on_answer(1, std::move(response), std::exchange(buffer_, nullptr), cluster_, kStart);
  EXPECT_FALSE(machine.next_request(1, cluster_, kStart + 9'000'000'000)) << "there is something to decode";
  machine.decode_next(run_);
  EXPECT_TRUE(machine.next_request(1, cluster_, kStart + 9'000'000'000));
}

TEST_F(FetchMachineTest, ARackMayHaveAReplicaOfItsOwn) {
  ask();
  auto data = data_with("", 50);
  data.preferred_read_replica = 2;
  answer(std::move(data));
  EXPECT_EQ(machine_.brokers(cluster_), std::set<int32_t>{2});
}

TEST_F(FetchMachineTest, AReplicaThatIsNotKnownIsLookedForWhileTheLeaderGivesRecords) {
  FetchSettings settings;
  settings.rack = "r3";
  FetchMachine machine(settings, pool_);
  machine.assign(kPartition, {10});
  EXPECT_EQ(machine.next_request(1, cluster_, kStart)->rack_id, "r3");
  FetchResponse response;
  auto& topic = response.responses.emplace_back();
  topic.topic_id = {7, 7};
  topic.partitions.push_back(data_with("", 50));
  topic.partitions.back().preferred_read_replica = 3;
  machine.on_answer(1, std::move(response), nullptr, cluster_, kStart);
  EXPECT_EQ(machine.brokers(cluster_), std::set<int32_t>{1});
  EXPECT_LE(cluster_.due_at_ns(), kStart + 200'000'000);
  EXPECT_EQ(machine.next_request(1, cluster_, kStart)->rack_id, "");
}

TEST_F(FetchMachineTest, AReplicaThatIsLostIsLeftForLeadersForAWhile) {
  constexpr int64_t kOneSecond = 1'000'000'000;
  FetchSettings settings;
  settings.rack = "r2";
  FetchMachine machine(settings, pool_);
  machine.assign(kPartition, {10});
  const auto prefer = [&](int64_t now) {
    FetchResponse response;
    response.session_id = 5;
    auto& topic = response.responses.emplace_back();
    topic.topic_id = {7, 7};
    auto data = data_with("", 50);
    data.preferred_read_replica = 2;
    topic.partitions.push_back(std::move(data));
    machine.on_answer(1, std::move(response), nullptr, cluster_, now);
  };
  EXPECT_EQ(machine.next_request(1, cluster_, kStart)->rack_id, "r2");
  prefer(kStart);
  EXPECT_EQ(machine.brokers(cluster_), std::set<int32_t>{2});
  machine.on_unreachable(1, kStart);
  EXPECT_EQ(machine.brokers(cluster_), std::set<int32_t>{2});
  machine.next_request(2, cluster_, kStart);
  machine.on_failure(2, kStart);
  EXPECT_EQ(machine.brokers(cluster_), std::set<int32_t>{1});
  EXPECT_EQ(machine.next_request(1, cluster_, kStart + 9 * kOneSecond)->rack_id, "")
      << "it must give the records itself";
  machine.on_failure(1, kStart + 9 * kOneSecond);
  EXPECT_EQ(machine.next_request(1, cluster_, kStart + 10 * kOneSecond)->rack_id, "r2");
  prefer(kStart + 10 * kOneSecond);
  machine.on_unreachable(2, kStart + 11 * kOneSecond);
  EXPECT_EQ(machine.next_request(1, cluster_, kStart + 12 * kOneSecond)->rack_id, "");
}

TEST_F(FetchMachineTest, OfBrokersThatDoNotCompareEpochsItIsAskedUnderEachNewLeader) {
  for (const int32_t broker : {1, 2}) machine_.set_compares_epochs(broker, false);
  EXPECT_EQ(check(1), "") << "nothing was read yet";
  EXPECT_EQ(ask(), 10);
  answer(data_with(of_epoch(batch_of(10, {"a", "b"}), 3), 50));
  EXPECT_EQ(check(1), "") << "what came last came from this leader";
  EXPECT_EQ(ask(), 12);
  lead(2, 5);
  EXPECT_EQ(machine_.brokers(cluster_), std::set<int32_t>{2});
  EXPECT_FALSE(machine_.next_request(2, cluster_, kStart)) << "first it is checked";
  EXPECT_EQ(check(2), "5 3");
  EXPECT_EQ(check(2), "") << "one question at a time";
  answer_check(2, 3, 12);
  EXPECT_EQ(check(2), "");
  EXPECT_TRUE(machine_.next_request(2, cluster_, kStart));
}

TEST_F(FetchMachineTest, WhatALeaderDoesNotHaveWasLost) {
  machine_.set_compares_epochs(1, false);
  machine_.assign(kPartition, {12, 3, {}});
  EXPECT_EQ(check(1), "4 3");
  answer_check(1, 2, 11);
  EXPECT_TRUE(
      next_run().starts_with("> 12 truncated to 11 topic=t partition=0 offset=12: records were lost that had "
                             "been read: the partition's leader has others from offset 11 on"));
  EXPECT_EQ(check(1), "");
  machine_.seek(kPartition, 11);
  EXPECT_EQ(ask(), 11);
  machine_.on_failure(1, kStart - 1'000'000'000);
  machine_.assign(kPartition, {12, 9, {}});
  EXPECT_EQ(check(1), "4 9");
  answer_check(1, -1, -1);
  EXPECT_TRUE(
      next_run().starts_with("> 12 truncated to -1 topic=t partition=0 offset=12: records were lost that had "
                             "been read: the partition's leader has none of the time"));
}

TEST_F(FetchMachineTest, ALeadersLateAnswerDoesNotTakeBackTheEpochOfTheNext) {
  EXPECT_EQ(ask(), 10);
  lead(2, 5);
  ASSERT_TRUE(machine_.next_request(2, cluster_, kStart));
  answer(data_with(of_epoch(batch_of(10, {"a"}), 4) + of_epoch(batch_of(11, {"b"}), 5), 12), kStart, 2);
  answer(data_with(of_epoch(batch_of(10, {"a"}), 4), 11));
  const auto next = machine_.next_request(2, cluster_, kStart);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->topics[0].partitions[0].fetch_offset, 12);
  EXPECT_EQ(next->topics[0].partitions[0].last_fetched_epoch, 5);
  EXPECT_EQ(next_run(), "10:a 11:b > 12 end");
  EXPECT_EQ(run_.epoch_after, 5);
  EXPECT_EQ(next_run(), "> 12 end");
  EXPECT_EQ(run_.epoch_after, 5);
}

TEST_F(FetchMachineTest, ACheckThatGetsNoAnswerIsRepeatedUnlessItIsForbidden) {
  constexpr int16_t kFenced = 74;
  constexpr int16_t kForbidden = 31;
  constexpr int64_t kLater = kStart + 100'000'000;
  machine_.set_compares_epochs(1, false);
  machine_.assign(kPartition, {12, 3, {}});
  EXPECT_EQ(check(1), "4 3");
  machine_.on_check_failure(1, kStart);
  EXPECT_EQ(check(1), "");
  EXPECT_EQ(machine_.due_at_ns(kStart), kLater);
  EXPECT_EQ(check(1, kLater), "4 3");
  answer_check(1, -1, -1, kFenced);
  EXPECT_LT(cluster_.due_at_ns(), kStart + 1'000'000'000);
  EXPECT_EQ(ask(kLater), -1);
  EXPECT_EQ(check(1, kLater), "4 3");
  answer_check(1, -1, -1, kForbidden);
  EXPECT_EQ(ask(kLater), 12);
}

TEST_F(FetchMachineTest, ACheckThatWasOvertakenByRecordsSaysNothing) {
  for (const int32_t broker : {1, 2}) machine_.set_compares_epochs(broker, false);
  machine_.assign(kPartition, {10, -1, {}});
  EXPECT_EQ(ask(), 10);
  answer(data_with(of_epoch(batch_of(10, {"a"}), 3), 50));
  EXPECT_EQ(ask(), 11);
  lead(2, 5);
  EXPECT_EQ(check(2), "5 3");
  answer(data_with(of_epoch(batch_of(11, {"b", "c"}), 4), 50));  // the old leader's last word
  answer_check(2, 3, 11);
  EXPECT_EQ(next_run(), "10:a > 11");
  EXPECT_EQ(next_run(), "11:b 12:c > 13");
  EXPECT_EQ(next_run(), "none");
  EXPECT_EQ(check(2), "5 4");
}

/// Three partitions of one topic, led by brokers 1, 2 and 3 or all by broker 1.
class FetchSharingTest : public testing::Test {
 protected:
  FetchSharingTest() : pool_(1 << 20), cluster_({}, 1) {}

  void make(bool one_broker) {
    FetchSettings settings;
    settings.buffered_bytes_max = 48 << 20;
    machine_ = std::make_unique<FetchMachine>(settings, pool_);
    for (int32_t i = 0; i < 3; ++i) machine_->assign({"t", i}, {0});
    cluster_.set_topics(machine_->topics());
    MetadataResponse metadata;
    metadata.brokers = {{1, "one", 9092, {}}, {2, "two", 9092, {}}, {3, "three", 9092, {}}};
    auto& topic = metadata.topics.emplace_back();
    topic.name = "t";
    topic.topic_id = {7, 7};
    for (int32_t i = 0; i < 3; ++i) {
      topic.partitions.emplace_back().leader_id = one_broker ? 1 : i + 1;
      topic.partitions.back().partition_index = i;
    }
    cluster_.take_request();
    cluster_.on_answer(metadata, kStart);
  }

  /// Has broker 1 answer the partitions with one record each from offset 0, without a session.
  void answer(const std::vector<int32_t>& partitions) {
    const std::string records = batch_of(0, {"a"});
    SharedBuffer buffer = pool_.take(records.size());
    std::memcpy(buffer->data(), records.data(), records.size());
    FetchResponse response;
    auto& topic = response.responses.emplace_back();
    topic.topic_id = {7, 7};
    for (const int32_t partition : partitions) {
      auto& data = topic.partitions.emplace_back();
      data.partition_index = partition;
      data.high_watermark = data.last_stable_offset = 100;
      data.records = {buffer->data(), records.size()};
    }
    machine_->on_answer(1, std::move(response), buffer, cluster_, kStart);
  }

  /// The partitions that broker 1 is asked for, in order.
  std::string order() {
    const auto request = machine_->next_request(1, cluster_, kStart);
    std::string text;
    for (const auto& topic : request->topics) {
      for (const auto& partition : topic.partitions) text += std::to_string(partition.partition);
    }
    return text;
  }

  BufferPool pool_;
  ClusterView cluster_;
  std::unique_ptr<FetchMachine> machine_;
};

TEST_F(FetchSharingTest, WhatHasWaitedLongestIsAskedForFirst) {
  make(true);
  EXPECT_EQ(order(), "012");
  answer({0});
  EXPECT_EQ(order(), "120");
  answer({1});
  EXPECT_EQ(order(), "201");
  answer({0, 2});
  EXPECT_EQ(order(), "102");
}

TEST_F(FetchSharingTest, BrokersShareTheBudget) {
  make(false);
  for (const int32_t broker : {1, 2, 3}) {
    EXPECT_EQ(machine_->next_request(broker, cluster_, kStart, 3)->max_bytes, 4 << 20);
  }
  make(true);
  EXPECT_EQ(machine_->next_request(1, cluster_, kStart)->max_bytes, 12 << 20);
}

}  // namespace
}  // namespace yeoul
