#include "yeoul/connectors/kafka/record_decoder.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"

namespace yeoul {
namespace {

static_assert(PaddedBuffer::kPadding >= Buffer::kPadding, "decoders parse in place");

struct MetadataKey {
  std::string_view name;
  KafkaMetadata key;
};
constexpr MetadataKey kMetadataKeys[] = {
    {"topic", KafkaMetadata::kTopic},
    {"partition", KafkaMetadata::kPartition},
    {"headers", KafkaMetadata::kHeaders},
    {"leader-epoch", KafkaMetadata::kLeaderEpoch},
    {"offset", KafkaMetadata::kOffset},
    {"timestamp", KafkaMetadata::kTimestamp},
    {"timestamp-type", KafkaMetadata::kTimestampType},
};

LogicalType metadata_type(KafkaMetadata key) {
  switch (key) {
    case KafkaMetadata::kTopic:
    case KafkaMetadata::kTimestampType:
      return LogicalType::string().not_null();
    case KafkaMetadata::kPartition:
      return LogicalType::integer().not_null();
    case KafkaMetadata::kHeaders:
      return LogicalType::map(LogicalType::string(), LogicalType::bytes()).not_null();
    case KafkaMetadata::kLeaderEpoch:
      return LogicalType::integer();
    case KafkaMetadata::kOffset:
      return LogicalType::bigint().not_null();
    case KafkaMetadata::kTimestamp:
      return LogicalType::timestamp_ltz(3).not_null();
  }
  return LogicalType::null();
}

std::string_view timestamp_type_name(TimestampType type) {
  switch (type) {
    case TimestampType::kCreateTime:
      return "CreateTime";
    case TimestampType::kLogAppendTime:
      return "LogAppendTime";
    case TimestampType::kNone:
      break;
  }
  return "NoTimestampType";
}

/// Nothing but blanks, or an array without elements.
bool holds_nothing(std::string_view text) {
  std::string marks;
  for (const char c : text.substr(0, 64)) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') marks += c;
  }
  return marks.empty() || marks == "[]";
}

std::vector<ColumnBuilder> builders_of(const Schema& schema) {
  std::vector<ColumnBuilder> builders;
  builders.reserve(schema.size());
  for (const RowField& field : schema.fields()) builders.emplace_back(field.type);
  return builders;
}

}  // namespace

std::vector<MetadataColumn> kafka_metadata_columns(bool topic_writable) {
  std::vector<MetadataColumn> columns;
  for (const MetadataKey& key : kMetadataKeys) {
    const bool writable = key.key == KafkaMetadata::kHeaders || key.key == KafkaMetadata::kTimestamp ||
                          (key.key == KafkaMetadata::kTopic && topic_writable);
    columns.push_back({std::string(key.name), metadata_type(key.key), true, writable});
  }
  return columns;
}

std::optional<KafkaMetadata> kafka_metadata_of(std::string_view name) {
  for (const MetadataKey& key : kMetadataKeys) {
    if (key.name == name) return key.key;
  }
  return std::nullopt;
}

RecordDecoder::RecordDecoder(std::shared_ptr<const DecodingPlan> plan, SourceMetrics* metrics)
    : plan_(std::move(plan)),
      metrics_(metrics),
      value_decoder_(plan_->value_format->create_decoder(plan_->value_columns)) {
  values_.columns = builders_of(plan_->value_columns);
  if (plan_->key_format) {
    key_decoder_ = plan_->key_format->create_decoder(plan_->key_columns);
    keys_.columns = builders_of(plan_->key_columns);
    for (size_t i = 0; i < plan_->key_columns.size(); ++i) {
      checks_key_nulls_ = checks_key_nulls_ || (cannot_be_null(i) && !plan_->skip_bad_records);
    }
  }
  for (const KafkaMetadata key : plan_->metadata) metadata_.emplace_back(metadata_type(key));
}

RecordDecoder::~RecordDecoder() {
  std::string reasons;
  const auto add = [&](int64_t count, std::string_view what) {
    if (count != 0) reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, what);
  };
  add(num_without_value_, "without a value");
  add(num_empty_, "with an empty one");
  add(num_bad_, "that could not be decoded");
  if (!reasons.empty())
    log(LogLevel::kWarn, "kafka", "table '{}': records that gave no row: {}", plan_->table, reasons);
  if (num_bad_fields_ == 0) return;
  log(LogLevel::kWarn, "kafka", "table '{}': {} fields that could not be decoded became NULL", plan_->table,
      num_bad_fields_);
}

