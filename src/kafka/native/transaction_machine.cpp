#include "yeoul/kafka/native/transaction_machine.h"

#include <algorithm>
#include <utility>

#include "yeoul/kafka/native/cluster_view.h"

namespace yeoul {
namespace {

constexpr int16_t kImplicitFrom = 2;
/// The last versions that know nothing of epochs bumped at the end.
constexpr int16_t kLastEndWithoutEpoch = 4;
constexpr int64_t kFirstRegistrationRetryNs = 20 * kNanosPerMs;

bool is_coordinator_lost(KafkaError error) {
  return error == KafkaError::kNotCoordinator || error == KafkaError::kCoordinatorNotAvailable;
}

bool is_fenced(KafkaError error) {
  return error == KafkaError::kProducerFenced || error == KafkaError::kInvalidProducerEpoch ||
         error == KafkaError::kTransactionCoordinatorFenced;
}

}  // namespace

TransactionMachine::TransactionMachine(TransactionSettings settings, uint32_t seed)
    : settings_(std::move(settings)), backoff_(settings_.backoff_ns, settings_.backoff_max_ns, seed) {}

// --- What is wanted --------------------------------------------------------------------------------------------------

void TransactionMachine::start(State state, int64_t now_ns) {
  ++task_;
  state_ = state;
  deadline_ns_ = now_ns + settings_.patience_ns;
  not_before_ns_ = 0;
  last_failure_.clear();
  backoff_.reset();
}

void TransactionMachine::init(int64_t now_ns) {
  YEOUL_CHECK(state_ == State::kNew || state_ == State::kFailed || state_ == State::kReady, "{}",
              static_cast<int>(state_));
  identity_ = {};
  to_register_.clear();
  start(State::kInitialising, now_ns);
}

void TransactionMachine::begin(int64_t now_ns) {
  YEOUL_CHECK(state_ == State::kReady, "{}", static_cast<int>(state_));
  may_be_written_ = is_registered_ = false;
  if (needs_epoch_) return start(State::kStarting, now_ns);
  succeed(State::kOpen, {.kind = Event::Kind::kBegun});
}

void TransactionMachine::register_partitions(std::vector<TopicPartition> partitions, int64_t now_ns) {
  YEOUL_CHECK(state_ == State::kOpen && !implicit_, "{}", static_cast<int>(state_));
  if (to_register_.empty()) start(State::kOpen, now_ns);
  to_register_.insert(to_register_.end(), partitions.begin(), partitions.end());
}

void TransactionMachine::commit(bool has_written, int64_t now_ns) {
  YEOUL_CHECK(state_ == State::kOpen && to_register_.empty(), "{}", static_cast<int>(state_));
  may_be_written_ = may_be_written_ || has_written;
  start(State::kCommitting, now_ns);
}

void TransactionMachine::abort(bool has_written, int64_t now_ns) {
  YEOUL_CHECK(state_ == State::kOpen, "{}", static_cast<int>(state_));
  to_register_.clear();
  may_be_written_ = may_be_written_ || (implicit_ && has_written);
  start(State::kAborting, now_ns);
}

void TransactionMachine::resume(ProducerIdentity identity, int64_t now_ns) {
  YEOUL_CHECK(state_ == State::kNew || state_ == State::kFailed, "{}", static_cast<int>(state_));
  identity_ = identity;
  start(State::kResuming, now_ns);
}

// --- Requests --------------------------------------------------------------------------------------------------------

bool TransactionMachine::is_ending() const {
  return state_ == State::kCommitting || state_ == State::kAborting || state_ == State::kResuming;
}

bool TransactionMachine::has_work() const {
  return state_ == State::kInitialising || state_ == State::kStarting || is_ending() ||
         (state_ == State::kOpen && !to_register_.empty());
}

std::optional<TransactionMachine::Request> TransactionMachine::next_request(int16_t transaction_version,
                                                                            int64_t now_ns) {
  if (on_its_way_ || !has_work() || now_ns < not_before_ns_) return std::nullopt;
  const bool commits = state_ == State::kCommitting;
  if ((commits || state_ == State::kAborting) && !may_be_written_) {
    succeed(State::kReady, {.kind = commits ? Event::Kind::kCommitted : Event::Kind::kAborted});
    return std::nullopt;
  }
  on_its_way_ = true;
  asked_for_ = task_;
  if (!coordinator_) {
    FindCoordinatorRequest request;
    request.key = settings_.transactional_id;
    request.key_type = static_cast<int8_t>(CoordinatorType::kTransaction);
    request.coordinator_keys = {settings_.transactional_id};
    return request;
  }
  // A transaction keeps the protocol it began with.
  if (state_ == State::kInitialising || state_ == State::kStarting || state_ == State::kResuming) {
    implicit_ = std::min(transaction_version, settings_.newest_version) >= kImplicitFrom;
  }
  return request_of_state();
}

TransactionMachine::Request TransactionMachine::request_of_state() {
  if (state_ == State::kInitialising || state_ == State::kStarting) {
    InitProducerIdRequest request;
    request.transactional_id = settings_.transactional_id;
    request.transaction_timeout_ms = static_cast<int32_t>(settings_.timeout_ns / kNanosPerMs);
    request.producer_id = identity_.id;
    request.producer_epoch = identity_.epoch;
    return request;
  }
  if (is_ending()) {
    EndTxnRequest request;
    request.transactional_id = settings_.transactional_id;
    request.producer_id = identity_.id;
    request.producer_epoch = identity_.epoch;
    request.committed = state_ != State::kAborting;
    return request;
  }
  may_be_written_ = true;
  AddPartitionsToTxnRequest request;
  request.transactional_id = settings_.transactional_id;
  request.producer_id = identity_.id;
  request.producer_epoch = identity_.epoch;
  for (const TopicPartition& partition : to_register_) {
    if (request.topics.empty() || request.topics.back().name != partition.topic) {
      request.topics.push_back({partition.topic, {}});
    }
    request.topics.back().partitions.push_back(partition.partition);
  }
  return request;
}

int16_t TransactionMachine::newest_version(const Request& request) const {
  return std::holds_alternative<EndTxnRequest>(request) && !implicit_ ? kLastEndWithoutEpoch : kNewestVersion;
}

int64_t TransactionMachine::due_at_ns(int64_t now_ns) const {
  if (!has_work()) return kNever;
  return !on_its_way_ && not_before_ns_ > now_ns ? std::min(not_before_ns_, deadline_ns_) : deadline_ns_;
}

void TransactionMachine::on_time(int64_t now_ns) {
  if (!has_work() || now_ns < deadline_ns_) return;
  fail(KafkaError::kRequestTimedOut,
       external_error(4006, "transactional.id {}: nothing came of it within 'max.block.ms' = {}{}{}",
                      settings_.transactional_id, settings_.patience_ns / kNanosPerMs,
                      last_failure_.empty() ? "" : "; last: ", last_failure_));
}

// --- Answers ---------------------------------------------------------------------------------------------------------

void TransactionMachine::retry(std::string reason, int64_t now_ns) {
  last_failure_ = std::move(reason);
  not_before_ns_ = now_ns + backoff_.next_ns();
}

void TransactionMachine::lose_coordinator(std::string reason, int64_t now_ns) {
  coordinator_.reset();
  retry(std::move(reason), now_ns);
}

void TransactionMachine::on_unreachable(const std::string& reason, int64_t now_ns) {
  // It may have moved; whoever answers knows.
  if (!reason.empty() && !on_its_way_ && now_ns >= not_before_ns_) lose_coordinator(reason, now_ns);
}

void TransactionMachine::succeed(State next, Event event) {
  state_ = next;
  deadline_ns_ = kNever;
  events_.push_back(std::move(event));
}

void TransactionMachine::fail(KafkaError code, Error error) {
  succeed(State::kFailed, {.kind = Event::Kind::kFailed, .code = code, .error = std::move(error)});
}

Error TransactionMachine::error_of(KafkaError error, std::string_view what) const {
  const std::string& id = settings_.transactional_id;
  const int64_t timeout_ms = settings_.timeout_ns / kNanosPerMs;
  if (error == KafkaError::kInvalidTransactionTimeout) {
    return user_error(2010,
                      "transactional.id {}: 'transaction.timeout.ms' = {} is above what the broker allows, its "
                      "'transaction.max.timeout.ms' (900000 unless it was set): lower the one or raise the other",
                      id, timeout_ms);
  }
  if (is_fenced(error) || (error == KafkaError::kInvalidTxnState && is_ending())) {
    return external_error(4006,
                          "transactional.id {}: {}: {} (Java: ProducerFencedException): the transaction was open for "
                          "longer than 'transaction.timeout.ms' = {}, so that the broker aborted it, or another "
                          "producer uses the id",
                          id, what, name_of(error), timeout_ms);
  }
  return external_error(4006, "transactional.id {}: {}: {}", id, what, name_of(error));
}

bool TransactionMachine::on_error(KafkaError error, std::string_view what, int64_t now_ns) {
  if (error == KafkaError::kNone) return false;
  const std::string reason = fmt::format("{}: {}", what, name_of(error));
  if (is_coordinator_lost(error)) {
    lose_coordinator(reason, now_ns);
  } else if (is_retriable(error)) {
    retry(reason, now_ns);
  } else {
    fail(error, error_of(error, what));
  }
  return true;
}

int32_t TransactionMachine::on_answer(const LinkAnswer& answer, int64_t now_ns) {
  on_its_way_ = false;
  if (!answer.failure.empty()) {
    if (has_work()) lose_coordinator(answer.failure, now_ns);
    return 0;
  }
  const auto take = [&](const auto& response, auto on_response) {
    const bool given_up = !has_work() || asked_for_ != task_;
    if (!given_up) (this->*on_response)(response, now_ns);
    return response.throttle_time_ms;
  };
  switch (answer.api) {
    case ApiKey::kFindCoordinator:
      return take(decode_response<FindCoordinatorRequest>(answer.version, answer.frame),
                  &TransactionMachine::on_coordinator);
    case ApiKey::kInitProducerId:
      return take(decode_response<InitProducerIdRequest>(answer.version, answer.frame),
                  &TransactionMachine::on_producer_id);
    case ApiKey::kAddPartitionsToTxn:
      return take(decode_response<AddPartitionsToTxnRequest>(answer.version, answer.frame),
                  &TransactionMachine::on_registered);
    default:
      return take(decode_response<EndTxnRequest>(answer.version, answer.frame), &TransactionMachine::on_end);
  }
}

void TransactionMachine::on_coordinator(const FindCoordinatorResponse& response, int64_t now_ns) {
  constexpr std::string_view kWhat = "finding the coordinator";
  // From version 4 on, for several keys at once.
  if (response.coordinators.empty()) {
    if (on_error(kafka_error(response.error_code), kWhat, now_ns)) return;
    coordinator_ = response.node_id;
  } else {
    const auto& found = response.coordinators.front();
    if (on_error(kafka_error(found.error_code), kWhat, now_ns)) return;
    coordinator_ = found.node_id;
  }
}

void TransactionMachine::on_producer_id(const InitProducerIdResponse& response, int64_t now_ns) {
  if (on_error(kafka_error(response.error_code), "asking for a producer id", now_ns)) return;
  identity_ = {response.producer_id, response.producer_epoch};
  needs_epoch_ = false;
  if (state_ == State::kStarting) return succeed(State::kOpen, {.kind = Event::Kind::kBegun});
  succeed(State::kReady, {.kind = Event::Kind::kInitialised});
}

void TransactionMachine::on_registered(const AddPartitionsToTxnResponse& response, int64_t now_ns) {
  constexpr std::string_view kWhat = "registering partitions";
  std::vector<TopicPartition> done;
  KafkaError worst = KafkaError::kNone;
  for (const auto& topic : response.results_by_topic) {
    for (const auto& result : topic.results_by_partition) {
      const KafkaError error = kafka_error(result.partition_error_code);
      if (error == KafkaError::kNone) {
        done.push_back({topic.name, result.partition_index});
      } else if (worst == KafkaError::kNone || is_retriable(worst) || worst == KafkaError::kOperationNotAttempted) {
        worst = error;
      }
    }
  }
  // Nothing was tried of a request that has a partition which cannot be registered.
  std::erase_if(to_register_,
                [&](const auto& name) { return std::find(done.begin(), done.end(), name) != done.end(); });
  is_registered_ = is_registered_ || !done.empty();
  if (state_ != State::kOpen) return;  // it is being aborted
  if (!done.empty()) events_.push_back({.kind = Event::Kind::kRegistered, .partitions = std::move(done)});
  if (worst == KafkaError::kNone) return backoff_.reset();
  if (worst == KafkaError::kOperationNotAttempted) return retry(name_of(worst), now_ns);
  const bool first = last_failure_.empty();
  on_error(worst, kWhat, now_ns);
  // As a rule the end of the transaction before is just being written.
  if (worst == KafkaError::kConcurrentTransactions && first) not_before_ns_ = now_ns + kFirstRegistrationRetryNs;
}

void TransactionMachine::on_end(const EndTxnResponse& response, int64_t now_ns) {
  const bool commits = state_ != State::kAborting;
  const KafkaError error = kafka_error(response.error_code);
  const Event::Kind kind = commits ? Event::Kind::kCommitted : Event::Kind::kAborted;
  if (error == KafkaError::kInvalidTxnState && !commits && !implicit_ && !is_registered_) {
    return succeed(State::kReady, {.kind = kind});  // no registration had come to the coordinator
  }
  if (on_error(error, commits ? "committing" : "aborting", now_ns)) return;
  if (state_ == State::kResuming) return succeed(State::kNew, {.kind = kind});
  needs_epoch_ = response.producer_id < 0;
  if (!needs_epoch_) identity_ = {response.producer_id, response.producer_epoch};
  succeed(State::kReady, {.kind = kind});
}

}  // namespace yeoul
