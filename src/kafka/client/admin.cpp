#include "yeoul/kafka/client/admin.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "yeoul/common/clock.h"
#include "yeoul/common/error.h"
#include "yeoul/kafka/client/client_settings.h"
#include "yeoul/kafka/native/group_question.h"
#include "yeoul/kafka/native/list_offsets_question.h"

namespace yeoul {
namespace {

std::set<TopicPartition> set_of(std::span<const TopicPartition> partitions) {
  return {partitions.begin(), partitions.end()};
}

std::string about_topic(const std::string& topic, const std::optional<std::string>& reason) {
  return fmt::format("topic '{}'{}{}", topic, reason ? ": " : "", reason.value_or(""));
}

}  // namespace

struct Admin::Impl {
  Impl(ClientProperties p, std::stop_token s)
      : properties(std::move(p)),
        stop(std::move(s)),
        pool(size_t{1} << 20),
        client(cluster_client_settings(properties), pool, clock) {}

  QuestionSettings settings() const { return question_settings(properties); }

  void ask(ClusterQuestion& question) { client.ask_until_done(question, stop); }

  /// Asks one broker; `take` looks at the answer.
  template <class Request>
  void ask_broker(const std::string& what, BrokerQuestion::Whom whom, Request request,
                  const std::function<Verdict(const typename Request::Response&)>& take) {
    BrokerQuestion question(
        what, whom, std::move(request),
        [&](const QuestionResponse& response) { return take(std::get<typename Request::Response>(response)); },
        settings(), clock.steady_ns());
    ask(question);
  }

  void ask_metadata(const std::string& what, MetadataRequest request,
                    const std::function<Verdict(const MetadataResponse&)>& take) {
    request.allow_auto_topic_creation = false;
    ask_broker(what, BrokerQuestion::Whom::kAnyBroker, std::move(request), take);
  }

  PartitionOffsets list_offsets(std::span<const TopicPartition> partitions, int64_t timestamp_ms) {
    ListOffsetsQuestion question(set_of(partitions), timestamp_ms, reads_committed(properties), settings(),
                                 clock.steady_ns());
    ask(question);
    return question.offsets();
  }