void RecordDecoder::fail(const FetchedBuffer& buffer, const FetchedRecord& record, const std::string& what) const {
  throw user_error(3001, "table '{}': kafka topic={} partition={} offset={}: {}", plan_->table, buffer.partition.topic,
                   buffer.partition.partition, record.offset, what);
}

void RecordDecoder::append(const FetchedBuffer& buffer, size_t first, size_t count) {
  const size_t first_row = num_rows();
  const size_t end = first + count;
  int64_t bytes = 0;
  for (size_t i = first; i < end; ++i) bytes += buffer.records()[i].value_size + buffer.records()[i].key_size;
  metrics_->records_in.add(static_cast<int64_t>(count));
  metrics_->bytes_in.add(bytes);
  num_bytes_ += static_cast<size_t>(bytes);
  if (!plan_->upsert) {
    append_values(buffer, first, count);
  } else {
    // Values and tombstones in turn, so that rows stay in the order of their records.
    for (size_t from = first; from < end;) {
      const bool tombstone = buffer.records()[from].value == nullptr;
      size_t to = from + 1;
      while (to < end && (buffer.records()[to].value == nullptr) == tombstone) ++to;
      if (tombstone) {
        append_tombstones(from, to - from);
      } else {
        append_values(buffer, from, to - from);
      }
      from = to;
    }
  }
  if (num_rows() == first_row) return;
  if (key_decoder_) append_keys(buffer, first_row);
  if (!metadata_.empty()) append_metadata(buffer, first_row);
}

void RecordDecoder::append_values(const FetchedBuffer& buffer, size_t first, size_t count) {
  messages_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const FetchedRecord& record = buffer.records()[first + i];
    messages_[i] = {record.value, record.value_size};
  }
  const size_t before = values_.num_rows();
  value_decoder_->decode(messages_, values_);
  size_t with_rows = 0;
  for (size_t row = before; row < values_.num_rows(); ++row) {
    const uint32_t message = values_.message_of_row[row];
    record_of_row_.push_back(static_cast<uint32_t>(first) + message);
    if (row == before || message != values_.message_of_row[row - 1]) ++with_rows;
  }
  if (plan_->upsert) kinds_.resize(num_rows(), RowKind::kUpdateAfter);
  if (with_rows + values_.errors.size() != count || values_.num_ignored != 0) {
    count_without_row(buffer, first, count, before);
  }
  if (values_.errors.empty()) return;
  record_of_message_.resize(count);
  for (size_t i = 0; i < count; ++i) record_of_message_[i] = static_cast<uint32_t>(first + i);
  count_and_check(buffer, values_, "value", record_of_message_);
}

/// Counts the records that gave no row though they are no errors, by reason. Rare.
void RecordDecoder::count_without_row(const FetchedBuffer& buffer, size_t first, size_t count, size_t first_row) {
  std::vector<bool> accounted(count);
  for (size_t row = first_row; row < values_.num_rows(); ++row) accounted[values_.message_of_row[row]] = true;
  for (const DecodeError& error : values_.errors) accounted[error.message] = true;
  auto ignored = static_cast<int64_t>(std::exchange(values_.num_ignored, 0));
  for (size_t i = 0; i < count; ++i) {
    if (accounted[i]) continue;
    const FetchedRecord& record = buffer.records()[first + i];
    if (record.value == nullptr) {
      ++num_without_value_;
    } else if (ignored == 0 || holds_nothing({record.value, record.value_size})) {
      ++num_empty_;
    } else {
      ++num_bad_;
      --ignored;
    }
    metrics_->records_skipped.add(1);
  }
  num_bad_fields_ += ignored;
}

void RecordDecoder::append_tombstones(size_t first, size_t count) {
  for (ColumnBuilder& column : values_.columns) {
    for (size_t i = 0; i < count; ++i) column.append_null();
  }
  for (size_t i = 0; i < count; ++i) {
    values_.message_of_row.push_back(0);
    record_of_row_.push_back(static_cast<uint32_t>(first + i));
  }
  kinds_.resize(num_rows(), RowKind::kDelete);
}

