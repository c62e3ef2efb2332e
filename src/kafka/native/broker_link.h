#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/kafka/native/backoff.h"
#include "yeoul/kafka/native/link_output.h"
#include "yeoul/kafka/protocol/api.h"
#include "yeoul/kafka/protocol/buffer_pool.h"
#include "yeoul/kafka/security/sasl_client.h"
#include "yeoul/kafka/security/security_settings.h"
#include "yeoul/net/tcp_socket.h"

namespace yeoul {

constexpr int64_t kNanosPerMs = 1'000'000;
constexpr int64_t kNever = INT64_MAX;

/// Java's names stand beside their defaults.
struct LinkSettings {
  std::string client_id = "yeoul";                        // client.id
  int64_t request_timeout_ns = 30'000 * kNanosPerMs;      // request.timeout.ms
  int64_t connect_timeout_ns = 10'000 * kNanosPerMs;      // socket.connection.setup.timeout.ms
  int64_t connect_timeout_max_ns = 30'000 * kNanosPerMs;  // socket.connection.setup.timeout.max.ms
  int64_t backoff_ns = 50 * kNanosPerMs;                  // reconnect.backoff.ms
  int64_t backoff_max_ns = 1'000 * kNanosPerMs;           // reconnect.backoff.max.ms
  int64_t idle_max_ns = 540'000 * kNanosPerMs;            // connections.max.idle.ms
  SocketBuffers buffers;  // receive.buffer.bytes, send.buffer.bytes; Java's defaults are 64 and 128 KiB
  size_t answer_bytes_max = size_t{512} << 20;
  SecuritySettings security;
  /// client.dns.lookup = resolve_canonical_bootstrap_servers_only: bootstrap servers go by the names of their
  /// addresses.
  bool canonical_bootstrap_names = false;
};

/// What became of a request: its answer as bytes, or why there is none. Neither: it is one without an answer, and sent.
struct LinkAnswer {
  uint64_t tag;
  ApiKey api;
  int16_t version;
  std::string_view frame;
  SharedBuffer buffer;  ///< holds the frame
  std::string failure;  ///< not empty: no answer
};

/// What has gone over a link, over all its connections.
struct LinkCounts {
  int64_t num_requests = 0;
  int64_t sent_bytes = 0;
  int64_t received_bytes = 0;
};

/// What a login has to do that blocks; who drives the link has it run elsewhere and says work_done(id).
struct LinkWork {
  uint64_t id;
  BlockingWork run;
};

/// A connection to one broker as a state machine without I/O: bytes and time in, bytes and answers out. It agrees on
/// versions first, logs in where that is set, and again before the login ends (KIP-368), pipelines requests, and times
/// them out. Who drives it connects, speaks TLS where that is set, and moves the bytes.
/// Threads: one at a time.
class BrokerLink {
 public:
  enum class State {
    kWaiting,  ///< no connection; may_connect_at_ns() says when to try
    kConnecting,
    kNegotiating,     ///< connected; versions not known yet
    kAuthenticating,  ///< logging in, for the first time or again; requests that are on their way still get answers
    kReady,
  };

  /// @param name  for messages: "broker 1 (kafka-1:9092)"
  BrokerLink(std::string name, const LinkSettings& settings, BufferPool& pool, uint32_t seed);

  State state() const { return state_; }
  const std::string& name() const { return name_; }
  void rename(std::string name) { name_ = std::move(name); }
  /// Why the last connection was lost; empty while one stands.
  const std::string& last_failure() const { return last_failure_; }
  /// Whether the last connection was lost for a reason that another attempt will hardly change: TLS or the login was
  /// refused. Users are told at once, however patient the client is otherwise.
  bool is_refused() const { return is_refused_; }
  int64_t may_connect_at_ns() const { return may_connect_at_ns_; }

  /// Each attempt has twice the time of the one that failed before it, up to a limit, a fifth more or less.
  void connecting(int64_t now_ns);
  /// @param host  the broker's, as logins need it
  void connected(const std::string& host, int64_t now_ns);
  /// The connection is gone, or must go: every request without an answer fails with the reason.
  void lost(std::string_view reason, int64_t now_ns);
  void refused(std::string_view reason, int64_t now_ns);
  /// Gives a connection up that nobody has used for long: brokers do so after ten minutes.
  void close_if_idle(int64_t now_ns);
  /// The broker has closed the connection.
  void closed(int64_t now_ns);

  /// What to write, in pieces, as many as fit; sent() says how much of it was.
  size_t output(std::span<std::string_view> pieces) const { return output_.pieces(pieces); }
  bool has_output() const { return !output_.empty(); }
  void sent(size_t bytes);
  /// The network has all that was sent: nothing waits in between.
  void flushed();
  /// Where to put what is read; received() says how much came, and returns true when it completed answers.
  std::span<char> input();
  bool received(size_t bytes, int64_t now_ns);
  /// With how many bytes it is worth to be woken up: those of as many answers as are wanted, if they are small. Not
  /// those of an answer that is coming: a broker sends on when what it has sent is acknowledged, which the kernel puts
  /// off while nobody reads. (A low-water mark of 256 KiB cost 10 ms for each MB where brokers buffer 100 KiB, their
  /// default.)
  size_t bytes_wanted() const {
    if (frame_ != nullptr || num_in_flight() < answers_wanted_) return 1;
    return std::min((answers_wanted_ - 1) * last_answer_bytes_ + 1, kWaitedForMax);
  }
  /// For whom one answer alone changes little: who drives the link may wait for so many, kAnswersWaitMs at most.
  void set_answers_wanted(size_t count) { answers_wanted_ = count; }
  bool waits_for_answers() const { return answers_wanted_ > 1 && num_in_flight() >= answers_wanted_; }
  static constexpr int kAnswersWaitMs = 1;
  static constexpr size_t kWaitedForMax = 4096;

