#include "yeoul/connectors/kafka/record_encoder.h"

#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/types/text.h"

namespace yeoul {
namespace {

bool deletes(RowKind kind) {
  return kind == RowKind::kDelete || kind == RowKind::kUpdateBefore;
}

}  // namespace

RecordEncoder::RecordEncoder(std::shared_ptr<const KafkaSinkConfig> config)
    : config_(std::move(config)), value_encoder_(config_->value_format->create_encoder(config_->value_schema)) {
  if (config_->key_format) key_encoder_ = config_->key_format->create_encoder(config_->key_schema);
}

bool RecordEncoder::encode(const BatchPtr& base_batch, SinkTopics& topics) {
  (void)topics;  // those of the table's options are all there are
  const auto batch = std::static_pointer_cast<const RowBatch>(base_batch);
  kept_ = config_->upsert ? without_overwritten(batch) : batch;
  records_.assign(kept_->num_rows, {});
  encode_values(kept_);
  if (key_encoder_) {
    keys_.clear();
    key_encoder_->encode(*kept_, config_->key_columns, keys_);
    for (size_t i = 0; i < records_.size(); ++i) records_[i].key = keys_[i];
  }
  add_metadata(*kept_);
  if (config_->topic_column) pick_topics(*kept_);
  return true;
}

/// The batch without each -U whose +U comes next, since that overwrites it. A -U that stands alone, because a filter
/// kept the row's old version only, deletes.
RowBatchPtr RecordEncoder::without_overwritten(const RowBatchPtr& batch) {
  const auto& kinds = batch->kinds;
  if (std::find(kinds.begin(), kinds.end(), RowKind::kUpdateBefore) == kinds.end()) return batch;
  keys_.clear();
  key_encoder_->encode(*batch, config_->key_columns, keys_);
  Selection kept;
  for (uint32_t row = 0; row < batch->num_rows; ++row) {
    const bool overwritten = kinds[row] == RowKind::kUpdateBefore && row + 1 < batch->num_rows &&
                             kinds[row + 1] == RowKind::kUpdateAfter && keys_[row] == keys_[row + 1];
    if (!overwritten) kept.push_back(row);
  }
  return take(*batch, kept);
}

/// Values of all rows; deletes of an upsert sink keep their null value.
void RecordEncoder::encode_values(const RowBatchPtr& batch) {
  values_.clear();
  const bool has_deletes = config_->upsert && std::any_of(batch->kinds.begin(), batch->kinds.end(), deletes);
  if (!has_deletes) {
    value_encoder_->encode(*batch, config_->value_columns, values_);
    for (size_t i = 0; i < records_.size(); ++i) records_[i].value = values_[i];
    return;
  }
  Selection written;
  for (uint32_t row = 0; row < batch->num_rows; ++row) {
    if (!deletes(batch->kinds[row])) written.push_back(row);
  }
  value_encoder_->encode(*take(*batch, written), config_->value_columns, values_);
  for (size_t i = 0; i < written.size(); ++i) records_[written[i]].value = values_[i];
}

void RecordEncoder::add_metadata(const RowBatch& batch) {
  if (config_->timestamp_column) {
    const Column& column = *batch.columns[static_cast<size_t>(*config_->timestamp_column)];
    const auto* millis = column.values<int64_t>();
    for (size_t i = 0; i < records_.size(); ++i) {
      if (column.is_null(i)) continue;
      if (millis[i] < 0) refuse_timestamp(column, i, millis[i]);
      records_[i].timestamp_ms = millis[i];
    }
  }
  if (config_->headers_column) add_headers(batch);
}

/// Kafka has no times before 1970.
void RecordEncoder::refuse_timestamp(const Column& column, size_t row, int64_t millis) const {
  std::string text;
  append_timestamp_text(column.timestamp_at(row), 3, text);
  throw user_error(3202,
                   "{}: metadata column 'timestamp' is {} UTC ({} ms since 1970), and Kafka takes no timestamp before "
                   "1970; write a later time, or NULL for the time of sending",
                   config_->owner(), text, millis);
}

void RecordEncoder::add_headers(const RowBatch& batch) {
  const Column& column = *batch.columns[static_cast<size_t>(*config_->headers_column)];
  const Column& names = column.child(0);
  const Column& values = column.child(1);
  const int32_t* offsets = column.offsets();
  headers_.clear();
  headers_.reserve(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    if (names.is_null(i)) {
      throw user_error(3202,
                       "{}: metadata column 'headers' has an entry whose name is NULL; a Kafka header needs a name: "
                       "leave such entries out of the map",
                       config_->owner());
    }
    headers_.emplace_back(names.string_at(i), values.is_valid(i) ? values.string_at(i) : std::string_view());
  }
  for (size_t i = 0; i < records_.size(); ++i) {
    if (column.is_null(i)) continue;
    records_[i].headers =
        std::span(headers_).subspan(static_cast<size_t>(offsets[i]), static_cast<size_t>(offsets[i + 1] - offsets[i]));
  }
}

void RecordEncoder::pick_topics(const RowBatch& batch) {
  const Column& column = *batch.columns[static_cast<size_t>(*config_->topic_column)];
  const std::vector<std::string>& known = config_->topics;
  topics_.resize(records_.size());
  for (size_t i = 0; i < records_.size(); ++i) {
    const std::string_view name = column.is_valid(i) ? column.string_at(i) : std::string_view("NULL");
    const auto it = std::find(known.begin(), known.end(), name);
    if (it == known.end() || column.is_null(i)) {
      std::string allowed;
      for (const std::string& topic : known) allowed += (allowed.empty() ? "'" : ", '") + topic + "'";
      throw user_error(3202, "{}: metadata column 'topic' is '{}', which is none of the topics of option 'topic': {}",
                       config_->owner(), name, allowed);
    }
    topics_[i] = static_cast<uint32_t>(it - known.begin());
  }
}

}  // namespace yeoul
