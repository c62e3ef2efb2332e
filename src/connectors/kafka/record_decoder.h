#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
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
  bool keys_are_output = true;  ///< false: the value has the key columns too, and keys are only checked
  bool upsert = false;          ///< a null value is a delete of the key; other rows are +U
  bool skip_bad_records = false;
};

/// Turns fetched records straight into columns. Holds what was appended until take(). Threads: its task's.
class RecordDecoder final : public KafkaDecoder {
 public:
  RecordDecoder(std::shared_ptr<const DecodingPlan> plan, SourceMetrics* metrics);
  /// Says how many records gave no row, by reason.
  ~RecordDecoder() override;

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
  void refuse_key(const FetchedBuffer& buffer, size_t row, const std::string& what);
  bool cannot_be_null(size_t key_column) const;
  std::string null_key_text(size_t key_column) const;
  void skip_null_keys(const FetchedBuffer& buffer, size_t first_row);
  void check_key_nulls(const Column& column, size_t key_column) const;
  void count_without_row(const FetchedBuffer& buffer, size_t first, size_t count, size_t first_row);
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
  bool checks_key_nulls_ = false;  ///< rows must be findable when take() meets a NULL in a key
  std::vector<int64_t> offset_of_row_;
  std::vector<std::pair<size_t, TopicPartition>> places_;  ///< the partition of the rows from a number on
  std::vector<bool> removed_;  ///< rows that a bad key takes away; of the append() at hand, mostly empty
  int64_t num_without_value_ = 0;
  int64_t num_empty_ = 0;
  int64_t num_bad_ = 0;
  int64_t num_bad_fields_ = 0;
};

}  // namespace yeoul
