#include "yeoul/kafka/native/broker_link.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/kafka/protocol/kafka_error.h"
#include "yeoul/kafka/protocol/session_messages.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr uint64_t kVersionsTag = UINT64_MAX;
/// The first that says who asks (KIP-511). A broker that does not know it answers so, and is asked in version 0.
constexpr int16_t kVersionsFirst = 3;
constexpr uint64_t kLoginTag = UINT64_MAX - 1;
constexpr size_t kSmallestAnswer = 4;
/// A TLS alert's first two bytes: how a TLS listener answers what is not TLS.
constexpr uint32_t kTlsAlert = 0x1503;
/// A login that could not be renewed is tried again until so little is left of it.
constexpr int64_t kRenewalPauseNs = 1'000 * kNanosPerMs;

}  // namespace

BrokerLink::BrokerLink(std::string name, const LinkSettings& settings, BufferPool& pool, uint32_t seed)
    : name_(std::move(name)),
      settings_(settings),
      pool_(pool),
      backoff_(settings.backoff_ns, settings.backoff_max_ns, seed),
      connect_timeout_(std::min(settings.connect_timeout_ns, settings.connect_timeout_max_ns),
                       settings.connect_timeout_max_ns, ~seed),
      random_(seed) {}

void BrokerLink::connecting(int64_t now_ns) {
  state_ = State::kConnecting;
  phase_began_ns_ = now_ns;
  phase_deadline_ns_ = now_ns + std::min(connect_timeout_.next_ns(), settings_.connect_timeout_max_ns);
}

void BrokerLink::connected(const std::string& host, int64_t now_ns) {
  state_ = State::kNegotiating;
  connect_timeout_.reset();
  phase_deadline_ns_ = kNever;
  has_answered_ = false;
  host_ = host;
  ask_versions(kVersionsFirst, now_ns);
}

void BrokerLink::lost(std::string_view reason, int64_t now_ns) {
  last_failure_ = fmt::format("{}: {}", name_, reason);
  is_refused_ = false;
  for (const InFlight& request : in_flight_) {
    if (request.tag == kVersionsTag || request.tag == kLoginTag) continue;
    answers_.push_back({request.tag, request.api, request.version, {}, nullptr, last_failure_});
  }
  in_flight_.clear();
  for (LinkAnswer& request : unanswered_) {
    request.failure = last_failure_;
    answers_.push_back(std::move(request));
  }
  unanswered_.clear();
  answers_wanted_ = 1;
  output_.clear();
  output_end_ = counts_.sent_bytes;
  drop_frame();
  versions_.reset();
  login_.reset();
  work_.reset();
  ++work_id_;
  session_ends_ns_ = log_in_again_at_ns_ = kNever;
  state_ = State::kWaiting;
  phase_deadline_ns_ = kNever;
  may_connect_at_ns_ = now_ns + backoff_.next_ns();
}

void BrokerLink::refused(std::string_view reason, int64_t now_ns) {
  lost(reason, now_ns);
  is_refused_ = true;
}

void BrokerLink::close_if_idle(int64_t now_ns) {
  if (state_ != State::kReady || !in_flight_.empty() || now_ns - used_at_ns_ < settings_.idle_max_ns) return;
  lost("it was idle", now_ns);
  last_failure_.clear();
  backoff_.reset();
}

void BrokerLink::closed(int64_t now_ns) {
  if (state_ == State::kAuthenticating && !has_answered_)
    return lost("it closed the connection during the login", now_ns);
  if (state_ == State::kNegotiating) {
    return lost("it closed the connection when asked for its versions; does 'security.protocol' fit its listener?",
                now_ns);
  }
  if (state_ == State::kReady && !has_answered_ && settings_.security.login == nullptr) {
    return lost("it closed the connection at the first request; does its listener want a login ('security.protocol')?",
                now_ns);
  }
  lost("it closed the connection", now_ns);
}

void BrokerLink::sent(size_t bytes) {
  counts_.sent_bytes += static_cast<int64_t>(bytes);
  output_.sent(bytes);
}

