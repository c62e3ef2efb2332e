#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "yeoul/common/error.h"

namespace yeoul {

/// Appends little-endian fixed-width values, varints and length-prefixed strings to a growing buffer. The one way
/// state, positions and descriptors are put on disk.
class ByteWriter {
 public:
  void reserve(size_t bytes) { buffer_.reserve(bytes); }
  template <class T>
  void fixed(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    buffer_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void u8(uint8_t value) { buffer_.push_back(static_cast<char>(value)); }
  /// LEB128, unsigned.
  void varint(uint64_t value) {
    while (value >= 0x80) {
      u8(static_cast<uint8_t>(value | 0x80));
      value >>= 7;
    }
    u8(static_cast<uint8_t>(value));
  }
  /// Zigzag LEB128.
  void svarint(int64_t value) { varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63)); }
  /// Varint length, then the bytes.
  void string(std::string_view value) {
    varint(value.size());
    buffer_.append(value);
  }
  /// The bytes alone.
  void raw(std::string_view value) { buffer_.append(value); }

  const std::string& bytes() const { return buffer_; }
  std::string take() { return std::move(buffer_); }
  size_t size() const { return buffer_.size(); }

 private:
  std::string buffer_;
};

/// Reads what ByteWriter wrote. Any read past the end throws an internal error 6001, so a damaged or cut file never
/// reads as data.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T fixed() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, need(sizeof value), sizeof value);
    return value;
  }
  uint8_t u8() { return static_cast<uint8_t>(*need(1)); }
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = u8();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw internal_error(6001, "stored bytes are damaged: a varint is too long");
  }
  int64_t svarint() {
    const uint64_t value = varint();
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }
  /// A view into the bytes being read.
  std::string_view string() {
    const uint64_t size = varint();
    return std::string_view(need(size), size);
  }
  std::string_view raw(size_t size) { return std::string_view(need(size), size); }
  bool at_end() const { return position_ == bytes_.size(); }
  size_t remaining() const { return bytes_.size() - position_; }

 private:
  const char* need(uint64_t size) {
    if (size > bytes_.size() - position_) throw internal_error(6001, "stored bytes end too early");
    const char* start = bytes_.data() + position_;
    position_ += size;
    return start;
  }

  std::string_view bytes_;
  size_t position_ = 0;
};

}  // namespace yeoul
