#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace yeoul {

/// A key as its bytes stand in the text, for comparing eight bytes at a time.
struct KeyBytes {
  static constexpr size_t kMax = 40;
  uint64_t words[kMax / 8] = {};
  uint32_t size = 0;

  void set(std::string_view key) {
    std::memset(words, 0, sizeof words);
    std::memcpy(words, key.data(), key.size());
    size = static_cast<uint32_t>(key.size());
  }
  /// `key` is readable eight bytes behind its end.
  bool equals(std::string_view key) const { return key.size() == size && starts(key.data()); }
  /// Whether the key stands at the front of `text`, which is readable kMax bytes far.
  bool starts(const char* text) const {
    size_t at = 0;
    for (; at + 8 <= size; at += 8) {
      uint64_t word;
      std::memcpy(&word, text + at, 8);
      if (word != words[at / 8]) return false;
    }
    if (at == size) return true;
    uint64_t word;
    std::memcpy(&word, text + at, 8);
    static_assert(std::endian::native == std::endian::little);
    return ((word ^ words[at / 8]) << (64 - (size - at) * 8)) == 0;
  }
};

}  // namespace yeoul
