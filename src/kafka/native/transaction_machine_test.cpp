#include "yeoul/kafka/native/transaction_machine.h"

#include <gtest/gtest.h>

namespace yeoul {
namespace {

class TransactionMachineTest : public testing::Test {
 protected:
  static constexpr int64_t kMs = 1'000'000;
  static constexpr int64_t kSecond = 1'000 * kMs;

  TransactionMachineTest() : machine_({.transactional_id = "id", .timeout_ns = 5 * kSecond}, 1) {}

  /// The next request: "Init 7/3", "Add t-0 t-1", "Commit 7/3 v4", …
  std::string ask(int16_t transaction_version = 2) {
    const auto request = machine_.next_request(transaction_version, now_);
    if (!request) return "none";
    if (std::holds_alternative<FindCoordinatorRequest>(*request)) return "Find";
    if (const auto* init = std::get_if<InitProducerIdRequest>(&*request)) {
      return fmt::format("Init {}/{}", init->producer_id, init->producer_epoch);
    }
    if (const auto* end = std::get_if<EndTxnRequest>(&*request)) {
      const bool bumps = machine_.newest_version(*request) > 4;
      return fmt::format("{} {}/{}{}", end->committed ? "Commit" : "Abort", end->producer_id, end->producer_epoch,
                         bumps ? "" : " v4");
    }
    std::string text = "Add";
    for (const auto& topic : std::get<AddPartitionsToTxnRequest>(*request).topics) {
      for (const int32_t partition : topic.partitions) text += fmt::format(" {}-{}", topic.name, partition);
    }
    return text;
  }

  template <class Request>
  void answer(const typename Request::Response& response) {
    const Api& api = api_of(Request::kApi);
    const int16_t version = api.versions.last;
    // Without the length in front, as the link gives it.
    const std::string frame = encode_response_frame(api, version, 1, &response).substr(4);
    machine_.on_answer({0, Request::kApi, version, frame, nullptr, {}}, now_);
  }
  void found(KafkaError error = KafkaError::kNone) {
    FindCoordinatorResponse response;
    response.coordinators = {{"id", 3, "three", 9092, static_cast<int16_t>(error), {}}};
    answer<FindCoordinatorRequest>(response);
  }
  void initialised(int16_t epoch, KafkaError error = KafkaError::kNone) {
    answer<InitProducerIdRequest>({0, static_cast<int16_t>(error), 7, epoch});
  }
  void added(std::vector<std::pair<int32_t, KafkaError>> results) {
    AddPartitionsToTxnResponse response;
    response.results_by_topic.emplace_back().name = "t";
    for (const auto& [partition, error] : results) {
      response.results_by_topic[0].results_by_partition.push_back({partition, static_cast<int16_t>(error)});
    }
    answer<AddPartitionsToTxnRequest>(response);
  }
  /// @param epoch  -1: an answer of the older protocol
  void ended(int16_t epoch, KafkaError error = KafkaError::kNone) {
    answer<EndTxnRequest>({0, static_cast<int16_t>(error), epoch < 0 ? -1 : 7, epoch});
  }

  std::string events() {
    std::string text;
    for (const auto& event : machine_.take_events()) {
      constexpr const char* kNames[] = {"initialised", "begun", "registered", "committed", "aborted", "failed"};
      text += text.empty() ? "" : ", ";
      text += kNames[static_cast<int>(event.kind)];
      for (const TopicPartition& partition : event.partitions) text += " " + to_string(partition);
      if (event.error) text += ": " + event.error->to_string();
    }
    return text;
  }

  void make_ready(int16_t transaction_version) {
    machine_.init(now_);
    ask(transaction_version);
    found();
    ask(transaction_version);
    initialised(3);
    EXPECT_EQ(events(), "initialised");
  }
  void open(int16_t transaction_version) {
    make_ready(transaction_version);
    machine_.begin(now_);
    EXPECT_EQ(events(), "begun");
  }
  void pass_backoff() { now_ += 2 * kSecond; }

