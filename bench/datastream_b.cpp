// Job b of the benchmarks, JSON to JSON, with Yeoul's C++ DataStream API.
// usage: bench_datastream BOOTSTRAP TOPIC OUT_TOPIC
#include <cstdio>

#include "peers/page_view.h"
#include "yeoul/connectors/kafka/kafka_sink.h"
#include "yeoul/connectors/kafka/kafka_source.h"
#include "yeoul/datastream/datastream.h"

namespace {

struct PageView {
  std::string user_id;
  std::string page_id;
  int64_t viewtime = 0;
  std::string user_region;
};

/// Each subtask has a copy, with a parser of its own.
struct PageViewSchema {
  PageViewSchema() = default;
  PageViewSchema(const PageViewSchema&) {}

  PageView deserialize(std::string_view message) const {
    const peer::PageView& view =
        parser.parse(message.data(), message.size(), message.size() + simdjson::SIMDJSON_PADDING);
    return {std::string(view.user_id), std::string(view.page_id), timestamp.parse(view.viewtime),
            std::string(view.user_region)};
  }
  std::string_view serialize(const PageView& view) const {
    return writer.page_view(view.user_id, view.page_id, view.viewtime, view.user_region);
  }

  mutable peer::Parser parser;
  mutable peer::Timestamp timestamp;
  mutable peer::Writer writer;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bench_datastream BOOTSTRAP TOPIC OUT_TOPIC\n");
    return 1;
  }
  try {
    auto source = yeoul::KafkaSource<PageView>::builder();
    source.set_bootstrap_servers(argv[1])
        .set_topics(argv[2])
        .set_group_id("bench")
        .set_starting_offsets(yeoul::KafkaOffsetsInitializer::earliest())
        .set_bounded(yeoul::KafkaOffsetsInitializer::latest())
        .set_value_only_deserializer(PageViewSchema());
    const auto sink = yeoul::KafkaSink<PageView>::builder()
                          .set_bootstrap_servers(argv[1])
                          .set_record_serializer(yeoul::KafkaRecordSerializationSchema<PageView>::builder()
                                                     .set_topic(argv[3])
                                                     .set_value_serialization_schema(PageViewSchema())
                                                     .build())
                          .set_delivery_guarantee(yeoul::DeliveryGuarantee::kAtLeastOnce)
                          .build();
    auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
    env.from_source(source.build(),
                    yeoul::WatermarkStrategy::for_bounded_out_of_orderness(std::chrono::seconds(2))
                        .with_timestamp_assigner([](const PageView& view, int64_t) { return view.viewtime; }),
                    "pageviews")
        .sink_to(sink);
    env.execute();
  } catch (const yeoul::Error& error) {
    std::fprintf(stderr, "%s\n", error.to_string().c_str());
    return 1;
  }
  return 0;
}
