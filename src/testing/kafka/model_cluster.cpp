#include "yeoul/testing/kafka/model_cluster.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

/// A node hears of new leaders late.
constexpr int64_t kMetadataLagMs = 60;
/// So long a node lets a fetch wait that finds nothing.
constexpr int64_t kFetchWaitMs = 40;

struct Head {
  ApiKey api;
  int16_t version;
  int32_t correlation_id;
  std::string_view body;
};

Head read_head(std::string_view frame) {
  WireReader reader(frame);
  Head head{};
  head.api = static_cast<ApiKey>(reader.fixed<int16_t>());
  head.version = reader.fixed<int16_t>();
  head.correlation_id = reader.fixed<int32_t>();
  reader.raw(static_cast<size_t>(std::max<int16_t>(reader.fixed<int16_t>(), 0)));
  if (api_of(head.api).wire_version(head.version).flexible) {
    YEOUL_CHECK(reader.unsigned_varint() == 0, "a request with tagged fields in its header");
  }
  YEOUL_CHECK(reader.ok(), "the header of a request is cut short");
  head.body = reader.raw(reader.remaining());
  return head;
}

int32_t modulo_of(const std::string& key, int32_t count) {
  uint32_t sum = 0;
  for (const char c : key) sum = sum * 31 + static_cast<uint8_t>(c);
  return static_cast<int32_t>(sum % static_cast<uint32_t>(count));
}

}  // namespace

ModelCluster::ModelCluster(SeededRandom& random, int num_nodes, ModelGeneration generation, ModelSabotage sabotage)
    : random_(random),
      generation_(generation),
      sabotage_(sabotage),
      alive_(static_cast<size_t>(num_nodes), true),
      listed_(static_cast<size_t>(num_nodes), true),
      sessions_(static_cast<size_t>(num_nodes)),
      coordinator_([this](const TopicPartition& partition, const ModelIdentity& who, bool commit) {
        partitions_.at(partition).append_marker(who.id, who.epoch, commit || sabotage_.ignores_aborts);
      }) {}

// --- What the world does to it ---------------------------------------------------------------------------------------

void ModelCluster::create_topic(const std::string& name, int num_partitions, int64_t now_ms) {
  std::vector<TopicNews>& news = topic_news_[name];
  Uuid id{random_.next(), random_.next()};
  if (sabotage_.keeps_topic_id && !dead_topics_.empty()) id = dead_topics_.back().id;
  topics_[name] = {id, num_partitions};
  news.push_back({news.empty() ? 0 : now_ms, id});
  for (int32_t index = 0; index < num_partitions; ++index) {
    const auto node = static_cast<int32_t>(random_.below(num_nodes()));
    partitions_.emplace(TopicPartition{name, index}, ModelPartition({now_ms - 1000, node, 0}));
  }
}

void ModelCluster::delete_topic(const std::string& name, int64_t now_ms) {
  const Topic topic = topics_.at(name);
  topics_.erase(name);
  topic_news_[name].push_back({now_ms, std::nullopt});
  DeadTopic& dead = dead_topics_.emplace_back(DeadTopic{name, topic.id, {}});
  for (int32_t index = 0; index < topic.num_partitions; ++index) {
    dead.partitions.push_back(std::move(partitions_.extract({name, index}).mapped()));
  }
}

void ModelCluster::set_alive(int32_t node, bool alive) {
  alive_[static_cast<size_t>(node)] = alive;
  if (alive) {
    listed_[static_cast<size_t>(node)] = true;
  } else {
    forget_sessions(node);
  }
}

void ModelCluster::fence(int32_t node, int64_t now_ms) {
  if (is_alive(node)) return;
  listed_[static_cast<size_t>(node)] = false;
  for (auto& [name, partition] : partitions_) {
    if (partition.leader().node == node) partition.elect(-1, now_ms);
  }
}