  ClientProperties properties;
  std::stop_token stop;
  Clock& clock = system_clock();
  BufferPool pool;
  ClusterClient client;
};

Admin::Admin(ClientProperties properties, std::stop_token stop)
    : impl_(std::make_unique<Impl>(std::move(properties), std::move(stop))) {}
Admin::~Admin() = default;

std::vector<std::string> Admin::list_topics() {
  std::vector<std::string> topics;
  impl_->ask_metadata("listing topics", {}, [&](const MetadataResponse& response) {
    for (const auto& topic : response.topics) {
      if (topic.name && !topic.is_internal) topics.push_back(*topic.name);
    }
    return Verdict();
  });
  std::sort(topics.begin(), topics.end());
  return topics;
}

std::vector<TopicPartition> Admin::partitions_of(std::span<const std::string> topics) {
  std::vector<TopicPartition> partitions;
  std::string missing;
  MetadataRequest request;
  request.topics.emplace();
  for (const std::string& name : topics) request.topics->emplace_back().name = name;
  impl_->ask_metadata("describing topics", std::move(request), [&](const MetadataResponse& response) {
    partitions.clear();
    missing.clear();
    for (const auto& topic : response.topics) {
      const std::string name = topic.name.value_or("");
      const KafkaError error = kafka_error(topic.error_code);
      if (error == KafkaError::kUnknownTopicOrPartition) {
        missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", name);
      } else if (error != KafkaError::kNone) {
        return Verdict{error, fmt::format("topic '{}'", name)};
      }
      for (const auto& partition : topic.partitions) partitions.push_back({name, partition.partition_index});
    }
    return Verdict();
  });
  if (!missing.empty()) {
    throw user_error(4002, "Kafka at {} has no topic {}; create it, or name another",
                     impl_->properties.bootstrap_servers(), missing);
  }
  std::sort(partitions.begin(), partitions.end());
  return partitions;
}

PartitionOffsets Admin::earliest_offsets(std::span<const TopicPartition> partitions) {
  return impl_->list_offsets(partitions, ListOffsetsQuestion::kEarliest);
}

PartitionOffsets Admin::end_offsets(std::span<const TopicPartition> partitions) {
  return impl_->list_offsets(partitions, ListOffsetsQuestion::kLatest);
}

PartitionOffsets Admin::offsets_for_time(std::span<const TopicPartition> partitions, int64_t timestamp_ms) {
  const PartitionOffsets ends = end_offsets(partitions);
  PartitionOffsets found = impl_->list_offsets(partitions, std::max<int64_t>(timestamp_ms, 0));
  for (auto& [tp, offset] : found) {
    if (offset < 0) offset = ends.at(tp);
  }
  return found;
}

PartitionOffsets Admin::committed_offsets(std::span<const TopicPartition> partitions) {
  const std::string group = impl_->properties.group_id();
  if (partitions.empty() || group.empty()) return {};
  OffsetFetchQuestion question(group, set_of(partitions), reads_committed(impl_->properties), impl_->settings(),
                               impl_->clock.steady_ns());
  impl_->ask(question);
  return question.offsets();
}

void Admin::create_topics(std::span<const NewTopic> topics) {
  CreateTopicsRequest request;
  for (const NewTopic& topic : topics) {
    auto& one = request.topics.emplace_back();
    one.name = topic.name;
    one.num_partitions = topic.num_partitions;
    one.replication_factor = topic.replication_factor;
    for (const auto& [name, value] : topic.configs) one.configs.push_back({name, value});
  }
  impl_->ask_broker("creating topics", BrokerQuestion::Whom::kController, std::move(request),
                    [](const CreateTopicsResponse& response) {
                      for (const auto& topic : response.topics) {
                        if (topic.error_code == 0) continue;
                        return Verdict{kafka_error(topic.error_code), about_topic(topic.name, topic.error_message)};
                      }
                      return Verdict();
                    });
}

void Admin::delete_topics(std::span<const std::string> topics) {
  DeleteTopicsRequest request;
  request.timeout_ms = CreateTopicsRequest().timeout_ms;
  for (const std::string& name : topics) {
    request.topics.emplace_back().name = name;
    request.topic_names.push_back(name);
  }
  // A topic that the controller does not know is a mistake here, not something to wait for.
  impl_->ask_broker("deleting topics", BrokerQuestion::Whom::kController, std::move(request),
                    [](const DeleteTopicsResponse& response) {
                      for (const auto& topic : response.responses) {
                        if (topic.error_code == 0) continue;
                        const KafkaError error = kafka_error(topic.error_code);
                        return Verdict{error, about_topic(topic.name.value_or(""), topic.error_message),
                                       error == KafkaError::kUnknownTopicOrPartition};
                      }
                      return Verdict();
                    });
}

std::map<std::string, std::string> Admin::topic_configs(const std::string& topic) {
  constexpr int8_t kTopicResource = 2;
  DescribeConfigsRequest request;
  auto& resource = request.resources.emplace_back();
  resource.resource_type = kTopicResource;
  resource.resource_name = topic;
  std::map<std::string, std::string> configs;
  impl_->ask_broker("describing configurations", BrokerQuestion::Whom::kAnyBroker, std::move(request),
                    [&](const DescribeConfigsResponse& response) {
                      for (const auto& result : response.results) {
                        if (result.error_code != 0) {
                          return Verdict{kafka_error(result.error_code), about_topic(topic, result.error_message)};
                        }
                        for (const auto& config : result.configs) {
                          if (config.value) configs[config.name] = *config.value;
                        }
                      }
                      return Verdict();
                    });
  return configs;
}

ClusterDescription Admin::describe_cluster() {
  ClusterDescription cluster;
  impl_->ask_broker("describing the cluster", BrokerQuestion::Whom::kAnyBroker, DescribeClusterRequest(),
                    [&](const DescribeClusterResponse& response) {
                      cluster.id = response.cluster_id;
                      cluster.controller = response.controller_id;
                      for (const auto& broker : response.brokers) {
                        cluster.brokers[broker.broker_id] = {broker.host, broker.port, broker.rack.value_or("")};
                      }
                      return Verdict{kafka_error(response.error_code), response.error_message.value_or("")};
                    });
  return cluster;
}

}  // namespace yeoul
