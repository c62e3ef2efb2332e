#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/kafka/native/cluster_question.h"
#include "yeoul/kafka/native/cluster_view.h"
#include "yeoul/kafka/native/link_loop.h"

namespace yeoul {

struct ClusterClientSettings {
  std::string bootstrap_servers;
  LinkSettings link;
  ClusterSettings cluster;
  LinksFactory links = make_link_loop;  ///< a simulation has its own
};

/// What every client of a cluster needs over sockets: bootstrap servers, links, a view of the cluster that is kept up
/// to date, and questions asked until they are answered. Threads: one, but for wake_up().
class ClusterClient {
 public:
  /// @throws user error 2010 for bootstrap servers that are none
  ClusterClient(const ClusterClientSettings& settings, BufferPool& pool, Clock& clock);

  ClusterView& cluster() { return cluster_; }
  const ClusterView& cluster() const { return cluster_; }
  /// Which topics to know, beside those that questions need.
  void set_topics(std::set<std::string> topics);

  /// The link to a broker of the view if it stands and no quota holds it back; else it is made at the next turns.
  BrokerLink* ready_link(int32_t broker);
  /// The link that stands with the fewest requests on it; null: there is none, and all are tried at the next turns.
  BrokerLink* any_ready_link();
  /// Why there is no connection to a broker; empty: there is, or it is only being made.
  std::string failure_of(int32_t broker);
  /// An answer has said that a quota holds this client back (KIP-219): nothing is sent to the broker meanwhile.
  void note_throttle(int32_t broker, int32_t throttle_ms, int64_t now_ns);
  /// Whether one does, in words; empty: none does.
  std::string throttle_of(int32_t broker) const;
  /// Why the last connection that failed did.
  const std::string& last_failure() const { return last_failure_; }
  /// The same for messages, in words also while the first one lasts.
  std::string last_attempt() const {
    return last_failure_.empty() ? "it has had no answer yet; does a Kafka broker listen there?" : last_failure_;
  }
  /// When some broker was connected last.
  int64_t reached_at_ns() const { return reached_at_ns_; }

  /// Sets in `stats` what has gone over the links, and how many stand.
  template <class Stats>
  void count_links(Stats& stats) const {
    stats.num_requests = stats.sent_bytes = stats.received_bytes = stats.num_connections = 0;
    for (const auto& [broker, link] : links_->links()) {
      stats.num_requests += link->counts().num_requests;
      stats.sent_bytes += link->counts().sent_bytes;
      stats.received_bytes += link->counts().received_bytes;
      stats.num_connections += link->state() == BrokerLink::State::kReady;
    }
  }

  /// Asks a question at the next turns, until it is done or withdrawn. It must live as long.
  void ask(ClusterQuestion& question);
  void withdraw(const ClusterQuestion& question);
  /// Asks it and blocks until it is answered; for clients that do nothing else meanwhile.
  /// @throws external error 4001 if it failed or its time is up, 4011 for a broker that is too old, 4013 as soon as one
  /// refuses TLS or the login, 4014 as soon as no bootstrap server's host is known, 4009 when stopped
  void ask_until_done(ClusterQuestion& question, const std::stop_token& stop);
  /// What a call that blocks throws when it is stopped: external error 4009.
  [[noreturn]] void throw_given_up(std::string_view what) const;

  /// Takes what has come for the view and the questions; hands `other` what was sent with tags of less than kFirstTag.
  /// What `other` cannot decode it is handed once more, as an answer that was lost with its connection.
  /// @throws external error 4010 when a broker sends one answer after the other that nobody understands
  void take_answers(int64_t now_ns, const std::function<void(int32_t broker, LinkAnswer& answer)>& other);
  /// Has everything that is due put into links; flush() or turn() sends it.
  void send_due(int64_t now_ns);
  void flush() { links_->flush(); }
  /// When send_due() has something to do.
  int64_t due_at_ns(int64_t now_ns) const;
  /// Some wait to be taken.
  bool has_answers() const {
    return std::any_of(links_->links().begin(), links_->links().end(),
                       [](const auto& entry) { return entry.second->has_answers(); });
  }
  /// See Links::turn().
  bool turn(int64_t deadline_ns) { return links_->turn(deadline_ns); }
  /// See Links; to be called after a turn.
  void throw_if_refused() const { links_->throw_if_refused(); }
  void wake_up() { links_->wake_up(); }

  /// What waits for so long is told of.
  static constexpr int64_t kLongNs = 5'000 * kNanosPerMs;
  /// Tags below are the owner's.
  static constexpr uint64_t kFirstTag = uint64_t{1} << 62;

 private:
  struct Asked {
    ClusterQuestion* question;
    int32_t target;
  };

  void hand_over(int32_t broker, BrokerLink& link, LinkAnswer& answer,
                 const std::function<void(int32_t broker, LinkAnswer& answer)>& other, int64_t now_ns);
  BrokerLink* idlest_link();
  void want_all();
  void send_metadata(int64_t now_ns);
  void send_questions(int64_t now_ns);
  void send_to(ClusterQuestion& question, int32_t target, int64_t now_ns);
  void on_answer(int32_t broker, const std::string& name, LinkAnswer& answer, int64_t now_ns);
  void note_links(int64_t now_ns);

  Clock& clock_;
  std::string bootstrap_servers_;  ///< for messages
  std::vector<BrokerAddress> bootstrap_;
  ClusterView cluster_;
  std::unique_ptr<Links> links_;
  std::set<std::string> topics_;
  std::vector<ClusterQuestion*> questions_;
  std::map<uint64_t, Asked> asked_;
  uint64_t next_tag_;
  int64_t reached_at_ns_;
  std::string last_failure_;
  struct LinkNote {
    bool reached = false;      ///< at any time
    std::string told_failure;  ///< as it was last logged
    int num_damaged = 0;       ///< answers that nobody understands, one after the other
    int64_t tell_of_quota_at_ns = 0;
  };
  std::map<int32_t, LinkNote> notes_;
};

/// Host and port of each of `bootstrap.servers`. @throws user error 2010.
std::vector<BrokerAddress> parse_bootstrap_servers(std::string_view servers);

}  // namespace yeoul