void BrokerLink::flushed() {
  if (!output_.empty()) return;
  std::move(unanswered_.begin(), unanswered_.end(), std::back_inserter(answers_));
  unanswered_.clear();
}

std::span<char> BrokerLink::input() {
  if (frame_ == nullptr) return std::span(ahead_).subspan(ahead_filled_);
  return {frame_->data() + frame_filled_, frame_size_ - frame_filled_};
}

bool BrokerLink::received(size_t bytes, int64_t now_ns) {
  counts_.received_bytes += static_cast<int64_t>(bytes);
  used_at_ns_ = now_ns;
  // An answer that is coming is none that is missing, however late it is read.
  if (!in_flight_.empty()) in_flight_.front().deadline_ns = now_ns + settings_.request_timeout_ns;
  if (frame_ == nullptr) {
    ahead_filled_ += bytes;
    return take_ahead(now_ns);
  }
  frame_filled_ += bytes;
  if (frame_filled_ < frame_size_) return false;
  end_frame(now_ns);
  return true;
}

/// Cuts what was read ahead into answers.
bool BrokerLink::take_ahead(int64_t now_ns) {
  bool complete = false;
  size_t at = 0;
  while (frame_ == nullptr && ahead_filled_ - at >= sizeof(uint32_t)) {
    begin_frame(load_big_endian<uint32_t>(ahead_.data() + at), now_ns);
    if (frame_ == nullptr) return complete;  // lost
    at += sizeof(uint32_t);
    frame_filled_ = std::min(frame_size_, ahead_filled_ - at);
    std::copy_n(ahead_.data() + at, frame_filled_, frame_->data());
    at += frame_filled_;
    if (frame_filled_ < frame_size_) break;
    end_frame(now_ns);
    complete = true;
    if (state_ == State::kWaiting) return true;
  }
  std::copy(ahead_.data() + at, ahead_.data() + ahead_filled_, ahead_.data());
  ahead_filled_ -= at;
  return complete;
}

void BrokerLink::begin_frame(uint32_t size, int64_t now_ns) {
  if (size >> 16 == kTlsAlert) {
    return refused("it speaks TLS on this port: 'security.protocol' must be SSL or SASL_SSL", now_ns);
  }
  if (size < kSmallestAnswer || size > settings_.answer_bytes_max) {
    return lost(
        fmt::format("its answer begins with a length of {} bytes; is it a Kafka broker, and without TLS?", size),
        now_ns);
  }
  last_answer_bytes_ = sizeof(uint32_t) + size;
  frame_ = pool_.take(size);
  frame_size_ = size;
  frame_filled_ = 0;
}

void BrokerLink::end_frame(int64_t now_ns) {
  const SharedBuffer buffer = std::exchange(frame_, nullptr);
  const std::string_view frame(buffer->data(), frame_size_);
  // One that is only half sent is not asked either: its records, which are not copied, must stay.
  if (in_flight_.empty() || correlation_id_of(frame) != in_flight_.front().correlation_id ||
      in_flight_.front().end > counts_.sent_bytes) {
    return lost("it answered what was not asked", now_ns);
  }
  const InFlight request = in_flight_.front();
  in_flight_.pop_front();
  log(LogLevel::kTrace, "kafka", "{}: {} #{} answered after {} ms with {} bytes", name_, api_of(request.api).name,
      request.correlation_id, (now_ns - request.sent_ns) / kNanosPerMs, frame.size());
  if (request.tag == kVersionsTag) return on_versions(request.version, frame, now_ns);
  if (request.tag == kLoginTag) return on_login(request, frame, now_ns);
  has_answered_ = true;
  answers_.push_back({request.tag, request.api, request.version, frame, buffer, {}});
}

void BrokerLink::drop_frame() {
  frame_.reset();
  frame_size_ = frame_filled_ = ahead_filled_ = 0;
}

void BrokerLink::ask_versions(int16_t version, int64_t now_ns) {
  ApiVersionsRequest request;
  if (version >= kVersionsFirst) {
    request.client_software_name = "yeoul";
    request.client_software_version = "0";
  }
  send_message(ApiKey::kApiVersions, version, &request, kVersionsTag, now_ns);
}

