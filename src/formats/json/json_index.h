#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yeoul {

/// Finds where the tokens of one JSON text start: each of `{}[]:,`, the opening quote of each string, and the first
/// byte of every other scalar. simdjson's first stage does it, which also checks UTF-8; whatever it refuses but Jackson
/// takes (control characters inside strings, anything behind the first value) is indexed again byte by byte.
/// Threads: one. Reused from text to text, without allocation once it is large enough.
class JsonIndex {
 public:
  JsonIndex();
  ~JsonIndex();
  JsonIndex(const JsonIndex&) = delete;
  JsonIndex& operator=(const JsonIndex&) = delete;

  /// Indexes the text. False when it is no JSON: error() and error_byte() say why. `data` may be read up to
  /// Buffer::kPadding bytes behind its end.
  bool build(const char* data, uint32_t size);

  /// Token positions, ascending; one more entry behind the last, equal to the size of the text.
  const uint32_t* tokens() const { return tokens_; }
  size_t num_tokens() const { return num_tokens_; }
  const char* error() const { return error_; }
  int64_t error_byte() const { return error_byte_; }

 private:
  struct Stage1;

  bool build_bytewise(const char* data, uint32_t size);
  bool fail(const char* why, int64_t byte) {
    error_ = why;
    error_byte_ = byte;
    return false;
  }

  std::unique_ptr<Stage1> stage1_;
  std::vector<uint32_t> own_tokens_;
  const uint32_t* tokens_ = nullptr;
  size_t num_tokens_ = 0;
  const char* error_ = nullptr;
  int64_t error_byte_ = -1;
};

/// Offset of the first byte of an ill-formed UTF-8 sequence, or the size when there is none.
size_t first_invalid_utf8(std::string_view text);

}  // namespace yeoul
