// Programs of the DataStream API against a real broker, for tests/broker/datastream_test.py.
// usage: datastream_probe BOOTSTRAP PROGRAM [ARGUMENT]...
//   selector PREFIX ELEMENT...      "a:1" goes to topic PREFIX + "a" with key "a" and value "1"
//   fixed TOPIC PARALLELISM         each subtask writes its number, through FlinkFixedPartitioner
//   partition TOPIC NUMBER...       NUMBER goes to partition NUMBER
//   own PREFIX ELEMENT...           a serialization schema of the program's own: headers, the topic's last partition
//   longs TOPIC NUMBER...           by Kafka's LongSerializer
//   read-longs TOPIC                by Kafka's LongDeserializer, to the end there is; prints lines
//   read TOPIC...                   whole records of several topics, to the end there is
//   read-partitions TOPIC:NUMBER... the values of these partitions alone

#include <cstdio>
#include <string>
#include <vector>

#include "yeoul/connectors/kafka/kafka_sink.h"
#include "yeoul/connectors/kafka/kafka_source.h"
#include "yeoul/datastream/datastream.h"
#include "yeoul/datastream/json_schema.h"

namespace {

using namespace yeoul;

using Arguments = std::vector<std::string>;
using Strings = KafkaRecordSerializationSchema<std::string>;

std::string letter(const std::string& element) {
  return element.substr(0, 1);
}

template <class T, class Schema>
std::shared_ptr<const KafkaSink<T>> sink_of(const std::string& bootstrap, Schema schema) {
  return KafkaSink<T>::builder()
      .set_bootstrap_servers(bootstrap)
      .set_record_serializer(std::move(schema))
      .set_delivery_guarantee(DeliveryGuarantee::kAtLeastOnce)
      .build();
}

template <class T, class Schema>
void write(const std::string& bootstrap, std::vector<T> values, Schema schema) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.enable_checkpointing(std::chrono::milliseconds(50));
  env.from_collection(std::move(values)).sink_to(sink_of<T>(bootstrap, std::move(schema)));
  env.execute();
}

void selector(const std::string& bootstrap, const Arguments& arguments) {
  const auto schema =
      Strings::builder()
          .set_topic_selector([prefix = arguments[0]](const std::string& e) { return prefix + letter(e); })
          .set_key_serialization_schema(letter)
          .set_value_serialization_schema([](const std::string& e) { return e.substr(2); })
          .build();
  write<std::string>(bootstrap, {arguments.begin() + 1, arguments.end()}, schema);
}

/// The number of the subtask it runs in.
class Subtask {
 public:
  void open(RuntimeContext& context) { number_ = std::to_string(context.get_index_of_this_subtask()); }
  std::string map(int64_t) { return number_; }

 private:
  std::string number_;
};

void fixed(const std::string& bootstrap, const Arguments& arguments) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(std::stoi(arguments[1]));
  env.from_sequence(1, 100).map(Subtask()).sink_to(
      sink_of<std::string>(bootstrap, Strings::builder()
                                          .set_topic(arguments[0])
                                          .set_value_serialization_schema(SimpleStringSchema())
                                          .set_partitioner(FlinkFixedPartitioner())
                                          .build()));
  env.execute();
}

void partition(const std::string& bootstrap, const Arguments& arguments) {
  const auto schema = Strings::builder()
                          .set_topic(arguments[0])
                          .set_value_serialization_schema(SimpleStringSchema())
                          .set_partitioner([](const std::string& number, std::string_view, std::string_view,
                                              std::string_view, std::span<const int32_t>) { return std::stoi(number); })
                          .build();
  write<std::string>(bootstrap, {arguments.begin() + 1, arguments.end()}, schema);
}

class OwnSchema {
 public:
  explicit OwnSchema(std::string prefix) : prefix_(std::move(prefix)) {}

  std::optional<KafkaProducerRecord> serialize(const std::string& element, KafkaSinkContext& context, int64_t) {
    if (element == "skip") return std::nullopt;
    KafkaProducerRecord record{.topic = prefix_ + letter(element), .key = element, .timestamp_ms = 1'700'000'000'000};
    if (element.size() > 1) record.value = element.substr(1);
    const std::span<const int32_t> partitions = context.get_partitions_for_topic(record.topic);
    if (!partitions.empty()) record.partition = partitions.back();
    record.headers = {{"of", std::to_string(partitions.size())}, {"null", std::nullopt}};
    return record;
  }

 private:
  std::string prefix_;
};

void own(const std::string& bootstrap, const Arguments& arguments) {
  write<std::string>(bootstrap, {arguments.begin() + 1, arguments.end()}, OwnSchema(arguments[0]));
}

