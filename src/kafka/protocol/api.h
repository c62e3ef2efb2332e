#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/protocol/api_key.h"
#include "yeoul/kafka/protocol/message_codec.h"
#include "yeoul/kafka/protocol/struct_table.h"

namespace yeoul {

struct ApiVersionsResponse;

/// What is known of an API. The first version is the newest that Apache Kafka 2.1.0 serves, or the first there was of
/// an API that is younger; the last is that of Apache Kafka 4.4.0.
struct Api {
  ApiKey key;
  std::string_view name;
  VersionRange versions;
  int16_t flexible_from;
  std::string_view first_broker;  ///< the oldest Apache Kafka that serves a version of ours
  const StructTable& (*request)();
  const StructTable& (*response)();

  WireVersion wire_version(int16_t version) const { return {version, version >= flexible_from}; }
};

std::span<const Api> all_apis();
const Api& api_of(ApiKey key);

/// The versions to speak with one broker: of those that both sides know, the newest.
class BrokerVersions {
 public:
  /// @param broker  for messages, e.g. "broker 1 (kafka-1:9092)"
  BrokerVersions(std::string broker, const ApiVersionsResponse& answer);

  bool has(ApiKey key) const { return versions_.contains(key); }
  /// The level of a feature that the whole cluster has agreed on (KIP-584), e.g. "transaction.version"; 0: none.
  int16_t feature_level(const std::string& name) const;
  /// @param newest  the newest version that the caller wants to speak
  /// @throws external error 4011 saying what the broker serves and which Apache Kafka is needed
  int16_t pick(ApiKey key, int16_t newest = kNewestVersion) const;

 private:
  std::string broker_;
  std::map<ApiKey, VersionRange> versions_;
  std::map<std::string, int16_t> feature_levels_;
};

/// Appends a whole request, its length in front: what goes to the socket.
/// @param inserts  if not null, gets the records (places count from the begin of `out`), which `out` then lacks
/// @return the size of the request
size_t append_request_frame(const Api& api, int16_t version, int32_t correlation_id, std::string_view client_id,
                            const void* request, std::string& out, std::vector<Insert>* inserts = nullptr);
template <class Request>
std::string encode_request(const Request& request, int16_t version, int32_t correlation_id,
                           std::string_view client_id) {
  std::string frame;
  append_request_frame(api_of(Request::kApi), version, correlation_id, client_id, &request, frame);
  return frame;
}

/// The correlation id at the head of an answer (without its length). @throws external error 4010.
int32_t correlation_id_of(std::string_view frame);

/// Reads an answer (without its length) into an object that has its defaults. Records stay views into `frame`.
/// @throws external error 4010.
void decode_response_frame(const Api& api, int16_t version, std::string_view frame, void* response);
template <class Request>
typename Request::Response decode_response(int16_t version, std::string_view frame) {
  typename Request::Response response;
  decode_response_frame(api_of(Request::kApi), version, frame, &response);
  return response;
}

/// The answer of a broker to a request, its length in front; for models of a broker.
std::string encode_response_frame(const Api& api, int16_t version, int32_t correlation_id, const void* response);

}  // namespace yeoul