  int64_t now_ = 10 * kSecond;
  TransactionMachine machine_;
};

TEST_F(TransactionMachineTest, FindsTheCoordinatorFirst) {
  EXPECT_EQ(ask(), "none");
  machine_.init(now_);
  EXPECT_EQ(ask(), "Find");
  EXPECT_EQ(ask(), "none");
  found(KafkaError::kCoordinatorNotAvailable);
  EXPECT_EQ(ask(), "none");
  pass_backoff();
  EXPECT_EQ(ask(), "Find");
  found();
  EXPECT_EQ(machine_.coordinator(), 3);
  EXPECT_EQ(ask(), "Init -1/-1");
  initialised(0, KafkaError::kConcurrentTransactions);
  pass_backoff();
  EXPECT_EQ(ask(), "Init -1/-1");
  initialised(0, KafkaError::kNotCoordinator);
  pass_backoff();
  EXPECT_EQ(ask(), "Find");
  found();
  EXPECT_EQ(ask(), "Init -1/-1");
  initialised(3);
  EXPECT_EQ(events(), "initialised");
  EXPECT_EQ(machine_.producer(), (ProducerIdentity{7, 3}));
}

TEST_F(TransactionMachineTest, AnAnswerToWhatWasGivenUpCountsForNothing) {
  open(2);
  machine_.commit(true, now_);
  EXPECT_EQ(ask(), "Commit 7/3");
  now_ += 60 * kSecond;
  machine_.on_time(now_);
  EXPECT_TRUE(events().starts_with("failed"));
  machine_.init(now_);
  ended(4);
  EXPECT_EQ(events(), "");
  EXPECT_EQ(ask(), "Init -1/-1");
  initialised(9);
  EXPECT_EQ(events(), "initialised");
  EXPECT_EQ(machine_.producer(), (ProducerIdentity{7, 9}));
}

TEST_F(TransactionMachineTest, TheNewerProtocolBumpsTheEpochAtTheEnd) {
  open(2);
  EXPECT_TRUE(machine_.is_implicit());
  machine_.commit(true, now_);
  EXPECT_EQ(ask(), "Commit 7/3");
  ended(4);
  EXPECT_EQ(events(), "committed");
  machine_.begin(now_);
  EXPECT_EQ(events(), "begun");
  EXPECT_EQ(machine_.producer(), (ProducerIdentity{7, 4}));
  machine_.abort(true, now_);
  EXPECT_EQ(ask(), "Abort 7/4");
  ended(5);
  EXPECT_EQ(events(), "aborted");
  EXPECT_EQ(machine_.producer(), (ProducerIdentity{7, 5}));
}

TEST_F(TransactionMachineTest, TheOlderProtocolAsksForAnEpochOfItsOwn) {
  open(1);
  EXPECT_FALSE(machine_.is_implicit());
  machine_.register_partitions({{"t", 0}, {"t", 1}}, now_);
  EXPECT_EQ(ask(1), "Add t-0 t-1");
  added({{0, KafkaError::kNone}, {1, KafkaError::kNone}});
  EXPECT_EQ(events(), "registered t-0 t-1");
  machine_.commit(true, now_);
  EXPECT_EQ(ask(1), "Commit 7/3 v4");
  ended(-1);
  EXPECT_EQ(events(), "committed");
  machine_.begin(now_);
  EXPECT_EQ(events(), "");
  EXPECT_EQ(ask(1), "Init 7/3");
  initialised(4);
  EXPECT_EQ(events(), "begun");
  machine_.abort(false, now_);
  EXPECT_EQ(ask(1), "none");  // nothing was registered
  EXPECT_EQ(events(), "aborted");
  machine_.begin(now_);
  EXPECT_EQ(events(), "begun");  // and nobody has seen the epoch
}

TEST_F(TransactionMachineTest, AnUpgradeOfTheClusterIsFollowed) {
  open(1);
  machine_.register_partitions({{"t", 0}}, now_);
  ask(1);
  added({{0, KafkaError::kNone}});
  machine_.commit(true, now_);
  EXPECT_EQ(ask(2), "Commit 7/3 v4");  // it began with the older protocol
  ended(-1);
  machine_.begin(now_);
  EXPECT_EQ(ask(2), "Init 7/3");
  initialised(4);
  EXPECT_TRUE(machine_.is_implicit());
}

TEST_F(TransactionMachineTest, RegistrationIsRepeated) {
  open(1);
  events();
  machine_.register_partitions({{"t", 0}, {"t", 1}}, now_);
  ask(1);
  added({{0, KafkaError::kConcurrentTransactions}, {1, KafkaError::kConcurrentTransactions}});
  EXPECT_EQ(ask(1), "none");
  now_ += 20 * kMs;
  EXPECT_EQ(ask(1), "Add t-0 t-1");
  added({{0, KafkaError::kNone}, {1, KafkaError::kUnknownTopicOrPartition}});
  EXPECT_EQ(events(), "registered t-0");
  pass_backoff();
  EXPECT_EQ(ask(1), "Add t-1");
  added({{1, KafkaError::kTopicAuthorizationFailed}});
  EXPECT_EQ(events(), "failed: transactional.id id: registering partitions: TOPIC_AUTHORIZATION_FAILED [YEOUL-4006]");
}

TEST_F(TransactionMachineTest, AnAbortWithoutAnyRegistration) {
  open(1);
  machine_.register_partitions({{"t", 0}}, now_);
  EXPECT_EQ(ask(1), "Add t-0");
  machine_.abort(false, now_);
  EXPECT_EQ(ask(1), "none");
  machine_.on_answer({0, ApiKey::kAddPartitionsToTxn, 3, {}, nullptr, "it closed the connection"}, now_);
  pass_backoff();
  EXPECT_EQ(ask(1), "Find");
  found();
  EXPECT_EQ(ask(1), "Abort 7/3 v4");
  ended(-1, KafkaError::kInvalidTxnState);
  EXPECT_EQ(events(), "aborted");
}

TEST_F(TransactionMachineTest, NothingWrittenIsNothingToCommit) {
  open(2);
  machine_.commit(false, now_);
  EXPECT_EQ(ask(), "none");
  EXPECT_EQ(events(), "committed");
  EXPECT_EQ(machine_.state(), TransactionMachine::State::kReady);
}

TEST_F(TransactionMachineTest, ALostAnswerIsAskedForAgain) {
  open(2);
  machine_.commit(true, now_);
  EXPECT_EQ(ask(), "Commit 7/3");
  machine_.on_answer({0, ApiKey::kEndTxn, 5, {}, nullptr, "broker 3: it closed the connection"}, now_);
  pass_backoff();
  EXPECT_EQ(ask(), "Find");
  found();
  EXPECT_EQ(ask(), "Commit 7/3");
  ended(0, KafkaError::kConcurrentTransactions);
  pass_backoff();
  EXPECT_EQ(ask(), "Commit 7/3");
  ended(4);
  EXPECT_EQ(events(), "committed");
}

TEST_F(TransactionMachineTest, PatienceHasAnEnd) {
  open(2);
  machine_.commit(true, now_);
  ask();
  machine_.on_answer({0, ApiKey::kEndTxn, 5, {}, nullptr, "broker 3: it closed the connection"}, now_);
  EXPECT_GT(machine_.due_at_ns(now_), now_);
  now_ += 60 * kSecond;
  machine_.on_time(now_);
  EXPECT_EQ(events(),
            "failed: transactional.id id: nothing came of it within 'max.block.ms' = 60000; last: broker 3: it closed "
            "the connection [YEOUL-4006]");
  EXPECT_EQ(ask(), "none");
}

TEST_F(TransactionMachineTest, AFencedProducerSaysWhy) {
  open(2);
  machine_.commit(true, now_);
  ask();
  ended(0, KafkaError::kProducerFenced);
  EXPECT_EQ(events(),
            "failed: transactional.id id: committing: PRODUCER_FENCED (Java: ProducerFencedException): the transaction "
            "was open for longer than 'transaction.timeout.ms' = 5000, so that the broker aborted it, or another "
            "producer uses the id [YEOUL-4006]");
  machine_.init(now_);
  EXPECT_EQ(ask(), "Init -1/-1");
}

TEST_F(TransactionMachineTest, ATimeoutThatTheBrokerDoesNotAllowNamesBothSettings) {
  machine_.init(now_);
  ask();
  found();
  ask();
  initialised(0, KafkaError::kInvalidTransactionTimeout);
  EXPECT_EQ(events(),
            "failed: transactional.id id: 'transaction.timeout.ms' = 5000 is above what the broker allows, its "
            "'transaction.max.timeout.ms' (900000 unless it was set): lower the one or raise the other [YEOUL-2010]");
}

TEST_F(TransactionMachineTest, AnEarlierProducersTransactionIsCommitted) {
  machine_.resume({9, 5}, now_);
  EXPECT_EQ(ask(), "Find");
  found();
  EXPECT_EQ(ask(), "Commit 9/5");
  ended(6);
  EXPECT_EQ(events(), "committed");
  machine_.resume({9, 5}, now_);
  EXPECT_EQ(ask(1), "Commit 9/5 v4");
  ended(-1);
  EXPECT_EQ(events(), "committed");
  machine_.init(now_);
  EXPECT_EQ(ask(), "Init -1/-1");
}

}  // namespace
}  // namespace yeoul
