#include "yeoul/formats/api/format.h"

#include "yeoul/common/registry.h"

namespace yeoul {

const FormatFactory& FormatRegistry::find(std::string_view identifier) const {
  static constexpr std::string_view kToCome[] = {
      "avro",         "avro-confluent", "canal-json", "csv",     "debezium-avro-confluent",
      "maxwell-json", "ogg-json",       "orc",        "parquet", "protobuf"};
  return find_registered(factories_, 2020, "format", identifier, kToCome);
}

}  // namespace yeoul