void longs(const std::string& bootstrap, const Arguments& arguments) {
  std::vector<int64_t> numbers;
  for (size_t i = 1; i < arguments.size(); ++i) numbers.push_back(std::stoll(arguments[i]));
  write<int64_t>(bootstrap, numbers,
                 KafkaRecordSerializationSchema<int64_t>::builder()
                     .set_topic(arguments[0])
                     .set_kafka_value_serializer("org.apache.kafka.common.serialization.LongSerializer")
                     .set_kafka_key_serializer("org.apache.kafka.common.serialization.VoidSerializer")
                     .build());
}

template <class T>
void print(KafkaSourceBuilder<T> builder, const std::string& bootstrap) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  const auto source = builder.set_bootstrap_servers(bootstrap)
                          .set_starting_offsets(KafkaOffsetsInitializer::earliest())
                          .set_bounded(KafkaOffsetsInitializer::latest())
                          .build();
  env.from_source(source, WatermarkStrategy::no_watermarks(), "in").print();
  env.execute();
}

void read_longs(const std::string& bootstrap, const Arguments& arguments) {
  auto builder = KafkaSource<int64_t>::builder();
  builder.set_topics(arguments[0])
      .set_deserializer(KafkaRecordDeserializationSchema<int64_t>::value_only("LongDeserializer"));
  print(builder, bootstrap);
}

/// "topic/partition@offset key value header=value …".
struct WholeRecords {
  void deserialize(const KafkaConsumerRecord& record, std::vector<std::string>& out) const {
    std::string line = fmt::format("{}/{}@{} {} {}", record.topic, record.partition, record.offset,
                                   record.key.value_or("null"), record.value.value_or("null"));
    for (const FetchedHeader& header : record.headers) line += fmt::format(" {}", header.name);
    out.push_back(std::move(line));
  }
};

void read(const std::string& bootstrap, const Arguments& arguments) {
  auto builder = KafkaSource<std::string>::builder();
  print(builder.set_topics(arguments).set_deserializer(WholeRecords()), bootstrap);
}

void read_partitions(const std::string& bootstrap, const Arguments& arguments) {
  std::set<KafkaTopicPartition> partitions;
  for (const std::string& argument : arguments) {
    const size_t colon = argument.find(':');
    partitions.insert({argument.substr(0, colon), std::stoi(argument.substr(colon + 1))});
  }
  auto builder = KafkaSource<std::string>::builder();
  print(builder.set_partitions(partitions).set_value_only_deserializer(SimpleStringSchema()), bootstrap);
}

struct Fare {
  std::string city;
  std::optional<double> price;
  TimestampValue at;
  static constexpr auto fields() {
    return describe("Fare", 1, field("city", &Fare::city), field("price", &Fare::price), field("at", &Fare::at));
  }
};

/// From topic to topic as JSON, twice the price; two subtasks, each with schemas of its own.
void json(const std::string& bootstrap, const Arguments& arguments) {
  auto source = KafkaSource<Fare>::builder();
  source.set_bootstrap_servers(bootstrap)
      .set_topics(arguments[0])
      .set_starting_offsets(KafkaOffsetsInitializer::earliest())
      .set_bounded(KafkaOffsetsInitializer::latest())
      .set_value_only_deserializer(JsonDeserializationSchema<Fare>({.ignore_parse_errors = arguments.size() > 2}));
  const auto sink = KafkaSink<Fare>::builder()
                        .set_bootstrap_servers(bootstrap)
                        .set_delivery_guarantee(DeliveryGuarantee::kAtLeastOnce)
                        .set_record_serializer(KafkaRecordSerializationSchema<Fare>::builder()
                                                   .set_topic(arguments[1])
                                                   .set_value_serialization_schema(JsonSerializationSchema<Fare>())
                                                   .build())
                        .build();
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(2);
  env.from_source(source.build(), WatermarkStrategy::no_watermarks(), "in")
      .map([](const Fare& fare) {
        return Fare{fare.city, fare.price ? std::optional(*fare.price * 2) : std::nullopt, fare.at};
      })
      .sink_to(sink);
  env.execute();
}

constexpr std::pair<std::string_view, void (*)(const std::string&, const Arguments&)> kPrograms[] = {
    {"selector", selector}, {"fixed", fixed},           {"partition", partition}, {"own", own},
    {"longs", longs},       {"read-longs", read_longs}, {"read", read},           {"read-partitions", read_partitions},
    {"json", json},
};

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argv + std::min(argc, 3), argv + argc);
  try {
    for (const auto& [name, program] : kPrograms) {
      if (argc < 4 || name != argv[2]) continue;
      program(argv[1], arguments);
      return 0;
    }
  } catch (const yeoul::Error& error) {
    std::fprintf(stderr, "%s\n", error.to_string().c_str());
    return 1;
  }
  std::fputs("usage: datastream_probe BOOTSTRAP PROGRAM ARGUMENT...\n", stderr);
  return 2;
}
