#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/formats/json/json_cursor.h"
#include "yeoul/formats/json/json_format.h"
#include "yeoul/formats/json/json_keys.h"

namespace yeoul {

/// Reads one message after the other, as the format 'json' reads a table's. What a schema of C++ records needs of it is
/// here, so that the part which knows the type of the record is small. Threads: one.
class JsonRecordReader {
 public:
  /// `"key":` as it stands in messages, and its field; one that nobody wants has none.
  struct Key {
    KeyBytes with_colon;
    int field = -1;
  };

  JsonRecordReader(const JsonFormatOptions& options, const Schema& wanted);
  JsonRecordReader(const JsonRecordReader&) = delete;
  JsonRecordReader& operator=(const JsonRecordReader&) = delete;
  /// Says how many messages gave no record, and why.
  ~JsonRecordReader();

  /// A copy of the message that may be read some bytes behind its end. Valid until the next call.
  std::string_view hold(std::string_view message) {
    if (held_.size() < message.size() + Buffer::kPadding) held_.resize(2 * message.size() + Buffer::kPadding);
    std::memcpy(held_.data(), message.data(), message.size());
    return {held_.data(), message.size()};
  }
  /// The rows of a held message: one for an object, none where there is nothing in it or what is wrong with it is to be
  /// ignored. Learns the keys of its object. @throws user error 3001 for what cannot be read
  RowBatch read(std::string_view held);
  /// Of the object that was read last, in its order, where the next one may be expected to have the same: all plain,
  /// none twice. Else empty.
  const std::vector<Key>& keys() const { return keys_; }

  /// A message gave no record, since what is wrong is to be ignored.
  void note_dropped(std::string_view reason);

  const JsonFormatOptions& options() const { return options_; }

 private:
  void learn_keys(std::string_view held);

  const JsonFormatOptions options_;
  const Schema wanted_;
  std::unique_ptr<Decoder> decoder_;
  DecodedRows rows_;
  std::string held_;
  JsonIndex index_;
  std::vector<Key> keys_;
  int64_t num_dropped_ = 0;
  std::string first_dropped_;  ///< why
};

}  // namespace yeoul
