#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/options.h"
#include "yeoul/formats/api/changelog_mode.h"
#include "yeoul/formats/api/encoded_rows.h"
#include "yeoul/types/batch.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {

/// The bytes of one message. `data` null: no payload (a tombstone, a null key). At least Buffer::kPadding bytes behind
/// the end are readable, so that a decoder may parse in place.
struct Message {
  const char* data = nullptr;
  uint32_t size = 0;
  std::string_view view() const { return {data, size}; }
};

/// Why a message gave no row (or not all of them).
struct DecodeError {
  uint32_t message;   ///< index among the messages of the call
  std::string field;  ///< column, or empty
  int64_t byte = -1;  ///< offset in the message, or -1
  std::string reason;
};

/// Where a decoder puts rows: one builder per column asked for.
struct DecodedRows {
  std::vector<ColumnBuilder> columns;
  std::vector<RowKind> kinds;            ///< left empty by insert-only formats
  std::vector<uint32_t> message_of_row;  ///< for each row, the message it came from; ascending
  std::vector<DecodeError> errors;       ///< messages that failed; their rows were undone
  uint64_t num_ignored = 0;              ///< messages or fields dropped because the user said so
  size_t num_rows() const { return message_of_row.size(); }
};

/// Turns messages into columns; only the columns asked for are parsed (D16). Holds scratch memory. Threads: one.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Appends the rows of all messages. A message without payload gives no row. Bad input becomes an error or is
  /// counted, never an exception.
  virtual void decode(std::span<const Message> messages, DecodedRows& out) = 0;
};

/// Turns columns into messages, one a row. Threads: one.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Appends one message for each row of a compacted batch, from the given columns of it, which have the types (and get
  /// the names) of the encoder's row type, in order. @throws user error 3200 for a value the format cannot write,
  /// naming the field.
  virtual void encode(const RowBatch& batch, std::span<const int> columns, EncodedRows& out) = 0;
};

/// A format configured for reading (Flink's DecodingFormat).
class DecodingFormat {
 public:
  virtual ~DecodingFormat() = default;
  virtual ChangelogMode changelog_mode() const { return ChangelogMode::insert_only(); }
  /// @param wanted  names and types of the columns to produce, in this order
  virtual std::unique_ptr<Decoder> create_decoder(const Schema& wanted) const = 0;
};

/// A format configured for writing.
class EncodingFormat {
 public:
  virtual ~EncodingFormat() = default;
  virtual ChangelogMode changelog_mode() const { return ChangelogMode::insert_only(); }
  virtual std::unique_ptr<Encoder> create_encoder(const Schema& row) const = 0;
};

/// Session facts that formats need.
struct FormatContext {
  TimeZone zone;      ///< table.local-time-zone
  std::string table;  ///< for messages
};

/// Makes one kind of format from its options. Stateless.
class FormatFactory {
 public:
  virtual ~FormatFactory() = default;
  virtual std::string_view identifier() const = 0;  ///< "json"
  /// Keys without the format's prefix: "ignore-parse-errors".
  virtual std::span<const OptionSpec> options() const = 0;
  /// @param options  already checked against options(), keys without prefix
  virtual std::unique_ptr<DecodingFormat> create_decoding(const Options& options,
                                                          const FormatContext& context) const = 0;
  virtual std::unique_ptr<EncodingFormat> create_encoding(const Options& options,
                                                          const FormatContext& context) const = 0;
};

/// The formats a program knows, by identifier.
class FormatRegistry {
 public:
  void add(std::unique_ptr<FormatFactory> factory) {
    const std::string identifier(factory->identifier());
    factories_[identifier] = std::move(factory);
  }
  /// @throws user error 2020 listing what exists, with the nearest.
  const FormatFactory& find(std::string_view identifier) const;

 private:
  std::map<std::string, std::unique_ptr<FormatFactory>, std::less<>> factories_;
};

}  // namespace yeoul
