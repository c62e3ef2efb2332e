#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "yeoul/types/column.h"

namespace yeoul {

/// Text that stays the same and is appended again and again.
class FixedText {
 public:
  FixedText() = default;
  explicit FixedText(std::string_view text) : bytes_(text), size_(text.size()) {
    bytes_.resize((size_ + kBlock - 1) / kBlock * kBlock);
  }

 private:
  friend class JsonTextBuffer;
  static constexpr size_t kBlock = 16;
  std::string bytes_;  ///< whole blocks
  size_t size_ = 0;
};

/// Where the messages of a batch are put together: room is made once for a piece of text, and a piece of the usual form
/// is written without a call for each character. What is written is what the functions of json_text.h write. Threads:
/// one.
class JsonTextBuffer {
 public:
  std::string_view view() const { return {bytes_.get(), size_}; }
  size_t size() const { return size_; }
  void clear() { size_ = 0; }

  void put(char c) {
    *room(1) = c;
    ++size_;
  }
  void append(std::string_view text) {
    copy_bytes(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  void append(const FixedText& text) {
    char* to = room(text.bytes_.size());
    for (size_t i = 0; i < text.bytes_.size(); i += FixedText::kBlock) {
      std::memcpy(to + i, text.bytes_.data() + i, FixedText::kBlock);
    }
    size_ += text.size_;
  }
  void append_quoted(std::string_view text);
  void append_integer(int64_t value);
  /// Jackson writes NaN and the infinities as strings.
  void append_double(double value);
  void append_float(float value);
  void append_timestamp(TimestampValue value, char separator);

 private:
  /// So many bytes behind the end may be written too, and hold nothing.
  static constexpr size_t kSlack = 16;

  /// Where the next `bytes` go.
  char* room(size_t bytes) {
    if (capacity_ - size_ < bytes + kSlack) grow(bytes);
    return bytes_.get() + size_;
  }
  void grow(size_t bytes);
  void append_number(bool finite);

  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
  // Timestamps of a batch mostly share their date.
  bool date_known_ = false;
  int64_t date_days_ = 0;
  char date_text_[10] = {};
  std::string scratch_;
};

}  // namespace yeoul
