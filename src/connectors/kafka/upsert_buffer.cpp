#include "yeoul/connectors/kafka/upsert_buffer.h"

namespace yeoul {

void UpsertBuffer::add(std::span<const ProducedRecord> records, std::span<const uint32_t> topics) {
  for (size_t i = 0; i < records.size(); ++i) {
    const ProducedRecord& record = records[i];
    const uint32_t topic = topics.empty() ? 0 : topics[i];
    // Topics are told apart by a number in front, which no two of them share.
    std::string key = std::to_string(topic) + ":";
    key.append(record.key);
    Change*& change = by_key_[std::move(key)];
    if (change == nullptr) {
      change = &changes_.emplace_back();
      change->key = record.key;
      change->topic = topic;
    }
    change->value = record.value;
    change->tombstone = record.value.data() == nullptr;
    change->timestamp_ms = record.timestamp_ms;
    change->headers.clear();
    change->header_bytes.clear();
    for (const auto& [name, value] : record.headers) {
      const std::string_view kept_name = change->header_bytes.emplace_back(name);
      const std::string_view kept_value =
          value.data() == nullptr ? std::string_view() : std::string_view(change->header_bytes.emplace_back(value));
      change->headers.emplace_back(kept_name, kept_value);
    }
  }
}

std::vector<ProducedRecord> UpsertBuffer::records() const {
  std::vector<ProducedRecord> records;
  records.reserve(changes_.size());
  for (const Change& change : changes_) {
    records.push_back({change.key, change.tombstone ? std::string_view() : std::string_view(change.value),
                       change.timestamp_ms, change.headers});
  }
  return records;
}

std::vector<uint32_t> UpsertBuffer::topics() const {
  std::vector<uint32_t> topics;
  topics.reserve(changes_.size());
  for (const Change& change : changes_) topics.push_back(change.topic);
  return topics;
}

void UpsertBuffer::clear() {
  changes_.clear();
  by_key_.clear();
}

}  // namespace yeoul