void ModelCluster::elect_missing(int64_t now_ms) {
  std::vector<int32_t> living;
  for (int32_t node = 0; node < num_nodes(); ++node) {
    if (is_alive(node)) living.push_back(node);
  }
  if (living.empty()) return;
  for (auto& [name, partition] : partitions_) {
    if (partition.leader().node >= 0) continue;
    partition.elect(living[static_cast<size_t>(random_.below(static_cast<int64_t>(living.size())))], now_ms);
  }
}

void ModelCluster::move_a_leader(int64_t now_ms) {
  if (partitions_.empty()) return;
  auto moved = partitions_.begin();
  std::advance(moved, random_.below(static_cast<int64_t>(partitions_.size())));
  const auto node = static_cast<int32_t>(random_.below(num_nodes()));
  if (is_alive(node)) moved->second.elect(node, now_ms);
}

void ModelCluster::elect_unclean(int64_t now_ms) {
  constexpr int64_t kLostMax = 8;
  auto hit = partitions_.begin();
  std::advance(hit, random_.below(static_cast<int64_t>(partitions_.size())));
  const auto node = static_cast<int32_t>(random_.below(num_nodes()));
  if (!is_alive(node)) return;
  hit->second.elect_unclean(node, static_cast<size_t>(random_.between(1, kLostMax)), now_ms);
}

void ModelCluster::replicate(int64_t per_mille) {
  for (const auto& [name, partition] : partitions_) {
    std::vector<int64_t>& ends = replica_ends_[name];
    ends.resize(alive_.size());
    for (int64_t& end : ends) {
      if (random_.chance(per_mille)) end = partition.end();
    }
  }
}

// --- What is known of it ---------------------------------------------------------------------------------------------

Uuid ModelCluster::id_of(const std::string& name) const {
  const auto topic = topics_.find(name);
  return topic == topics_.end() ? Uuid() : topic->second.id;
}

std::optional<Uuid> ModelCluster::id_seen(const std::string& name, int64_t at_ms) const {
  const auto news = topic_news_.find(name);
  if (news == topic_news_.end()) return std::nullopt;
  const auto seen = std::find_if(news->second.rbegin(), news->second.rend(),
                                 [&](const TopicNews& known) { return known.at_ms <= at_ms; });
  return seen == news->second.rend() ? std::nullopt : seen->id;
}

std::vector<const ModelPartition*> ModelCluster::partitions_of(const std::string& name, const Uuid& id) const {
  std::vector<const ModelPartition*> out;
  const auto topic = topics_.find(name);
  if (topic != topics_.end() && topic->second.id == id) {
    for (int32_t index = 0; index < topic->second.num_partitions; ++index) out.push_back(find({name, index}));
    return out;
  }
  for (const DeadTopic& dead : dead_topics_) {
    if (dead.name != name || dead.id != id) continue;
    for (const ModelPartition& partition : dead.partitions) out.push_back(&partition);
  }
  return out;
}

const ModelPartition* ModelCluster::find(const TopicPartition& partition) const {
  const auto found = partitions_.find(partition);
  return found == partitions_.end() ? nullptr : &found->second;
}

std::vector<const ModelPartition*> ModelCluster::ever(const TopicPartition& partition) const {
  std::vector<const ModelPartition*> out;
  for (const DeadTopic& dead : dead_topics_) {
    if (dead.name == partition.topic) out.push_back(&dead.partitions.at(static_cast<size_t>(partition.partition)));
  }
  if (const ModelPartition* present = find(partition)) out.push_back(present);
  return out;
}

// --- Requests --------------------------------------------------------------------------------------------------------