void RecordDecoder::count_and_check(const FetchedBuffer& buffer, DecodedRows& rows, std::string_view part,
                                    const std::vector<uint32_t>& record_of_message) {
  if (rows.errors.empty()) return;
  metrics_->errors.add(static_cast<int64_t>(rows.errors.size()));
  const DecodeError error = rows.errors.front();
  const FetchedRecord& record = buffer.records()[record_of_message[error.message]];
  const std::string what =
      fmt::format("{}{}: {}{}", part, error.field.empty() ? "" : fmt::format(" field '{}'", error.field), error.reason,
                  error.byte < 0 ? "" : fmt::format(" at byte {}", error.byte));
  if (!plan_->skip_bad_records) fail(buffer, record, what);
  metrics_->records_skipped.add(static_cast<int64_t>(rows.errors.size()));
  num_bad_ += static_cast<int64_t>(rows.errors.size());
  log(LogLevel::kWarn, "kafka", "table '{}': skipped kafka topic={} partition={} offset={}: {}", plan_->table,
      buffer.partition.topic, buffer.partition.partition, record.offset, what);
  rows.errors.clear();
}

void RecordDecoder::append_keys(const FetchedBuffer& buffer, size_t first_row) {
  removed_.clear();
  if (!append_keys_at_once(buffer, first_row)) {
    // Some keys gave no row: undo, and find out which.
    for (ColumnBuilder& column : keys_.columns) column.truncate(first_row);
    keys_.message_of_row.resize(first_row);
    keys_.errors.clear();
    keys_.num_ignored = 0;
    append_keys_one_by_one(buffer, first_row);
  }
  if (plan_->skip_bad_records) skip_null_keys(buffer, first_row);
  if (!removed_.empty()) remove_rows(removed_);
  if (!checks_key_nulls_) return;
  places_.emplace_back(first_row, buffer.partition);
  for (size_t row = first_row; row < num_rows(); ++row) {
    offset_of_row_.push_back(buffer.records()[record_of_row_[row]].offset);
  }
}

/// False when not every row got its key.
bool RecordDecoder::append_keys_at_once(const FetchedBuffer& buffer, size_t first_row) {
  const size_t count = num_rows() - first_row;
  messages_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const FetchedRecord& record = buffer.records()[record_of_row_[first_row + i]];
    if (record.key == nullptr) return false;
    messages_[i] = {record.key, record.key_size};
  }
  key_decoder_->decode(messages_, keys_);
  if (keys_.num_rows() != num_rows() || !keys_.errors.empty() || keys_.num_ignored != 0) return false;
  // A key of several rows beside one of none.
  for (size_t i = 0; i < count; ++i) {
    if (keys_.message_of_row[first_row + i] != i) return false;
  }
  return true;
}

void RecordDecoder::append_keys_one_by_one(const FetchedBuffer& buffer, size_t first_row) {
  for (size_t row = first_row; row < num_rows(); ++row) {
    const FetchedRecord& record = buffer.records()[record_of_row_[row]];
    if (record.key == nullptr) {
      append_null_key(buffer, row);
      continue;
    }
    messages_.assign(1, {record.key, record.key_size});
    key_decoder_->decode(messages_, keys_);
    if (keys_.num_rows() == row + 1) {
      num_bad_fields_ += static_cast<int64_t>(std::exchange(keys_.num_ignored, 0));
      continue;
    }
    const size_t key_rows = keys_.num_rows() - row;
    for (ColumnBuilder& column : keys_.columns) column.truncate(row);
    keys_.message_of_row.resize(row);
    if (key_rows == 0 && keys_.errors.empty() && keys_.num_ignored == 0) {
      append_null_key(buffer, row);  // an empty key
      continue;
    }
    if (key_rows != 0) {
      refuse_key(buffer, row, fmt::format("key: it gives {} rows, where one is needed", key_rows));
    } else if (!keys_.errors.empty()) {
      record_of_message_.assign(1, record_of_row_[row]);
      count_and_check(buffer, keys_, "key", record_of_message_);
    } else {
      metrics_->records_skipped.add(1);
      ++num_bad_;
    }
    keys_.num_ignored = 0;
    // The user lets bad keys be ignored: no row (KS-O27). Its cells stand until all keys are known.
    for (ColumnBuilder& column : keys_.columns) column.append_null();
    keys_.message_of_row.push_back(0);
    removed_.resize(num_rows());
    removed_[row] = true;
  }
}