void BrokerLink::on_versions(int16_t version, std::string_view frame, int64_t now_ns) {
  // The error stands first in every version, and a broker that does not know ours answers in version 0.
  WireReader reader(frame);
  reader.fixed<int32_t>();
  const KafkaError error = kafka_error(reader.fixed<int16_t>());
  if (error == KafkaError::kUnsupportedVersion && version > 0) return ask_versions(0, now_ns);
  if (error != KafkaError::kNone)
    return lost(fmt::format("it refused to say its versions: {}", name_of(error)), now_ns);
  try {
    const auto response = decode_response<ApiVersionsRequest>(version, frame);
    if (response.throttle_time_ms > 0) throttled(response.throttle_time_ms * kNanosPerMs, now_ns);
    versions_.emplace(name_, response);
  } catch (const Error& damage) {
    return lost(damage.message(), now_ns);
  }
  if (settings_.security.login == nullptr) return ready();
  state_ = State::kAuthenticating;
  start_login(now_ns);
}

void BrokerLink::ready() {
  state_ = State::kReady;
  last_failure_.clear();
  is_refused_ = false;
  backoff_.reset();
}

void BrokerLink::start_login(int64_t now_ns) {
  login_ = settings_.security.login->start(host_);
  challenge_.clear();
  first_bytes_.clear();
  mechanism_agreed_ = false;
  log_in_again_at_ns_ = kNever;
  phase_deadline_ns_ = now_ns + settings_.request_timeout_ns;
  try {
    go_on_with_login(now_ns);
  } catch (const Error& too_old) {
    lost(too_old.message(), now_ns);
  }
}

void BrokerLink::go_on_with_login(int64_t now_ns) {
  SaslStep step = login_->step(challenge_);
  if (step.work) {
    work_ = LinkWork{++work_id_, std::move(step.work)};
  } else if (!step.failure.empty()) {
    login_failed(step, now_ns);
  } else if (step.done) {
    login_done(now_ns);
  } else if (mechanism_agreed_) {
    send_login(step.bytes, now_ns);
  } else {
    // From here to the end of the login the broker takes nothing else.
    state_ = State::kAuthenticating;
    first_bytes_ = std::move(step.bytes);
    SaslHandshakeRequest request;
    request.mechanism = settings_.security.login->name();
    send_message(SaslHandshakeRequest::kApi, versions_->pick(SaslHandshakeRequest::kApi), &request, kLoginTag, now_ns);
  }
}

void BrokerLink::send_login(const std::string& bytes, int64_t now_ns) {
  SaslAuthenticateRequest request;
  request.auth_bytes.value = bytes;
  send_message(SaslAuthenticateRequest::kApi, versions_->pick(SaslAuthenticateRequest::kApi), &request, kLoginTag,
               now_ns);
}

void BrokerLink::on_login(const InFlight& request, std::string_view frame, int64_t now_ns) {
  try {
    if (request.api == ApiKey::kSaslHandshake) {
      const auto answer = decode_response<SaslHandshakeRequest>(request.version, frame);
      const KafkaError error = kafka_error(answer.error_code);
      const std::string_view mechanism = settings_.security.login->name();
      if (error == KafkaError::kUnsupportedSaslMechanism) {
        return refused(fmt::format("it takes no login by {}, but by {}", mechanism, fmt::join(answer.mechanisms, ", ")),
                       now_ns);
      }
      if (error == KafkaError::kIllegalSaslState) {
        return refused("its listener takes no login: 'security.protocol' must be PLAINTEXT or SSL", now_ns);
      }
      if (error != KafkaError::kNone) return lost(fmt::format("it takes no login: {}", name_of(error)), now_ns);
      mechanism_agreed_ = true;
      return send_login(first_bytes_, now_ns);
    }
    const auto answer = decode_response<SaslAuthenticateRequest>(request.version, frame);
    if (answer.error_code != 0) {
      return refused(fmt::format("it refused the login: {} ({})", answer.error_message.value_or("no reason given"),
                                 name_of(kafka_error(answer.error_code))),
                     now_ns);
    }
    session_ends_ns_ = answer.session_lifetime_ms > 0 ? now_ns + answer.session_lifetime_ms * kNanosPerMs : kNever;
    challenge_ = answer.auth_bytes.value;
    go_on_with_login(now_ns);
  } catch (const Error& damage) {
    lost(damage.message(), now_ns);
  }
}

