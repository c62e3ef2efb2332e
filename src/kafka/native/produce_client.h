#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/kafka/native/batch_accumulator.h"
#include "yeoul/kafka/native/cluster_client.h"
#include "yeoul/kafka/native/produce_machine.h"
#include "yeoul/kafka/native/transaction_machine.h"

namespace yeoul {

struct ProduceClientSettings : ClusterClientSettings {
  ProduceSettings produce;
  int64_t max_block_ns = 60'000 * kNanosPerMs;  // max.block.ms
};

/// What a producer tells its user; called on its thread.
struct ProduceEvents {
  std::function<void()> wake_up = [] {};         ///< has_room() has become true
  std::function<void(std::exception_ptr)> fail;  ///< records were not delivered, or the client is dead; once
  /// If set, once a second and at the end of each flush, before the flush is told.
  std::function<void(const ProduceStats&)> report = nullptr;
};

/// Sends runs of records of one partition: the machines of this module over sockets, on a thread of its own. Never
/// blocks. With a transactional.id, what is sent between begin_transaction() and an end belongs to a transaction.
/// Threads: one, beside its own.
class ProduceClient {
 public:
  /// What drives it: a thread of its own, or whoever calls turn(), as simulations do.
  enum class Drive { kOwnThread, kTurns };

  /// @param topics  topics that will be written, looked up first; has_room() is false until that has happened
  /// @throws user error 2010 for settings that exclude one another, or bootstrap servers that are none
  ProduceClient(ProduceClientSettings settings, std::vector<std::string> topics, ProduceEvents events,
                Clock& clock = system_clock(), Drive drive = Drive::kOwnThread);
  /// Gives up what is not delivered.
  ~ProduceClient();

  /// One more topic to write: its number, behind those there are. It is looked up, and has_room() is false meanwhile.
  size_t add_topic(std::string topic);
  /// Partitions of a topic; 0: not known yet, which is so only while has_room() is false.
  int32_t num_partitions(size_t topic) const { return num_partitions_[topic]; }
  /// The partition, or the next one that has a leader if this one has none: for records that may go to any.
  int32_t led_partition(size_t topic, int32_t partition) const;
  /// Less than `buffer.memory` is waiting for delivery, or nothing.
  bool has_room();
  /// Takes the records, in order, beyond has_room() too.
  /// @throws external error 4006 naming topic and partition for a record that is too large; those before it are taken
  void send(size_t topic, int32_t partition, std::span<const ProducedRecord> records);
  /// Calls `done` on the producer's thread once all records sent so far are acknowledged. One at a time. Never called
  /// after a failure.
  void flush(std::function<void()> done);

  /// Asks for a producer id; what an earlier producer left open under the transactional.id is aborted. First of all.
  void init_transactions(std::function<void()> done);
  /// The next transaction. What is sent before is part of it too.
  void begin_transaction();
  /// Flushes, and tells what to commit later, possibly by another process; nothing if nothing was written. commit() or
  /// abort() comes next.
  void prepare_transaction(std::function<void(std::optional<PreparedTransaction>)> done);
  /// Flushes and commits.
  void commit_transaction(std::function<void()> done);
  /// Drops what is not delivered, and aborts. After a failure too, if the broker did not refuse the producer itself.
  void abort_transaction(std::function<void()> done);

  /// Does what is due and waits for something to happen; only with Drive::kTurns. @return false: it is dead
  bool turn();

 private:
  void run(const std::stop_token& stop);
  bool try_turn(const std::stop_token& stop);
  void do_turn(const std::stop_token& stop);
  void post(std::function<void()> command);
  void run_commands();
  void set_topics();
  void look_for_topics(int64_t now_ns);
  void note_leaderless(size_t topic, const TopicView& view);
  std::string missing_topics(const std::vector<std::string>& topics, int64_t waited_ns) const;
  void tell_of_stall();
  void take_answers(int64_t now_ns);
  void on_answer(int32_t broker, LinkAnswer& answer, int64_t now_ns);
  void send_batches(int64_t now_ns);
  void ask_producer_id(int64_t now_ns);
  void serve_transaction(int64_t now_ns);
  bool end_transaction(int64_t now_ns);
  void on_transaction_event(TransactionMachine::Event& event);
  void report_deliveries();
  void report_stats(int64_t now_ns);
  void serve_waiting(int64_t now_ns);
  void fail(const Error& error);
  int64_t due_at_ns(int64_t now_ns) const;

  const ProduceClientSettings settings_;
  const ProduceEvents events_;
  Clock& clock_;
  BufferPool pool_;  ///< of answers
  BatchAccumulator accumulator_;
  std::deque<std::atomic<int32_t>> num_partitions_;  ///< by topic; the user's thread adds, under mutex_
  std::atomic<bool> ready_{false};
  /// Somebody saw no room and waits for wake_up.
  std::atomic<bool> wants_room_{false};
  /// Until when the thread sleeps; what must be looked at before wakes it up.
  std::atomic<int64_t> sleeps_until_ns_{0};
  mutable std::mutex mutex_;
  std::vector<std::function<void()>> commands_;
  std::set<std::pair<size_t, int32_t>> leaderless_;  ///< partitions, by number of the topic
  std::atomic<bool> any_leaderless_{false};

  // The thread's.
  ClusterClient client_;
  ProduceMachine machine_;
  TransactionMachine transaction_;
  int64_t began_at_ns_;
  bool told_of_missing_topics_ = false;
  uint64_t cluster_generation_ = 0;
  bool failed_ = false;
  std::function<void()> flushed_;
  int64_t flush_began_ns_ = 0;
  int64_t commit_began_ns_ = 0;
  int64_t flush_ns_ = 0;
  int64_t commit_ns_ = 0;
  int64_t report_at_ns_ = kNever;
  std::function<void()> transaction_done_;
  enum class End { kNone, kPrepare, kCommit, kAbort };
  End end_ = End::kNone;  ///< of the transaction, once it is open and nothing is on its way
  std::function<void(std::optional<PreparedTransaction>)> prepared_;

  std::jthread thread_;
};

}  // namespace yeoul