/// A record whose key cannot be one fails the job, unless bad records are skipped: then it is counted and said.
void RecordDecoder::refuse_key(const FetchedBuffer& buffer, size_t row, const std::string& what) {
  const FetchedRecord& record = buffer.records()[record_of_row_[row]];
  metrics_->errors.add(1);
  if (!plan_->skip_bad_records) fail(buffer, record, what);
  metrics_->records_skipped.add(1);
  ++num_bad_;
  log(LogLevel::kWarn, "kafka", "table '{}': skipped kafka topic={} partition={} offset={}: {}", plan_->table,
      buffer.partition.topic, buffer.partition.partition, record.offset, what);
}

bool RecordDecoder::cannot_be_null(size_t key_column) const {
  return plan_->keys_are_output && (plan_->upsert || !plan_->key_columns[key_column].type.nullable());
}

/// Where bad records are skipped: takes away rows whose key is NULL where it cannot be. Slow, since only a finished
/// column shows its cells.
void RecordDecoder::skip_null_keys(const FetchedBuffer& buffer, size_t first_row) {
  for (size_t i = 0; i < keys_.columns.size(); ++i) {
    if (!cannot_be_null(i)) continue;
    const ColumnPtr whole = keys_.columns[i].finish();
    for (size_t row = 0; row < num_rows(); ++row) {
      keys_.columns[i].append_from(*whole, row);
      if (row < first_row || whole->is_valid(row) || (row < removed_.size() && removed_[row])) continue;
      refuse_key(buffer, row, null_key_text(i));
      removed_.resize(num_rows());
      removed_[row] = true;
    }
  }
}

std::string RecordDecoder::null_key_text(size_t key_column) const {
  return fmt::format("key field '{}' is null or missing, and the column cannot be NULL",
                     plan_->key_columns[key_column].name);
}

/// Of a finished key column: the record of its first NULL fails the job where the column cannot have any (UK-O07).
void RecordDecoder::check_key_nulls(const Column& column, size_t key_column) const {
  if (!cannot_be_null(key_column)) return;
  for (size_t row = 0; row < offset_of_row_.size(); ++row) {
    if (column.is_valid(row)) continue;
    auto place = std::find_if(places_.rbegin(), places_.rend(), [&](const auto& p) { return p.first <= row; });
    throw user_error(3001, "table '{}': kafka topic={} partition={} offset={}: {}", plan_->table, place->second.topic,
                     place->second.partition, offset_of_row_[row], null_key_text(key_column));
  }
}

/// Rare and slow: copies all columns without the removed rows. Metadata of the rows is not appended yet.
void RecordDecoder::remove_rows(const std::vector<bool>& removed) {
  const size_t rows = num_rows();
  for (std::vector<ColumnBuilder>* columns : {&values_.columns, &keys_.columns}) {
    for (ColumnBuilder& column : *columns) {
      const ColumnPtr whole = column.finish();
      for (size_t row = 0; row < rows; ++row) {
        if (!removed[row]) column.append_from(*whole, row);
      }
    }
  }
  size_t kept = 0;
  for (size_t row = 0; row < rows; ++row) {
    if (removed[row]) continue;
    record_of_row_[kept] = record_of_row_[row];
    if (!kinds_.empty()) kinds_[kept] = kinds_[row];
    if (!values_.kinds.empty()) values_.kinds[kept] = values_.kinds[row];
    ++kept;
  }
  record_of_row_.resize(kept);
  if (!kinds_.empty()) kinds_.resize(kept);
  if (!values_.kinds.empty()) values_.kinds.resize(kept);
  values_.message_of_row.resize(kept);
  keys_.message_of_row.resize(kept);
}