void BrokerLink::login_failed(const SaslStep& step, int64_t now_ns) {
  if (state_ == State::kReady) {  // the login that stands goes on until it ends
    login_.reset();
    phase_deadline_ns_ = kNever;
    const int64_t left_ns = session_ends_ns_ - now_ns;
    log_in_again_at_ns_ = left_ns > kRenewalPauseNs ? now_ns + left_ns / 2 : kNever;
    return;
  }
  const std::string reason = fmt::format("the login failed: {}", step.failure);
  return step.refused ? refused(reason, now_ns) : lost(reason, now_ns);
}

void BrokerLink::login_done(int64_t now_ns) {
  login_.reset();
  phase_deadline_ns_ = kNever;
  if (session_ends_ns_ != kNever) {
    // As Java's clients: at some point of the last part but one, so that many do not come at once.
    const double part = std::uniform_real_distribution<double>(0.85, 0.95)(random_);
    log_in_again_at_ns_ = now_ns + static_cast<int64_t>(static_cast<double>(session_ends_ns_ - now_ns) * part);
  }
  ready();
}

void BrokerLink::work_done(uint64_t id, int64_t now_ns) {
  if (login_ == nullptr || id != work_id_) return;
  try {
    go_on_with_login(now_ns);
  } catch (const Error& too_old) {
    lost(too_old.message(), now_ns);
  }
}

int64_t BrokerLink::deadline_ns() const {
  int64_t deadline = std::min(phase_deadline_ns_, log_in_again_at_ns_);
  for (const InFlight& request : in_flight_) deadline = std::min(deadline, request.deadline_ns);
  return deadline;
}

void BrokerLink::throttled(int64_t for_ns, int64_t now_ns) {
  throttled_until_ns_ = std::max(throttled_until_ns_, now_ns + for_ns);
  for (InFlight& request : in_flight_) request.deadline_ns += for_ns;
}

void BrokerLink::on_time(int64_t now_ns) {
  if (state_ == State::kWaiting || now_ns < deadline_ns()) return;
  if (state_ == State::kConnecting) {
    return lost(fmt::format("no connection within {} ms", (phase_deadline_ns_ - phase_began_ns_) / kNanosPerMs),
                now_ns);
  }
  if (phase_deadline_ns_ <= now_ns) {
    return lost(fmt::format("the login did not end within {} ms", settings_.request_timeout_ns / kNanosPerMs), now_ns);
  }
  if (log_in_again_at_ns_ <= now_ns) return start_login(now_ns);
  const auto late = std::find_if(in_flight_.begin(), in_flight_.end(),
                                 [&](const InFlight& request) { return request.deadline_ns <= now_ns; });
  lost(fmt::format("no answer to {} within {} ms", api_of(late->api).name, settings_.request_timeout_ns / kNanosPerMs),
       now_ns);
}

int32_t BrokerLink::put(ApiKey api, int16_t version, const void* request) {
  ++counts_.num_requests;
  const int32_t id = next_correlation_id_;
  next_correlation_id_ = id == INT32_MAX ? 0 : id + 1;
  const size_t size =
      append_request_frame(api_of(api), version, id, settings_.client_id, request, output_.bytes(), &output_.inserts());
  output_end_ += static_cast<int64_t>(size);
  log(LogLevel::kTrace, "kafka", "{}: {} #{} of version {} with {} bytes", name_, api_of(api).name, id, version, size);
  return id;
}

void BrokerLink::send_message(ApiKey api, int16_t version, const void* request, uint64_t tag, int64_t now_ns) {
  const int32_t id = put(api, version, request);
  used_at_ns_ = now_ns;
  in_flight_.push_back({id, api, version, tag, now_ns + settings_.request_timeout_ns, now_ns, output_end_});
}

std::vector<LinkAnswer> BrokerLink::take_answers() {
  return std::exchange(answers_, {});
}

}  // namespace yeoul
