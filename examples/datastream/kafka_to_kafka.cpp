// Reads orders from one Kafka topic and writes the total of each customer to another.
//
// What it shows: sources and sinks outside of the program, and checkpoints: after a crash the program goes on from the
// last one when it is started with the same arguments and --restore.
//
//     example_kafka_to_kafka localhost:9092 orders totals [--until-now | --restore]
//
// Orders are lines such as `ana,20`; totals are written with the customer as key.

#include <charconv>
#include <cstdio>
#include <set>

#include "yeoul/connectors/kafka/kafka_sink.h"
#include "yeoul/connectors/kafka/kafka_source.h"
#include "yeoul/datastream/datastream.h"

namespace {

struct Order {
  std::string customer;
  int64_t amount = 0;

  // State needs to know how to store a type, so this is required here.
  static constexpr auto fields() {
    return yeoul::describe("Order", 1, yeoul::field("customer", &Order::customer),
                           yeoul::field("amount", &Order::amount));
  }
};

// How bytes become records. One that cannot be read stops the job here, with an error that tells its topic, partition
// and offset. A schema may instead return a std::optional, where nothing means: leave the record out.
struct OrderSchema {
  Order deserialize(std::string_view line) const {
    const size_t comma = line.find(',');
    Order order;
    if (comma != std::string_view::npos) {
      order.customer = line.substr(0, comma);
      const auto [end, error] = std::from_chars(line.data() + comma + 1, line.data() + line.size(), order.amount);
      if (error == std::errc() && end == line.data() + line.size()) return order;
    }
    throw std::invalid_argument("'" + std::string(line) + "' is no order: it should look like ana,20");
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::set<std::string> flags(argv + std::min(argc, 4), argv + argc);
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s <bootstrap servers> <topic to read> <topic to write> [--until-now | --restore]\n",
                 argv[0]);
    return 2;
  }
  try {
    auto source = yeoul::KafkaSource<Order>::builder();
    source.set_bootstrap_servers(argv[1])
        .set_topics(argv[2])
        .set_group_id("order-totals")
        .set_starting_offsets(yeoul::KafkaOffsetsInitializer::earliest())
        .set_value_only_deserializer(OrderSchema());
    // Without it the program runs until it is stopped, as streaming programs do. Partitions of a checkpoint keep the
    // end they had there, so it goes with a fresh start only.
    if (flags.contains("--until-now")) source.set_bounded(yeoul::KafkaOffsetsInitializer::latest());

    const auto sink =
        yeoul::KafkaSink<Order>::builder()
            .set_bootstrap_servers(argv[1])
            .set_record_serializer(
                yeoul::KafkaRecordSerializationSchema<Order>::builder()
                    .set_topic(argv[3])
                    .set_key_serialization_schema([](const Order& total) { return total.customer; })
                    .set_value_serialization_schema([](const Order& total) { return std::to_string(total.amount); })
                    .build())
            // Nothing is lost in a crash, but what was written after the last checkpoint may be written again: harmless
            // here, as a later total of a customer replaces an earlier one.
            .set_delivery_guarantee(yeoul::DeliveryGuarantee::kAtLeastOnce)
            .build();

    auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
    env.enable_checkpointing(std::chrono::seconds(1));
    env.config().name = "order-totals";
    if (flags.contains("--restore")) {
      const auto& config = env.config();
      env.config().restore_path =
          yeoul::find_latest_checkpoint(*env.world().files, config.checkpoint_directory, config.name).value_or("");
    }

    env.from_source(source.build(), yeoul::WatermarkStrategy::no_watermarks(), "orders")
        .uid("orders")
        .key_by([](const Order& order) { return order.customer; })
        .reduce([](const Order& sum, const Order& next) {
          return Order{sum.customer, sum.amount + next.amount};
        })
        .uid("totals")
        .sink_to(sink)
        .uid("sink");
    env.execute();
  } catch (const yeoul::Error& error) {
    std::fprintf(stderr, "%s\n", error.to_string().c_str());
    return 1;
  }
}