template <class Request>
ModelCluster::Reply ModelCluster::handle_as(int32_t node, int16_t version, int32_t correlation_id,
                                            std::string_view body, int64_t now_ms, bool final) {
  const Api& api = api_of(Request::kApi);
  Request request;
  decode_struct(Request::table(), &request, api.wire_version(version), body);
  records_.clear();
  [[maybe_unused]] std::map<int32_t, Session> sessions_before;
  if constexpr (std::is_same_v<Request, FetchRequest>) sessions_before = sessions_[static_cast<size_t>(node)];
  throttle_ms_ = random_.chance(moods.throttled) ? static_cast<int32_t>(random_.between(1, moods.throttle_ms_max)) : 0;
  typename Request::Response response = answer(node, request, version, now_ms);
  response.throttle_time_ms = throttle_ms_;
  if constexpr (std::is_same_v<Request, ProduceRequest>) {
    if (request.acks == 0) return {.throttle_ms = throttle_ms_};
  }
  if constexpr (std::is_same_v<Request, FetchRequest>) {
    const auto has_nothing = [](const FetchResponse::PartitionData& partition) {
      return partition.error_code == 0 && partition.diverging_epoch.end_offset < 0 &&
             partition.preferred_read_replica < 0;
    };
    const bool is_empty = response.error_code == 0 && records_.empty() && throttle_ms_ == 0 &&
                          request.session_epoch > 0 &&
                          std::all_of(response.responses.begin(), response.responses.end(), [&](const auto& topic) {
                            return std::all_of(topic.partitions.begin(), topic.partitions.end(), has_nothing);
                          });
    if (is_empty && !final) {
      sessions_[static_cast<size_t>(node)] = std::move(sessions_before);
      return {.frame = {}, .delay_ms = kFetchWaitMs, .again = true};
    }
  }
  return {.frame = encode_response_frame(api, version, correlation_id, &response), .throttle_ms = throttle_ms_};
}

ModelCluster::Reply ModelCluster::handle(int32_t node, std::string_view frame, int64_t now_ms, bool final) {
  const Head head = read_head(frame);
  const auto as = [&]<class Request>() {
    return handle_as<Request>(node, head.version, head.correlation_id, head.body, now_ms, final);
  };
  switch (head.api) {
    case ApiKey::kApiVersions:
      return as.operator()<ApiVersionsRequest>();
    case ApiKey::kMetadata:
      return as.operator()<MetadataRequest>();
    case ApiKey::kFindCoordinator:
      return as.operator()<FindCoordinatorRequest>();
    case ApiKey::kProduce:
      return as.operator()<ProduceRequest>();
    case ApiKey::kFetch:
      return as.operator()<FetchRequest>();
    case ApiKey::kListOffsets:
      return as.operator()<ListOffsetsRequest>();
    case ApiKey::kOffsetForLeaderEpoch:
      return as.operator()<OffsetForLeaderEpochRequest>();
    case ApiKey::kOffsetCommit:
      return as.operator()<OffsetCommitRequest>();
    case ApiKey::kOffsetFetch:
      return as.operator()<OffsetFetchRequest>();
    case ApiKey::kInitProducerId:
      return as.operator()<InitProducerIdRequest>();
    case ApiKey::kAddPartitionsToTxn:
      return as.operator()<AddPartitionsToTxnRequest>();
    case ApiKey::kEndTxn:
      return as.operator()<EndTxnRequest>();
    default:
      throw internal_error(9000, "the model does not serve {}", api_of(head.api).name);
  }
}

VersionRange ModelCluster::served(const Api& api) const {
  if (generation_ == ModelGeneration::kNewest) return api.versions;
  if (generation_ == ModelGeneration::kOldest) return {api.versions.first, api.versions.first};
  switch (api.key) {
    case ApiKey::kProduce:
      return {api.versions.first, 9};
    case ApiKey::kFetch:
      return {api.versions.first, 12};
    case ApiKey::kMetadata:
      return {api.versions.first, 9};
    case ApiKey::kOffsetCommit:
      return {api.versions.first, 8};
    case ApiKey::kOffsetFetch:
      return {api.versions.first, 7};
    case ApiKey::kFindCoordinator:
      return {api.versions.first, 3};
    case ApiKey::kEndTxn:
      return {api.versions.first, 3};
    default:
      return api.versions;
  }
}

bool ModelCluster::is_served(const Api& api) const {
  return generation_ == ModelGeneration::kNewest || api.first_broker == "2.1.0";
}

