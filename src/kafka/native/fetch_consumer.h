#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/kafka/native/cluster_client.h"
#include "yeoul/kafka/native/fetch_machine.h"
#include "yeoul/kafka/native/fetch_stats.h"

namespace yeoul {

struct FetchConsumerSettings : ClusterClientSettings {
  FetchSettings fetch;
  int64_t patience_ns = 60'000 * kNanosPerMs;  ///< how long no broker at all may be reached; kNever: for ever
};

/// Reads partitions that are assigned by hand: the machines of this module over sockets, on the thread that polls.
/// Threads: one, but for wake_up().
class FetchConsumer {
 public:
  /// @throws user error 2010 for bootstrap servers that are none
  explicit FetchConsumer(FetchConsumerSettings settings, Clock& clock = system_clock());

  void assign(const TopicPartition& partition, const FetchPosition& position);
  void unassign(const TopicPartition& partition);
  void seek(const TopicPartition& partition, int64_t offset) { machine_.seek(partition, offset); }
  void pause(const TopicPartition& partition) { machine_.pause(partition); }
  void resume(const TopicPartition& partition) { machine_.resume(partition); }

  /// What has arrived, in runs of one partition; when there is much, as much as caches hold. Waits for it up to
  /// `timeout_ms` (< 0: without limit), until a question is done, or until wake_up(). Runs that are in `runs` already
  /// give their memory for the new ones.
  /// @throws external error 4001 when no broker was reached for as long as patience lasts, 4013 when one refused TLS or
  /// the login, 4014 where no host was ever known, 4011 for a broker that is too old
  void poll(std::vector<FetchedRun>& runs, int64_t timeout_ms);
  /// Where it stands.
  FetchStats take_stats();
  /// Ends the wait of a poll, or of the next one. Any thread.
  void wake_up() { client_.wake_up(); }

  /// Goes on with questions only, until one is done.
  void serve_questions(int64_t deadline_ns);

  /// Has a question asked by later polls; see ClusterClient.
  void ask(ClusterQuestion& question);
  void withdraw(const ClusterQuestion& question);

 private:
  void take_answers(int64_t now_ns);
  void on_fetch(int32_t broker, LinkAnswer& answer, int64_t now_ns);
  void on_check(int32_t broker, const LinkAnswer& answer, int64_t now_ns);
  void ask_records(int64_t now_ns);
  static void tell_of_leaders(const LeaderNews& news);
  bool note_leader(int32_t broker, bool is_ready, int64_t now_ns);
  void check_patience(int64_t now_ns);
  bool any_question_done();
  int64_t next_due_ns(int64_t now_ns) const;

  FetchConsumerSettings settings_;
  Clock& clock_;
  BufferPool pool_;
  FetchMachine machine_;
  ClusterClient client_;
  std::vector<const ClusterQuestion*> questions_;  ///< not known to be done
  bool told_of_silence_ = false;
  bool lacked_leaders_ = false;  ///< at the last look
  struct LostLeader {
    int64_t since_ns = 0;
    bool told = false;
  };
  std::map<int32_t, LostLeader> lost_leaders_;
  FetchStats stats_;
  std::map<int32_t, int64_t> fetch_sent_ns_;  ///< of requests on their way, by broker
};

}  // namespace yeoul