  /// The broker takes nothing from this connection for so long, since a quota is used up (KIP-219): answers to what is
  /// on its way may take so much longer.
  void throttled(int64_t for_ns, int64_t now_ns);
  /// Until when nothing is to be sent because of that.
  int64_t throttled_until_ns() const { return throttled_until_ns_; }

  /// What is to be run elsewhere, once.
  std::optional<LinkWork> take_work() { return std::exchange(work_, std::nullopt); }
  /// Work has ended; that of a login that is over already counts for nothing.
  void work_done(uint64_t id, int64_t now_ns);

  /// When on_time() has something to do.
  int64_t deadline_ns() const;
  void on_time(int64_t now_ns);

  /// Only when ready.
  const BrokerVersions& versions() const { return *versions_; }
  size_t num_in_flight() const { return in_flight_.size(); }
  const LinkCounts& counts() const { return counts_; }
  /// Sends a request in the newest version of both sides, `newest` at most; the answer bears the tag. Only when ready.
  /// Its records must stay until there is an answer.
  /// @throws external error 4011 if the broker serves no version of it
  template <class Request>
  void send(const Request& request, uint64_t tag, int64_t now_ns, int16_t newest = kNewestVersion) {
    send_message(Request::kApi, versions_->pick(Request::kApi, newest), &request, tag, now_ns);
  }
  /// Sends a request that the broker does not answer: the answer here says when the network has it.
  template <class Request>
  void send_only(const Request& request, uint64_t tag, int16_t newest = kNewestVersion) {
    const int16_t version = versions_->pick(Request::kApi, newest);
    put(Request::kApi, version, &request);
    unanswered_.push_back({tag, Request::kApi, version, {}, nullptr, {}});
  }
  bool has_answers() const { return !answers_.empty(); }
  std::vector<LinkAnswer> take_answers();

 private:
  friend class SimulatedNetwork;  // plants bugs for the simulator; only in `testing`
  struct InFlight {
    int32_t correlation_id;
    ApiKey api;
    int16_t version;
    uint64_t tag;
    int64_t deadline_ns;
    int64_t sent_ns;
    int64_t end;  ///< in the bytes of all requests
  };

  int32_t put(ApiKey api, int16_t version, const void* request);
  void send_message(ApiKey api, int16_t version, const void* request, uint64_t tag, int64_t now_ns);
  void ask_versions(int16_t version, int64_t now_ns);
  void on_versions(int16_t version, std::string_view frame, int64_t now_ns);
  void on_login(const InFlight& request, std::string_view frame, int64_t now_ns);
  void start_login(int64_t now_ns);
  void go_on_with_login(int64_t now_ns);
  void send_login(const std::string& bytes, int64_t now_ns);
  void login_failed(const SaslStep& step, int64_t now_ns);
  void login_done(int64_t now_ns);
  void ready();
  bool take_ahead(int64_t now_ns);
  void begin_frame(uint32_t size, int64_t now_ns);
  void end_frame(int64_t now_ns);
  void drop_frame();

  std::string name_;
  LinkSettings settings_;
  BufferPool& pool_;
  Backoff backoff_;
  Backoff connect_timeout_;
  State state_ = State::kWaiting;
  std::string last_failure_;
  bool is_refused_ = false;
  int64_t may_connect_at_ns_ = 0;
  int64_t phase_began_ns_ = 0;
  int64_t phase_deadline_ns_ = kNever;  ///< of connecting, and of logging in

  LinkOutput output_;
  int64_t output_end_ = 0;              ///< of what was ever put into it and not lost, as counts_.sent_bytes counts
  std::vector<LinkAnswer> unanswered_;  ///< requests without an answer that are not flushed yet
  std::array<char, 4096> ahead_;        ///< read while it is not known how long the next answer is
  size_t ahead_filled_ = 0;
  SharedBuffer frame_;
  size_t frame_size_ = 0;
  size_t frame_filled_ = 0;
  size_t answers_wanted_ = 1;
  size_t last_answer_bytes_ = 0;  ///< with its length

  int32_t next_correlation_id_ = 0;
  std::deque<InFlight> in_flight_;
  bool has_answered_ = false;  ///< a request of the user's, on this connection
  std::optional<BrokerVersions> versions_;
  std::vector<LinkAnswer> answers_;
  LinkCounts counts_;
  int64_t used_at_ns_ = 0;
  int64_t throttled_until_ns_ = 0;

  std::minstd_rand random_;
  std::string host_;
  std::unique_ptr<SaslClient> login_;  ///< while one goes on
  std::string challenge_;              ///< what it has to answer
  std::string first_bytes_;            ///< what it sends when the broker has taken the mechanism
  bool mechanism_agreed_ = false;
  std::optional<LinkWork> work_;
  uint64_t work_id_ = 0;
  int64_t session_ends_ns_ = kNever;
  int64_t log_in_again_at_ns_ = kNever;
};

}  // namespace yeoul