ApiVersionsResponse ModelCluster::answer(int32_t, const ApiVersionsRequest&, int16_t, int64_t) {
  ApiVersionsResponse response;
  for (const Api& api : all_apis()) {
    if (!is_served(api)) continue;
    const VersionRange range = served(api);
    response.api_keys.push_back({static_cast<int16_t>(api.key), range.first, range.last});
  }
  if (generation_ == ModelGeneration::kNewest) {
    response.finalized_features_epoch = 1;
    response.supported_features.push_back({"transaction.version", 0, 2});
    response.finalized_features.push_back({"transaction.version", 2, 2});
  }
  return response;
}

int32_t ModelCluster::coordinator_of(const std::string& key) const {
  const int32_t first = modulo_of(key, num_nodes());
  for (int32_t i = 0; i < num_nodes(); ++i) {
    const int32_t node = (first + i) % num_nodes();
    if (listed_[static_cast<size_t>(node)]) return node;
  }
  return -1;
}

KafkaError ModelCluster::coordinator_error(int32_t node, const std::string& key) {
  if (coordinator_of(key) != node) return KafkaError::kNotCoordinator;
  if (!random_.chance(moods.lost_coordinator)) return KafkaError::kNone;
  return random_.chance(500) ? KafkaError::kCoordinatorLoadInProgress : KafkaError::kNotCoordinator;
}

const std::string* ModelCluster::name_of(const Uuid& id) const {
  for (const auto& [name, topic] : topics_) {
    if (topic.id == id) return &name;
  }
  return nullptr;
}

ModelPartition* ModelCluster::find(const std::string& topic, int32_t partition) {
  const auto found = partitions_.find({topic, partition});
  return found == partitions_.end() ? nullptr : &found->second;
}

bool ModelCluster::leads(int32_t node, const std::string& topic, int32_t partition) {
  const ModelPartition* found = find(topic, partition);
  return found != nullptr && found->leader().node == node;
}

MetadataResponse ModelCluster::answer(int32_t node, const MetadataRequest& request, int16_t, int64_t now_ms) {
  MetadataResponse response;
  for (int32_t id = 0; id < num_nodes(); ++id) {
    if (!listed_[static_cast<size_t>(id)]) continue;
    auto& broker = response.brokers.emplace_back();
    broker.node_id = id;
    broker.host = host_of(id);
    broker.port = kPort;
  }
  response.cluster_id = "model";
  response.controller_id = coordinator_of("controller");
  std::vector<std::string> names;
  if (request.topics) {
    for (const auto& topic : *request.topics) names.push_back(topic.name.value_or(""));
  } else {
    for (const auto& [name, topic] : topics_) names.push_back(name);
  }
  for (const std::string& name : names) {
    auto& out = response.topics.emplace_back();
    out.name = name;
    const int64_t seen_ms = now_ms - kMetadataLagMs * node;
    const std::optional<Uuid> id = id_seen(name, seen_ms);
    if (!id) {
      out.error_code = static_cast<int16_t>(KafkaError::kUnknownTopicOrPartition);
      continue;
    }
    out.topic_id = *id;
    for (const ModelPartition* partition : partitions_of(name, *id)) {
      const ModelLeader& leader = partition->leader_seen(seen_ms);
      auto& row = out.partitions.emplace_back();
      row.partition_index = static_cast<int32_t>(out.partitions.size()) - 1;
      row.leader_id = leader.node;
      row.leader_epoch = leader.epoch;
      if (leader.node < 0) row.error_code = static_cast<int16_t>(KafkaError::kLeaderNotAvailable);
    }
  }
  return response;
}

