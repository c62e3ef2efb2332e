#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/kafka/native/backoff.h"
#include "yeoul/kafka/native/broker_link.h"
#include "yeoul/kafka/native/produce_settings.h"
#include "yeoul/kafka/native/topic_partition.h"
#include "yeoul/kafka/protocol/kafka_error.h"
#include "yeoul/kafka/protocol/metadata_messages.h"
#include "yeoul/kafka/protocol/produce_messages.h"
#include "yeoul/kafka/protocol/transaction_messages.h"

namespace yeoul {

struct TransactionSettings {
  std::string transactional_id;                  // transactional.id
  int64_t timeout_ns = 60'000 * kNanosPerMs;     // transaction.timeout.ms
  int64_t patience_ns = 60'000 * kNanosPerMs;    // max.block.ms
  int64_t backoff_ns = 100 * kNanosPerMs;        // retry.backoff.ms
  int64_t backoff_max_ns = 1'000 * kNanosPerMs;  // retry.backoff.max.ms
  int16_t newest_version = 2;                    ///< of the protocol (transaction.version) that is spoken
};

/// A transaction whose records are all in Kafka, and of which nobody has decided yet.
struct PreparedTransaction {
  std::string transactional_id;
  ProducerIdentity producer;
  bool operator==(const PreparedTransaction&) const = default;
};

/// The transactions of one transactional id, one after the other: who coordinates them, epochs, registered partitions,
/// ends. A transaction of transaction.version 2 is ended with the epoch bumped by the coordinator (KIP-890); in the
/// older protocol the next transaction asks for an epoch of its own before anything is written. Either way no request
/// about an ended transaction, however late or often it comes, can touch the next.
/// A state machine without I/O. Threads: one at a time.
class TransactionMachine {
 public:
  enum class State {
    kNew,           ///< init() or resume() comes first
    kInitialising,  ///< asks for a producer id; what was open under the transactional id is aborted
    kReady,         ///< between transactions
    kStarting,      ///< asks for the epoch of the next transaction
    kOpen,
    kCommitting,
    kAborting,
    kResuming,  ///< commits a transaction of a producer that is no more
    kFailed,    ///< only init() goes on
  };
  struct Event {
    enum class Kind { kInitialised, kBegun, kRegistered, kCommitted, kAborted, kFailed };
    Kind kind;
    std::vector<TopicPartition> partitions = {};  ///< kRegistered
    KafkaError code = KafkaError::kNone;          ///< kFailed
    std::optional<Error> error = std::nullopt;    ///< kFailed
  };
  using Request = std::variant<FindCoordinatorRequest, InitProducerIdRequest, AddPartitionsToTxnRequest, EndTxnRequest>;

  TransactionMachine(TransactionSettings settings, uint32_t seed);

  State state() const { return state_; }
  const ProducerIdentity& producer() const { return identity_; }
  /// Writing registers partitions in the transaction that is open (transaction.version 2).
  bool is_implicit() const { return implicit_; }

  void init(int64_t now_ns);
  void begin(int64_t now_ns);
  /// Older protocol: partitions to register; an event tells when they are.
  void register_partitions(std::vector<TopicPartition> partitions, int64_t now_ns);
  /// @param has_written  whether anything was written; without it there is nothing to end
  void commit(bool has_written, int64_t now_ns);
  void abort(bool has_written, int64_t now_ns);
  /// Commits the transaction of an earlier producer with this identity. Repeating it is harmless.
  void resume(ProducerIdentity identity, int64_t now_ns);

  /// Whom to ask; none: any broker, for the coordinator.
  std::optional<int32_t> coordinator() const { return coordinator_; }
  /// What to send to the coordinator, or to any broker while there is none; one request at a time.
  /// @param transaction_version  that the asked broker's cluster has agreed on
  std::optional<Request> next_request(int16_t transaction_version, int64_t now_ns);
  /// The newest version of a request of next_request().
  int16_t newest_version(const Request& request) const;
  /// @return for how long the broker takes nothing, since a quota is used up, in milliseconds
  int32_t on_answer(const LinkAnswer& answer, int64_t now_ns);
  /// There is no connection to the coordinator. @param reason  empty: it is only being made
  void on_unreachable(const std::string& reason, int64_t now_ns);
  /// When waiting alone changes something; kNever: it does not.
  int64_t due_at_ns(int64_t now_ns) const;
  /// Gives up what took too long.
  void on_time(int64_t now_ns);
  std::vector<Event> take_events() { return std::exchange(events_, {}); }

 private:
  bool has_work() const;
  bool is_ending() const;
  void start(State state, int64_t now_ns);
  void retry(std::string reason, int64_t now_ns);
  void lose_coordinator(std::string reason, int64_t now_ns);
  void succeed(State next, Event event);
  void fail(KafkaError code, Error error);
  /// Handles what all answers have in common; true: it was an error, and is handled.
  bool on_error(KafkaError error, std::string_view what, int64_t now_ns);
  Error error_of(KafkaError error, std::string_view what) const;
  void on_coordinator(const FindCoordinatorResponse& response, int64_t now_ns);
  void on_producer_id(const InitProducerIdResponse& response, int64_t now_ns);
  void on_registered(const AddPartitionsToTxnResponse& response, int64_t now_ns);
  void on_end(const EndTxnResponse& response, int64_t now_ns);
  Request request_of_state();

  const TransactionSettings settings_;
  State state_ = State::kNew;
  std::optional<int32_t> coordinator_;
  ProducerIdentity identity_;
  bool implicit_ = false;
  bool needs_epoch_ = false;  ///< a transaction of the older protocol has ended under the epoch
  std::vector<TopicPartition> to_register_;
  bool may_be_written_ = false;  ///< the coordinator may know of partitions of the transaction that is open
  bool is_registered_ = false;   ///< it is known to
  uint64_t task_ = 0;            ///< counts what was started
  bool on_its_way_ = false;
  uint64_t asked_for_ = 0;  ///< the task of the request that is on its way
  Backoff backoff_;
  int64_t not_before_ns_ = 0;
  int64_t deadline_ns_ = kNever;
  std::string last_failure_;
  std::vector<Event> events_;
};

}  // namespace yeoul
