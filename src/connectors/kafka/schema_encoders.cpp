#include "yeoul/connectors/kafka/schema_encoders.h"

namespace yeoul {

void OwnRecords::clear() {
  owned_.clear();
  topics_.clear();
  partitions_.clear();
}

void OwnRecords::add(KafkaProducerRecord record, SinkTopics& topics) {
  topics_.push_back(topics.index_of(record.topic));
  partitions_.push_back(record.partition.value_or(KafkaEncoder::kWriterChooses));
  owned_.push_back(std::move(record));
}

void OwnRecords::finish() {
  headers_.clear();
  for (const KafkaProducerRecord& record : owned_) {
    for (const auto& [name, value] : record.headers) {
      headers_.emplace_back(name, value ? std::string_view(*value) : std::string_view());
    }
  }
  records_.assign(owned_.size(), {});
  size_t header = 0;
  for (size_t i = 0; i < owned_.size(); ++i) {
    const KafkaProducerRecord& record = owned_[i];
    if (record.key) records_[i].key = *record.key;
    if (record.value) records_[i].value = *record.value;
    records_[i].timestamp_ms = std::max<int64_t>(record.timestamp_ms.value_or(-1), -1);
    records_[i].headers = std::span(headers_).subspan(header, record.headers.size());
    header += record.headers.size();
  }
}

}  // namespace yeoul
