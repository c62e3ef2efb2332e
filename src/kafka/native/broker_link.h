#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/kafka/native/backoff.h"
#include "yeoul/kafka/protocol/api.h"
#include "yeoul/kafka/protocol/buffer_pool.h"

namespace yeoul {

constexpr int64_t kNanosPerMs = 1'000'000;
constexpr int64_t kNever = INT64_MAX;

/// Java's names stand beside their defaults.
struct LinkSettings {
  std::string client_id = "yeoul";                    // client.id
  int64_t request_timeout_ns = 30'000 * kNanosPerMs;  // request.timeout.ms
  int64_t connect_timeout_ns = 10'000 * kNanosPerMs;  // socket.connection.setup.timeout.ms
  int64_t backoff_ns = 50 * kNanosPerMs;              // reconnect.backoff.ms
  int64_t backoff_max_ns = 1'000 * kNanosPerMs;       // reconnect.backoff.max.ms
  size_t answer_bytes_max = size_t{512} << 20;
};

/// What became of a request: its answer as bytes, or why there is none.
struct LinkAnswer {
  uint64_t tag;
  ApiKey api;
  int16_t version;
  std::string_view frame;
  SharedBuffer buffer;  ///< holds the frame
  std::string failure;  ///< not empty: no answer
};

/// A connection to one broker as a state machine without I/O: bytes and time in, bytes and answers out. It agrees on
/// versions first, pipelines requests, and times them out. Who drives it connects, and moves the bytes.
/// Threads: one at a time.
class BrokerLink {
 public:
  enum class State {
    kWaiting,  ///< no connection; may_connect_at_ns() says when to try
    kConnecting,
    kNegotiating,  ///< connected; versions not known yet
    kReady,
  };

  /// @param name  for messages: "broker 1 (kafka-1:9092)"
  BrokerLink(std::string name, const LinkSettings& settings, BufferPool& pool, uint32_t seed);

  State state() const { return state_; }
  const std::string& name() const { return name_; }
  void rename(std::string name) { name_ = std::move(name); }
  /// Why the last connection was lost; empty while one stands.
  const std::string& last_failure() const { return last_failure_; }
  int64_t may_connect_at_ns() const { return may_connect_at_ns_; }

  void connecting(int64_t now_ns);
  void connected(int64_t now_ns);
  /// The connection is gone, or must go: every request without an answer fails with the reason.
  void lost(std::string_view reason, int64_t now_ns);

  /// What to write; sent() says how much of it was.
  std::string_view output() const { return std::string_view(output_).substr(output_sent_); }
  void sent(size_t bytes);
  /// Where to put what is read; received() says how much came, and returns true when it completed an answer.
  std::span<char> input();
  bool received(size_t bytes, int64_t now_ns);
  /// How many bytes are sure to come still, from 1 to `limit`.
  size_t bytes_coming(size_t limit) const {
    return frame_ == nullptr ? 1 : std::min(frame_size_ - frame_filled_, limit);
  }

  /// When on_time() has something to do.
  int64_t deadline_ns() const;
  void on_time(int64_t now_ns);

  /// Only when ready.
  const BrokerVersions& versions() const { return *versions_; }
  size_t num_in_flight() const { return in_flight_.size(); }
  /// Sends a request in the newest version of both sides, `newest` at most; the answer bears the tag. Only when ready.
  /// @throws external error 4011 if the broker serves no version of it
  template <class Request>
  void send(const Request& request, uint64_t tag, int64_t now_ns, int16_t newest = kNewestVersion) {
    send_message(Request::kApi, versions_->pick(Request::kApi, newest), &request, tag, now_ns);
  }
  std::vector<LinkAnswer> take_answers();

 private:
  struct InFlight {
    int32_t correlation_id;
    ApiKey api;
    int16_t version;
    uint64_t tag;
    int64_t deadline_ns;
  };

  void send_message(ApiKey api, int16_t version, const void* request, uint64_t tag, int64_t now_ns);
  void ask_versions(int16_t version, int64_t now_ns);
  void on_versions(int16_t version, std::string_view frame, int64_t now_ns);
  void begin_frame(int64_t now_ns);
  void end_frame(int64_t now_ns);
  void drop_frame();

  std::string name_;
  LinkSettings settings_;
  BufferPool& pool_;
  Backoff backoff_;
  State state_ = State::kWaiting;
  std::string last_failure_;
  int64_t may_connect_at_ns_ = 0;
  int64_t connect_deadline_ns_ = kNever;

  std::string output_;
  size_t output_sent_ = 0;
  char length_[4] = {};
  size_t length_filled_ = 0;
  SharedBuffer frame_;
  size_t frame_size_ = 0;
  size_t frame_filled_ = 0;

  int32_t next_correlation_id_ = 0;
  std::deque<InFlight> in_flight_;
  std::optional<BrokerVersions> versions_;
  std::vector<LinkAnswer> answers_;
};

}  // namespace yeoul
