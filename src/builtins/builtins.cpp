#include "yeoul/builtins/builtins.h"

#include "yeoul/connectors/blackhole/blackhole.h"
#include "yeoul/connectors/datagen/datagen.h"
#include "yeoul/connectors/filesystem/filesystem.h"
#include "yeoul/connectors/kafka/kafka_table_factory.h"
#include "yeoul/connectors/print/print.h"
#include "yeoul/formats/debezium_json/debezium_json_format.h"
#include "yeoul/formats/json/json_format.h"
#include "yeoul/formats/raw/raw_format.h"
#include "yeoul/state/hashmap/hashmap_backend.h"

namespace yeoul {

void register_connectors(ConnectorRegistry& registry) {
  registry.add(make_blackhole_connector());
  registry.add(make_datagen_connector());
  registry.add(make_filesystem_connector());
  registry.add(std::make_unique<KafkaTableFactory>());
  registry.add(make_print_connector());
  registry.add(std::make_unique<UpsertKafkaTableFactory>());
}

void register_formats(FormatRegistry& registry) {
  registry.add(make_debezium_json_format());
  registry.add(make_json_format());
  registry.add(make_raw_format());
}

void register_state_backends(std::map<std::string, std::unique_ptr<StateBackendFactory>, std::less<>>& registry) {
  auto hashmap = std::make_unique<HashMapBackendFactory>();
  std::string name(hashmap->identifier());
  registry.emplace(std::move(name), std::move(hashmap));
}

}  // namespace yeoul