FindCoordinatorResponse ModelCluster::answer(int32_t, const FindCoordinatorRequest& request, int16_t version, int64_t) {
  FindCoordinatorResponse response;
  const auto find = [&](const std::string& key) {
    FindCoordinatorResponse::Coordinator found;
    found.key = key;
    found.node_id = coordinator_of(key);
    if (random_.chance(moods.lost_coordinator)) {
      found.node_id = -1;
      found.error_code = static_cast<int16_t>(KafkaError::kCoordinatorNotAvailable);
    } else {
      found.host = host_of(found.node_id);
      found.port = kPort;
    }
    return found;
  };
  if (version >= 4) {
    for (const std::string& key : request.coordinator_keys) response.coordinators.push_back(find(key));
    return response;
  }
  const auto found = find(request.key);
  response.error_code = found.error_code;
  response.node_id = found.node_id;
  response.host = found.host;
  response.port = found.port;
  return response;
}

// --- Writing ---------------------------------------------------------------------------------------------------------

KafkaError ModelCluster::write(int32_t node, const ProduceRequest& request, int16_t version, const std::string& topic,
                               const ProduceRequest::PartitionProduceData& data, int64_t& base_offset) {
  constexpr int16_t kImplicitFrom = 12;
  ModelPartition* partition = find(topic, data.index);
  if (partition == nullptr) return KafkaError::kUnknownTopicOrPartition;
  if (partition->leader().node != node) return KafkaError::kNotLeaderOrFollower;
  if (random_.chance(moods.refused_write)) return KafkaError::kNotEnoughReplicas;
  if (request.transactional_id) {
    RecordBatchInfo info;
    RecordBatchIterator batches(data.records);
    if (!batches.next(info)) return KafkaError::kCorruptMessage;
    const KafkaError error = coordinator_.admit(*request.transactional_id, {info.producer_id, info.producer_epoch},
                                                TopicPartition{topic, data.index}, version >= kImplicitFrom);
    if (error != KafkaError::kNone) return error;
  }
  ModelSabotage sabotage = sabotage_;
  sabotage.loses_acknowledged = sabotage.loses_acknowledged && random_.chance(30);
  const ModelAppend appended = partition->append(data.records, sabotage);
  // Since Apache Kafka 2.5 brokers say so.
  if (appended.error == KafkaError::kUnknownProducerId && generation_ != ModelGeneration::kOldest) {
    return KafkaError::kOutOfOrderSequenceNumber;
  }
  if (appended.error != KafkaError::kNone) return appended.error;
  base_offset = appended.base_offset;
  if (!random_.chance(moods.write_not_confirmed)) return KafkaError::kNone;
  return random_.chance(500) ? KafkaError::kRequestTimedOut : KafkaError::kNotEnoughReplicasAfterAppend;
}

ProduceResponse ModelCluster::answer(int32_t node, const ProduceRequest& request, int16_t version, int64_t) {
  constexpr int16_t kTopicIdsFrom = 13;
  ProduceResponse response;
  for (const auto& topic : request.topic_data) {
    auto& out = response.responses.emplace_back();
    out.name = topic.name;
    out.topic_id = topic.topic_id;
    const std::string* name = version >= kTopicIdsFrom ? name_of(topic.topic_id) : &topic.name;
    for (const auto& data : topic.partition_data) {
      auto& row = out.partition_responses.emplace_back();
      row.index = data.index;
      row.base_offset = -1;
      const KafkaError error =
          name == nullptr ? KafkaError::kUnknownTopicId : write(node, request, version, *name, data, row.base_offset);
      row.error_code = static_cast<int16_t>(error);
      if (error != KafkaError::kNone) row.base_offset = -1;
      row.log_start_offset = 0;
    }
  }
  return response;
}

InitProducerIdResponse ModelCluster::answer(int32_t node, const InitProducerIdRequest& request, int16_t, int64_t) {
  InitProducerIdResponse response;
  ModelCoordinator::Answer answer;
  if (!request.transactional_id) {
    answer.identity = coordinator_.next_identity();
  } else {
    answer.error = coordinator_error(node, *request.transactional_id);
    if (answer.error == KafkaError::kNone) {
      answer = coordinator_.init(*request.transactional_id, {request.producer_id, request.producer_epoch});
    }
  }
  response.error_code = static_cast<int16_t>(answer.error);
  response.producer_id = answer.identity.id;
  response.producer_epoch = answer.identity.epoch;
  return response;
}

