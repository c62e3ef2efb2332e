#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/connectors/api/source.h"
#include "yeoul/connectors/api/table_factory.h"
#include "yeoul/connectors/kafka/kafka_decoder.h"
#include "yeoul/formats/api/format.h"
#include "yeoul/kafka/client/consumer.h"

namespace yeoul {

/// The metadata keys of Kafka records (spec rows KS-010…016).
enum class KafkaMetadata { kTopic, kPartition, kHeaders, kLeaderEpoch, kOffset, kTimestamp, kTimestampType };

/// All keys with types and directions. @param topic_writable  the sink has several topics to choose from
std::vector<MetadataColumn> kafka_metadata_columns(bool topic_writable);
/// The key's meaning, or nothing.
std::optional<KafkaMetadata> kafka_metadata_of(std::string_view key);

/// Where each column of a batch comes from.
struct DecodingPlan {
  enum class From { kValue, kKey, kMetadata };
  struct Output {
    From from;
    size_t index;  ///< in value_columns, key_columns or metadata
  };

  std::string table;
  std::shared_ptr<const DecodingFormat> value_format;
  std::shared_ptr<const DecodingFormat> key_format;  ///< null: keys are not looked at
  Schema value_columns;                              ///< asked of the value format, under the format's names
  Schema key_columns;                                ///< asked of the key format
  std::vector<KafkaMetadata> metadata;
  std::vector<Output> outputs;
  bool upsert = false;  ///< a null value is a delete of the key; other rows are +U
  bool skip_bad_records = false;

  bool needs_headers() const;
};

/// Turns fetched records straight into columns. Holds what was appended until take(). Threads: its task's.
class RecordDecoder final : public KafkaDecoder {
 public:
  RecordDecoder(std::shared_ptr<const DecodingPlan> plan, SourceMetrics* metrics);

  /// Appends the rows of records [first, first + count).
  /// @throws user error 3001 naming table, topic, partition, offset, field and byte of a bad record, unless the plan
  ///         says to skip those
  void append(const FetchedBuffer& buffer, size_t first, size_t count) override;
  size_t num_rows() const override { return record_of_row_.size(); }
  /// Bytes of the messages that the rows came from.
  size_t num_bytes() const override { return num_bytes_; }
  BatchPtr take() override;

 private:
  void append_values(const FetchedBuffer& buffer, size_t first, size_t count);
  void append_tombstones(size_t first, size_t count);
  void append_keys(const FetchedBuffer& buffer, size_t first_row);
  bool append_keys_at_once(const FetchedBuffer& buffer, size_t first_row);
  void append_keys_one_by_one(const FetchedBuffer& buffer, size_t first_row);
  void append_null_key(const FetchedBuffer& buffer, size_t row);
  void remove_rows(const std::vector<bool>& removed);
  void append_metadata(const FetchedBuffer& buffer, size_t first_row);
  void append_headers(const FetchedBuffer& buffer, size_t first_row, ColumnBuilder& column);
  void count_and_check(const FetchedBuffer& buffer, DecodedRows& rows, std::string_view part,
                       const std::vector<uint32_t>& record_of_message);
  [[noreturn]] void fail(const FetchedBuffer& buffer, const FetchedRecord& record, const std::string& what) const;

  std::shared_ptr<const DecodingPlan> plan_;
  SourceMetrics* metrics_;
  std::unique_ptr<Decoder> value_decoder_;
  std::unique_ptr<Decoder> key_decoder_;
  DecodedRows values_;
  DecodedRows keys_;
  std::vector<ColumnBuilder> metadata_;
  std::vector<RowKind> kinds_;
  std::vector<Message> messages_;
  std::vector<uint32_t> record_of_message_;
  /// For each row its record in the buffer of the append() that made it.
  std::vector<uint32_t> record_of_row_;
  size_t num_bytes_ = 0;
};

}  // namespace yeoul
