#include "yeoul/kafka/protocol/api.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/fetch_messages.h"
#include "yeoul/kafka/protocol/group_messages.h"
#include "yeoul/kafka/protocol/metadata_messages.h"
#include "yeoul/kafka/protocol/produce_messages.h"
#include "yeoul/kafka/protocol/session_messages.h"
#include "yeoul/kafka/protocol/topic_messages.h"
#include "yeoul/kafka/protocol/transaction_messages.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr int16_t kNeverFlexible = kNewestVersion;

template <class Request>
constexpr Api row(std::string_view name, VersionRange versions, int16_t flexible_from,
                  std::string_view first_broker = "2.1.0") {
  return {Request::kApi, name, versions, flexible_from, first_broker, &Request::table, &Request::Response::table};
}

// AddPartitionsToTxn 4 and later are spoken between brokers only. InitProducerId 6 is not released.
constexpr Api kApis[] = {
    row<ProduceRequest>("Produce", {7, 13}, 9),
    row<FetchRequest>("Fetch", {10, 18}, 12),
    row<ListOffsetsRequest>("ListOffsets", {4, 11}, 6),
    row<MetadataRequest>("Metadata", {7, 13}, 9),
    row<OffsetCommitRequest>("OffsetCommit", {6, 10}, 8),
    row<OffsetFetchRequest>("OffsetFetch", {5, 10}, 6),
    row<FindCoordinatorRequest>("FindCoordinator", {2, 6}, 3),
    row<SaslHandshakeRequest>("SaslHandshake", {1, 1}, kNeverFlexible),
    row<ApiVersionsRequest>("ApiVersions", {0, 4}, 3),
    row<CreateTopicsRequest>("CreateTopics", {3, 7}, 5),
    row<DeleteTopicsRequest>("DeleteTopics", {3, 6}, 4),
    row<InitProducerIdRequest>("InitProducerId", {1, 5}, 2),
    row<OffsetForLeaderEpochRequest>("OffsetForLeaderEpoch", {2, 4}, 4),
    row<AddPartitionsToTxnRequest>("AddPartitionsToTxn", {1, 3}, 3),
    row<EndTxnRequest>("EndTxn", {1, 5}, 3),
    row<DescribeConfigsRequest>("DescribeConfigs", {2, 4}, 4),
    row<SaslAuthenticateRequest>("SaslAuthenticate", {0, 2}, 2),
    row<DescribeClusterRequest>("DescribeCluster", {0, 2}, 0, "2.8.0"),
    row<DescribeTransactionsRequest>("DescribeTransactions", {0, 0}, 0, "3.0.0"),
    row<ListTransactionsRequest>("ListTransactions", {0, 2}, 0, "3.0.0"),
};

/// Answers to ApiVersions always have the old header, so that a broker can answer versions it does not know.
bool has_flexible_response_header(const Api& api, int16_t version) {
  return version >= api.flexible_from && api.key != ApiKey::kApiVersions;
}

}  // namespace

std::span<const Api> all_apis() {
  return kApis;
}

const Api& api_of(ApiKey key) {
  const auto found = std::find_if(std::begin(kApis), std::end(kApis), [&](const Api& api) { return api.key == key; });
  YEOUL_CHECK(found != std::end(kApis), "API {} is in no table", static_cast<int16_t>(key));
  return *found;
}

BrokerVersions::BrokerVersions(std::string broker, const ApiVersionsResponse& answer) : broker_(std::move(broker)) {
  for (const auto& served : answer.api_keys) {
    versions_[static_cast<ApiKey>(served.api_key)] = {served.min_version, served.max_version};
  }
  for (const auto& feature : answer.finalized_features) feature_levels_[feature.name] = feature.max_version_level;
}

int16_t BrokerVersions::feature_level(const std::string& name) const {
  const auto found = feature_levels_.find(name);
  return found == feature_levels_.end() ? int16_t{0} : found->second;
}

int16_t BrokerVersions::pick(ApiKey key, int16_t newest) const {
  const Api& api = api_of(key);
  const auto served = versions_.find(key);
  if (served == versions_.end()) {
    throw external_error(4011, "{} does not serve {} requests; they need Apache Kafka {} or later", broker_, api.name,
                         api.first_broker);
  }
  const VersionRange theirs = served->second;
  if (theirs.last < api.versions.first) {
    throw external_error(
        4011,
        "{} is too old: it serves {} requests up to version {}, Yeoul needs {}, which Apache Kafka {} and later have",
        broker_, api.name, theirs.last, api.versions.first, api.first_broker);
  }
  if (theirs.first > api.versions.last) {
    throw external_error(4011, "{} is too new: it serves {} requests from version {}, Yeoul knows them up to {}",
                         broker_, api.name, theirs.first, api.versions.last);
  }
  return std::min({theirs.last, api.versions.last, std::max(newest, theirs.first)});
}

size_t append_request_frame(const Api& api, int16_t version, int32_t correlation_id, std::string_view client_id,
                            const void* request, std::string& out, std::vector<Insert>* inserts) {
  const size_t begin = out.size();
  const size_t first_insert = inserts == nullptr ? 0 : inserts->size();
  WireWriter writer(out);
  writer.fixed(int32_t{0});
  writer.fixed(static_cast<int16_t>(api.key));
  writer.fixed(version);
  writer.fixed(correlation_id);
  // The client id keeps its old form in every header.
  writer.fixed(static_cast<int16_t>(std::min<size_t>(client_id.size(), INT16_MAX)));
  writer.raw(client_id.substr(0, INT16_MAX));
  if (api.wire_version(version).flexible) writer.unsigned_varint(0);
  encode_struct(api.request(), request, api.wire_version(version), out, inserts);
  size_t size = out.size() - begin;
  if (inserts != nullptr) {
    for (size_t i = first_insert; i < inserts->size(); ++i) size += (*inserts)[i].bytes.size();
  }
  YEOUL_CHECK(size <= INT32_MAX, "{} request of {} bytes", api.name, size);
  store_big_endian(out.data() + begin, static_cast<int32_t>(size - sizeof(int32_t)));
  return size;
}

int32_t correlation_id_of(std::string_view frame) {
  WireReader reader(frame);
  const auto id = reader.fixed<int32_t>();
  if (!reader.ok()) throw external_error(4010, "an answer of {} bytes has no correlation id", frame.size());
  return id;
}

void decode_response_frame(const Api& api, int16_t version, std::string_view frame, void* response) {
  WireReader reader(frame);
  reader.fixed<int32_t>();
  if (has_flexible_response_header(api, version)) {
    for (uint64_t tags = reader.unsigned_varint(); tags > 0 && reader.ok(); --tags) {
      reader.unsigned_varint();
      reader.raw(reader.unsigned_varint());
    }
  }
  if (!reader.ok()) throw external_error(4010, "the header of an answer to {} is cut short", api.name);
  decode_struct(api.response(), response, api.wire_version(version), reader.raw(reader.remaining()));
}

std::string encode_response_frame(const Api& api, int16_t version, int32_t correlation_id, const void* response) {
  std::string frame;
  WireWriter writer(frame);
  writer.fixed(int32_t{0});
  writer.fixed(correlation_id);
  if (has_flexible_response_header(api, version)) writer.unsigned_varint(0);
  encode_struct(api.response(), response, api.wire_version(version), frame);
  store_big_endian(frame.data(), static_cast<int32_t>(frame.size() - sizeof(int32_t)));
  return frame;
}

}  // namespace yeoul
