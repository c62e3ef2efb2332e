#include "yeoul/formats/json/json_record_reader.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"

namespace yeoul {

JsonRecordReader::JsonRecordReader(const JsonFormatOptions& options, const Schema& wanted)
    : options_(options), wanted_(wanted), decoder_(make_json_decoder(options, wanted)) {
  for (const RowField& field : wanted.fields()) rows_.columns.emplace_back(field.type.as_nullable());
}

JsonRecordReader::~JsonRecordReader() {
  if (num_dropped_ == 0) return;
  log(LogLevel::kWarn, "json",
      "{} messages gave no record, and were passed over as ignore_parse_errors says; the first: {}", num_dropped_,
      first_dropped_);
}

void JsonRecordReader::note_dropped(std::string_view reason) {
  if (num_dropped_++ == 0) first_dropped_ = reason;
}

RowBatch JsonRecordReader::read(std::string_view held) {
  const Message message{held.data(), static_cast<uint32_t>(held.size())};
  decoder_->decode({&message, 1}, rows_);
  if (!rows_.errors.empty()) {
    const DecodeError error = rows_.errors.front();
    rows_.errors.clear();
    throw user_error(3001, "{}{}{}", error.field.empty() ? "" : fmt::format("field '{}': ", error.field), error.reason,
                     error.byte < 0 ? "" : fmt::format(" at byte {}", error.byte));
  }
  RowBatch batch;
  batch.num_rows = rows_.num_rows();
  for (ColumnBuilder& column : rows_.columns) batch.columns.push_back(column.finish());
  rows_.message_of_row.clear();
  if (std::exchange(rows_.num_ignored, 0) > 0 && batch.num_rows == 0) note_dropped("it is no JSON of this form");
  if (batch.num_rows == 1) learn_keys(held);
  return batch;
}

void JsonRecordReader::learn_keys(std::string_view held) {
  constexpr size_t kMaxKey = KeyBytes::kMax - 3;  // with quotes and colon
  keys_.clear();
  if (held.front() != '{' || !index_.build(held.data(), static_cast<uint32_t>(held.size()))) return;
  JsonCursor cursor;
  cursor.reset(held.data(), index_);
  cursor.advance();
  std::string_view key;
  for (bool first = true; cursor.next_field(first, key) == JsonCursor::Step::kValue; first = false) {
    const std::string text = fmt::format("\"{}\":", key);
    const bool plain = key.size() <= kMaxKey && find_string_stop(key.data(), key.data() + key.size()) == key.end();
    const bool twice = std::any_of(keys_.begin(), keys_.end(), [&](const Key& seen) {
      return seen.with_colon.size == text.size() && std::memcmp(seen.with_colon.words, text.data(), text.size()) == 0;
    });
    if (!plain || twice || !cursor.skip_value()) return keys_.clear();
    keys_.emplace_back().with_colon.set(text);
    keys_.back().field = wanted_.index_of(key);
  }
}

}  // namespace yeoul