AddPartitionsToTxnResponse ModelCluster::answer(int32_t node, const AddPartitionsToTxnRequest& request, int16_t,
                                                int64_t) {
  AddPartitionsToTxnResponse response;
  const KafkaError common = coordinator_error(node, request.transactional_id);
  for (const auto& topic : request.topics) {
    auto& out = response.results_by_topic.emplace_back();
    out.name = topic.name;
    for (const int32_t index : topic.partitions) {
      const KafkaError error =
          common != KafkaError::kNone
              ? common
              : coordinator_.add(request.transactional_id, {request.producer_id, request.producer_epoch},
                                 {topic.name, index});
      out.results_by_partition.push_back({index, static_cast<int16_t>(error)});
    }
  }
  return response;
}

EndTxnResponse ModelCluster::answer(int32_t node, const EndTxnRequest& request, int16_t version, int64_t) {
  constexpr int16_t kBumpsFrom = 5;
  EndTxnResponse response;
  ModelCoordinator::Answer answer;
  answer.error = coordinator_error(node, request.transactional_id);
  if (answer.error == KafkaError::kNone) {
    answer = coordinator_.end(request.transactional_id, {request.producer_id, request.producer_epoch},
                              request.committed, version >= kBumpsFrom);
  }
  response.error_code = static_cast<int16_t>(answer.error);
  response.producer_id = answer.identity.id;
  response.producer_epoch = answer.identity.epoch;
  return response;
}

// --- Groups ----------------------------------------------------------------------------------------------------------

OffsetCommitResponse ModelCluster::answer(int32_t node, const OffsetCommitRequest& request, int16_t, int64_t) {
  OffsetCommitResponse response;
  const KafkaError error = coordinator_error(node, request.group_id);
  for (const auto& topic : request.topics) {
    auto& out = response.topics.emplace_back();
    out.name = topic.name;
    out.topic_id = topic.topic_id;
    const std::string* name = topic.name.empty() ? name_of(topic.topic_id) : &topic.name;
    for (const auto& partition : topic.partitions) {
      out.partitions.push_back({partition.partition_index, static_cast<int16_t>(error)});
      if (error != KafkaError::kNone || name == nullptr) continue;
      offsets_[request.group_id][{*name, partition.partition_index}] = partition.committed_offset;
    }
  }
  return response;
}

OffsetFetchResponse ModelCluster::answer(int32_t node, const OffsetFetchRequest& request, int16_t version, int64_t) {
  constexpr int16_t kGroupsFrom = 8;
  OffsetFetchResponse response;
  const auto offset_of = [&](const std::string& group, const TopicPartition& partition) {
    const auto& committed = offsets_[group];
    const auto found = committed.find(partition);
    return found == committed.end() ? int64_t{-1} : found->second;
  };
  const auto fill = [&](const std::string& group, const auto& asked, auto& topics) {
    for (const auto& topic : asked) {
      auto& out = topics.emplace_back();
      out.name = topic.name;
      for (const int32_t index : topic.partition_indexes) {
        auto& row = out.partitions.emplace_back();
        row.partition_index = index;
        row.committed_offset = offset_of(group, {topic.name, index});
      }
    }
  };
  if (version < kGroupsFrom) {
    response.error_code = static_cast<int16_t>(coordinator_error(node, request.group_id));
    if (response.error_code == 0 && request.topics) fill(request.group_id, *request.topics, response.topics);
    return response;
  }
  for (const auto& group : request.groups) {
    auto& out = response.groups.emplace_back();
    out.group_id = group.group_id;
    out.error_code = static_cast<int16_t>(coordinator_error(node, group.group_id));
    if (out.error_code == 0 && group.topics) fill(group.group_id, *group.topics, out.topics);
  }
  return response;
}

}  // namespace yeoul
