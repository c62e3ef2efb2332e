// Job b of the benchmarks, JSON to JSON, with Yeoul's C++ DataStream API.
// usage: bench_datastream BOOTSTRAP TOPIC OUT_TOPIC
#include <cstdio>

#include "yeoul/connectors/kafka/kafka_sink.h"
#include "yeoul/connectors/kafka/kafka_source.h"
#include "yeoul/datastream/datastream.h"
#include "yeoul/datastream/json_schema.h"

namespace {

struct PageView {
  std::string user_id;
  std::string page_id;
  yeoul::TimestampValue viewtime;
  std::string user_region;

  static constexpr auto fields() {
    return yeoul::describe("PageView", 1, yeoul::field("user_id", &PageView::user_id),
                           yeoul::field("page_id", &PageView::page_id), yeoul::field("viewtime", &PageView::viewtime),
                           yeoul::field("user_region", &PageView::user_region));
  }
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
        .set_value_only_deserializer(yeoul::JsonDeserializationSchema<PageView>());
    const auto sink =
        yeoul::KafkaSink<PageView>::builder()
            .set_bootstrap_servers(argv[1])
            .set_record_serializer(yeoul::KafkaRecordSerializationSchema<PageView>::builder()
                                       .set_topic(argv[3])
                                       .set_value_serialization_schema(yeoul::JsonSerializationSchema<PageView>())
                                       .build())
            .set_delivery_guarantee(yeoul::DeliveryGuarantee::kAtLeastOnce)
            .build();
    auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
    env.from_source(source.build(),
                    yeoul::WatermarkStrategy::for_bounded_out_of_orderness(std::chrono::seconds(2))
                        .with_timestamp_assigner([](const PageView& view, int64_t) { return view.viewtime.millis; }),
                    "pageviews")
        .sink_to(sink);
    env.execute();
  } catch (const yeoul::Error& error) {
    std::fprintf(stderr, "%s\n", error.to_string().c_str());
    return 1;
  }
  return 0;
}
