#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace yeoul {

/// Reads a big-endian integer that need not be aligned.
template <class T>
T load_big_endian(const char* from) {
  if constexpr (sizeof(T) == 1) {
    return static_cast<T>(*from);
  } else {
    std::make_unsigned_t<T> value;
    std::memcpy(&value, from, sizeof value);
    if constexpr (std::endian::native == std::endian::little) {
      if constexpr (sizeof value == 2) value = __builtin_bswap16(value);
      if constexpr (sizeof value == 4) value = __builtin_bswap32(value);
      if constexpr (sizeof value == 8) value = __builtin_bswap64(value);
    }
    return static_cast<T>(value);
  }
}

template <class T>
void store_big_endian(char* to, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    to[i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * (sizeof(T) - 1 - i)));
  }
}

/// Appends Kafka's primitive types to a string.
class WireWriter {
 public:
  explicit WireWriter(std::string& out) : out_(out) {}

  template <class T>
  void fixed(T value) {
    char bytes[sizeof(T)];
    store_big_endian(bytes, value);
    out_.append(bytes, sizeof bytes);
  }
  void unsigned_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }
  /// Zigzag, as records have it.
  void varint(int64_t value) {
    unsigned_varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
  }
  void raw(std::string_view bytes) { out_.append(bytes); }

 private:
  std::string& out_;
};

/// Reads Kafka's primitive types. A read past the end gives zero or nothing and is remembered: ask ok() before what was
/// read is used.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  template <class T>
  T fixed() {
    if (remaining() < sizeof(T)) return fail(T{});
    const T value = load_big_endian<T>(at_);
    at_ += sizeof(T);
    return value;
  }
  uint64_t unsigned_varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto byte = static_cast<uint8_t>(*at_++);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return fail(uint64_t{0});
  }
  int64_t varint() {
    const uint64_t value = unsigned_varint();
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }
  std::string_view raw(uint64_t size) {
    if (remaining() < size) return fail(std::string_view());
    at_ += size;
    return {at_ - size, static_cast<size_t>(size)};
  }
  size_t remaining() const { return static_cast<size_t>(end_ - at_); }
  bool ok() const { return ok_; }

 private:
  template <class T>
  T fail(T value) {
    at_ = end_;
    ok_ = false;
    return value;
  }

  const char* at_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace yeoul
