// kafka/client's Admin against a real broker, for tests/broker/admin_test.py.
// usage: admin_probe BOOTSTRAP topics
//        admin_probe BOOTSTRAP partitions|delete|configs|earliest|latest TOPIC
//        admin_probe BOOTSTRAP create TOPIC PARTITIONS REPLICAS [name=value]...
//        admin_probe BOOTSTRAP time TOPIC TIMESTAMP
//        admin_probe BOOTSTRAP committed TOPIC GROUP
//        admin_probe BOOTSTRAP cluster
// A line for each topic, partition (number, offset), setting (name, value) or broker, with tabs between.

#include <iostream>
#include <string>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/kafka/client/admin.h"

namespace {

using namespace yeoul;

void print(const PartitionOffsets& offsets) {
  for (const auto& [partition, offset] : offsets) std::cout << partition.partition << '\t' << offset << '\n';
}

void create(Admin& admin, const std::vector<std::string>& arguments) {
  NewTopic topic;
  topic.name = arguments.at(2);
  topic.num_partitions = std::stoi(arguments.at(3));
  topic.replication_factor = static_cast<int16_t>(std::stoi(arguments.at(4)));
  for (size_t i = 5; i < arguments.size(); ++i) {
    const size_t equals = arguments[i].find('=');
    topic.configs[arguments[i].substr(0, equals)] = arguments[i].substr(equals + 1);
  }
  admin.create_topics(std::vector{topic});
}

void describe_cluster(Admin& admin) {
  const ClusterDescription cluster = admin.describe_cluster();
  std::cout << cluster.id << '\n';
  for (const auto& [id, broker] : cluster.brokers) {
    std::cout << id << '\t' << broker.host << ':' << broker.port << (id == cluster.controller ? "\tcontroller" : "")
              << '\n';
  }
}

void ask(const std::vector<std::string>& arguments) {
  ClientProperties properties("admin_probe", ClientRole::kAdmin,
                              {{"bootstrap.servers", arguments.at(0)}, {"default.api.timeout.ms", "20000"}});
  const std::string& question = arguments.at(1);
  if (question == "committed") properties.set_group_id(arguments.at(3));
  Admin admin(properties);
  if (question == "topics") {
    for (const std::string& topic : admin.list_topics()) std::cout << topic << '\n';
    return;
  }
  if (question == "cluster") return describe_cluster(admin);
  if (question == "create") return create(admin, arguments);
  const std::vector<std::string> topics{arguments.at(2)};
  if (question == "delete") return admin.delete_topics(topics);
  if (question == "configs") {
    for (const auto& [name, value] : admin.topic_configs(topics[0])) std::cout << name << '\t' << value << '\n';
    return;
  }
  const std::vector<TopicPartition> partitions = admin.partitions_of(topics);
  if (question == "partitions") {
    for (const TopicPartition& partition : partitions) std::cout << partition.partition << '\n';
  } else if (question == "earliest") {
    print(admin.earliest_offsets(partitions));
  } else if (question == "latest") {
    print(admin.end_offsets(partitions));
  } else if (question == "time") {
    print(admin.offsets_for_time(partitions, std::stoll(arguments.at(3))));
  } else {
    print(admin.committed_offsets(partitions));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    ask({argv + 1, argv + argc});
    return 0;
  } catch (const yeoul::Error& error) {
    std::cerr << error.to_string() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "admin_probe: " << error.what() << '\n';
  }
  return 1;
}
