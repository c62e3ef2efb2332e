#include "yeoul/kafka/native/broker_link.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/kafka_error.h"
#include "yeoul/kafka/protocol/session_messages.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr uint64_t kVersionsTag = UINT64_MAX;
/// The first that says who asks (KIP-511). A broker that does not know it answers so, and is asked in version 0.
constexpr int16_t kVersionsFirst = 3;
constexpr size_t kSmallestAnswer = 4;

}  // namespace

BrokerLink::BrokerLink(std::string name, const LinkSettings& settings, BufferPool& pool, uint32_t seed)
    : name_(std::move(name)),
      settings_(settings),
      pool_(pool),
      backoff_(settings.backoff_ns, settings.backoff_max_ns, seed) {}

void BrokerLink::connecting(int64_t now_ns) {
  state_ = State::kConnecting;
  connect_deadline_ns_ = now_ns + settings_.connect_timeout_ns;
}

void BrokerLink::connected(int64_t now_ns) {
  state_ = State::kNegotiating;
  connect_deadline_ns_ = kNever;
  ask_versions(kVersionsFirst, now_ns);
}

void BrokerLink::lost(std::string_view reason, int64_t now_ns) {
  last_failure_ = fmt::format("{}: {}", name_, reason);
  for (const InFlight& request : in_flight_) {
    if (request.tag == kVersionsTag) continue;
    answers_.push_back({request.tag, request.api, request.version, {}, nullptr, last_failure_});
  }
  in_flight_.clear();
  output_.clear();
  output_sent_ = 0;
  drop_frame();
  versions_.reset();
  state_ = State::kWaiting;
  connect_deadline_ns_ = kNever;
  may_connect_at_ns_ = now_ns + backoff_.next_ns();
}

void BrokerLink::sent(size_t bytes) {
  output_sent_ += bytes;
  if (output_sent_ == output_.size()) {
    output_.clear();
    output_sent_ = 0;
  }
}

std::span<char> BrokerLink::input() {
  if (frame_ == nullptr) return {length_ + length_filled_, sizeof length_ - length_filled_};
  return {frame_->data() + frame_filled_, frame_size_ - frame_filled_};
}

bool BrokerLink::received(size_t bytes, int64_t now_ns) {
  // An answer that is coming is none that is missing, however late it is read.
  if (!in_flight_.empty()) in_flight_.front().deadline_ns = now_ns + settings_.request_timeout_ns;
  if (frame_ == nullptr) {
    length_filled_ += bytes;
    if (length_filled_ == sizeof length_) begin_frame(now_ns);
    return false;
  }
  frame_filled_ += bytes;
  if (frame_filled_ < frame_size_) return false;
  end_frame(now_ns);
  return true;
}

void BrokerLink::begin_frame(int64_t now_ns) {
  const auto size = load_big_endian<uint32_t>(length_);
  if (size < kSmallestAnswer || size > settings_.answer_bytes_max) {
    return lost(
        fmt::format("its answer begins with a length of {} bytes; is it a Kafka broker, and without TLS?", size),
        now_ns);
  }
  frame_ = pool_.take(size);
  frame_size_ = size;
  frame_filled_ = 0;
}

void BrokerLink::end_frame(int64_t now_ns) {
  const SharedBuffer buffer = frame_;
  const std::string_view frame(buffer->data(), frame_size_);
  drop_frame();
  if (in_flight_.empty() || correlation_id_of(frame) != in_flight_.front().correlation_id) {
    return lost("it answered what was not asked", now_ns);
  }
  const InFlight request = in_flight_.front();
  in_flight_.pop_front();
  if (request.tag == kVersionsTag) return on_versions(request.version, frame, now_ns);
  answers_.push_back({request.tag, request.api, request.version, frame, buffer, {}});
}

void BrokerLink::drop_frame() {
  frame_.reset();
  frame_size_ = frame_filled_ = length_filled_ = 0;
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
    versions_.emplace(name_, decode_response<ApiVersionsRequest>(version, frame));
  } catch (const Error& damage) {
    return lost(damage.message(), now_ns);
  }
  state_ = State::kReady;
  last_failure_.clear();
  backoff_.reset();
}

int64_t BrokerLink::deadline_ns() const {
  int64_t deadline = connect_deadline_ns_;
  for (const InFlight& request : in_flight_) deadline = std::min(deadline, request.deadline_ns);
  return deadline;
}

void BrokerLink::on_time(int64_t now_ns) {
  if (state_ == State::kWaiting || now_ns < deadline_ns()) return;
  if (state_ == State::kConnecting) {
    return lost(fmt::format("no connection within {} ms", settings_.connect_timeout_ns / kNanosPerMs), now_ns);
  }
  const auto late = std::find_if(in_flight_.begin(), in_flight_.end(),
                                 [&](const InFlight& request) { return request.deadline_ns <= now_ns; });
  lost(fmt::format("no answer to {} within {} ms", api_of(late->api).name, settings_.request_timeout_ns / kNanosPerMs),
       now_ns);
}

void BrokerLink::send_message(ApiKey api, int16_t version, const void* request, uint64_t tag, int64_t now_ns) {
  const int32_t id = next_correlation_id_;
  next_correlation_id_ = id == INT32_MAX ? 0 : id + 1;
  output_ += encode_request_frame(api_of(api), version, id, settings_.client_id, request);
  in_flight_.push_back({id, api, version, tag, now_ns + settings_.request_timeout_ns});
}

std::vector<LinkAnswer> BrokerLink::take_answers() {
  return std::exchange(answers_, {});
}

}  // namespace yeoul
