#include "yeoul/kafka/protocol/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace yeoul {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // bit-reversed

/// Eight tables: the n-th says what a byte does to the register when n zero bytes follow.
using ByteTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr ByteTables make_byte_tables() {
  ByteTables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t n = 1; n < tables.size(); ++n) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[n - 1][byte];
      tables[n][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr ByteTables kByteTables = make_byte_tables();

uint32_t update_by_tables(uint32_t crc, const char* at, size_t size) {
  for (; size >= 8; size -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    word ^= crc;
    crc = 0;
    for (int i = 0; i < 8; ++i) crc ^= kByteTables[7 - i][(word >> (8 * i)) & 0xff];
  }
  for (; size > 0; --size, ++at) crc = (crc >> 8) ^ kByteTables[0][(crc ^ static_cast<uint8_t>(*at)) & 0xff];
  return crc;
}

#if defined(__x86_64__)

// The instruction takes three cycles and can start every cycle, so three neighbouring blocks are run at a time and
// their registers joined. Joining means to move a register over as many zero bytes as follow, which is a linear map.
constexpr size_t kBlockBytes = 512;
using LinearMap = std::array<uint32_t, 32>;  // what becomes of each bit of the register

constexpr uint32_t mapped(const LinearMap& map, uint32_t bits) {
  uint32_t out = 0;
  for (int i = 0; i < 32; ++i) {
    if ((bits >> i) & 1) out ^= map[i];
  }
  return out;
}

/// Over `bytes` zero bytes, a power of two.
constexpr LinearMap make_shift(size_t bytes) {
  LinearMap map{};
  map[0] = kPolynomial;
  for (int i = 1; i < 32; ++i) map[i] = uint32_t{1} << (i - 1);  // over one zero bit
  for (size_t bits = 1; bits < bytes * 8; bits *= 2) {
    LinearMap twice{};
    for (int i = 0; i < 32; ++i) twice[i] = mapped(map, map[i]);
    map = twice;
  }
  return map;
}

using ShiftTables = std::array<std::array<uint32_t, 256>, 4>;  // by each byte of the register

constexpr ShiftTables make_shift_tables(size_t bytes) {
  const LinearMap map = make_shift(bytes);
  ShiftTables tables{};
  for (int n = 0; n < 4; ++n) {
    for (uint32_t byte = 0; byte < 256; ++byte) tables[n][byte] = mapped(map, byte << (8 * n));
  }
  return tables;
}

constexpr ShiftTables kOneBlock = make_shift_tables(kBlockBytes);
constexpr ShiftTables kTwoBlocks = make_shift_tables(2 * kBlockBytes);

uint32_t shift(const ShiftTables& tables, uint64_t crc) {
  return tables[0][crc & 0xff] ^ tables[1][(crc >> 8) & 0xff] ^ tables[2][(crc >> 16) & 0xff] ^
         tables[3][(crc >> 24) & 0xff];
}

__attribute__((target("sse4.2"))) uint32_t update_by_instruction(uint32_t crc, const char* at, size_t size) {
  const auto word = [](const char* from) {
    uint64_t value;
    std::memcpy(&value, from, 8);
    return value;
  };
  uint64_t first = crc;
  for (; size >= 3 * kBlockBytes; size -= 3 * kBlockBytes, at += 3 * kBlockBytes) {
    uint64_t second = 0;
    uint64_t third = 0;
    for (size_t i = 0; i < kBlockBytes; i += 8) {
      first = _mm_crc32_u64(first, word(at + i));
      second = _mm_crc32_u64(second, word(at + kBlockBytes + i));
      third = _mm_crc32_u64(third, word(at + 2 * kBlockBytes + i));
    }
    first = shift(kTwoBlocks, first) ^ shift(kOneBlock, second) ^ third;
  }
  for (; size >= 8; size -= 8, at += 8) first = _mm_crc32_u64(first, word(at));
  auto last = static_cast<uint32_t>(first);
  for (; size > 0; --size, ++at) last = _mm_crc32_u8(last, static_cast<uint8_t>(*at));
  return last;
}

#endif

}  // namespace

uint32_t crc32c_by_tables(std::string_view bytes) {
  return ~update_by_tables(~uint32_t{0}, bytes.data(), bytes.size());
}

uint32_t crc32c(std::string_view bytes) {
#if defined(__x86_64__)
  static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  if (kHasInstruction) return ~update_by_instruction(~uint32_t{0}, bytes.data(), bytes.size());
#endif
  return crc32c_by_tables(bytes);
}

}  // namespace yeoul