/// A record without a key: NULL key columns, where the table allows that (ruling 9, UK-O07).
void RecordDecoder::append_null_key(const FetchedBuffer& buffer, size_t row) {
  for (size_t i = 0; i < keys_.columns.size(); ++i) {
    const RowField& field = plan_->key_columns[i];
    if (!plan_->keys_are_output || (!plan_->upsert && field.type.nullable())) continue;
    refuse_key(buffer, row, fmt::format("the record has no key, and key column '{}' cannot be NULL", field.name));
    removed_.resize(num_rows());
    removed_[row] = true;
    break;
  }
  for (ColumnBuilder& column : keys_.columns) column.append_null();
  keys_.message_of_row.push_back(0);
}

void RecordDecoder::append_metadata(const FetchedBuffer& buffer, size_t first_row) {
  const size_t rows = num_rows();
  const auto record_of = [&](size_t row) -> const FetchedRecord& { return buffer.records()[record_of_row_[row]]; };
  for (size_t i = 0; i < metadata_.size(); ++i) {
    ColumnBuilder& column = metadata_[i];
    switch (plan_->metadata[i]) {
      case KafkaMetadata::kTopic:
        for (size_t row = first_row; row < rows; ++row) column.append_string(buffer.partition.topic);
        break;
      case KafkaMetadata::kPartition:
        for (size_t row = first_row; row < rows; ++row) column.append(buffer.partition.partition);
        break;
      case KafkaMetadata::kHeaders:
        append_headers(buffer, first_row, column);
        break;
      case KafkaMetadata::kLeaderEpoch:
        for (size_t row = first_row; row < rows; ++row) {
          const int32_t epoch = record_of(row).leader_epoch;
          epoch < 0 ? column.append_null() : column.append(epoch);
        }
        break;
      case KafkaMetadata::kOffset:
        for (size_t row = first_row; row < rows; ++row) column.append(record_of(row).offset);
        break;
      case KafkaMetadata::kTimestamp:
        for (size_t row = first_row; row < rows; ++row) column.append(record_of(row).timestamp_ms);
        break;
      case KafkaMetadata::kTimestampType:
        for (size_t row = first_row; row < rows; ++row) {
          column.append_string(timestamp_type_name(record_of(row).timestamp_type));
        }
        break;
    }
  }
}

/// A map keeps one value a name: the last header's (KS-O10).
void RecordDecoder::append_headers(const FetchedBuffer& buffer, size_t first_row, ColumnBuilder& column) {
  for (size_t row = first_row; row < num_rows(); ++row) {
    const FetchedRecord& record = buffer.records()[record_of_row_[row]];
    const std::span<const FetchedHeader> headers = buffer.headers().subspan(record.first_header, record.num_headers);
    for (size_t i = 0; i < headers.size(); ++i) {
      const auto same = [&](const FetchedHeader& other) { return other.name == headers[i].name; };
      if (std::any_of(headers.begin() + static_cast<ptrdiff_t>(i) + 1, headers.end(), same)) continue;
      column.child(0).append_string(headers[i].name);
      if (headers[i].value == nullptr) {
        column.child(1).append_null();
      } else {
        column.child(1).append_string({headers[i].value, headers[i].value_size});
      }
    }
    column.finish_list();
  }
}

BatchPtr RecordDecoder::take() {
  auto batch = std::make_shared<RowBatch>();
  batch->num_rows = num_rows();
  for (const DecodingPlan::Output& output : plan_->outputs) {
    std::vector<ColumnBuilder>& from = output.from == DecodingPlan::From::kValue ? values_.columns
                                       : output.from == DecodingPlan::From::kKey ? keys_.columns
                                                                                 : metadata_;
    batch->columns.push_back(from[output.index].finish());
    if (checks_key_nulls_ && output.from == DecodingPlan::From::kKey) {
      check_key_nulls(*batch->columns.back(), output.index);
    }
  }
  if (!plan_->keys_are_output) {
    for (ColumnBuilder& column : keys_.columns) column.truncate(0);
  }
  batch->kinds = plan_->upsert ? std::exchange(kinds_, {}) : std::exchange(values_.kinds, {});
  values_.message_of_row.clear();
  keys_.message_of_row.clear();
  record_of_row_.clear();
  offset_of_row_.clear();
  places_.clear();
  num_bytes_ = 0;
  return batch;
}

}  // namespace yeoul
