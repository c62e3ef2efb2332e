#include "yeoul/sql/functions/digest.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace yeoul {

namespace {

constexpr uint32_t kMd5Sines[] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};
constexpr uint32_t kSha256Keys[] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
constexpr uint64_t kSha512Keys[] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};
constexpr uint32_t kSha224Start[] = {
    0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
};
constexpr uint32_t kSha256Start[] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
constexpr uint64_t kSha384Start[] = {
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};
constexpr uint64_t kSha512Start[] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

constexpr int kMd5Turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

template <class T>
T load_big(const uint8_t* bytes) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>((value << 8) | bytes[i]);
  return value;
}

template <class T>
void store_big(T value, std::string& out) {
  for (int shift = static_cast<int>(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift);
}

/// The message with its padding: a one bit, zeros, and its length in bits at the end of the last block.
std::string padded(std::string_view bytes, size_t block, size_t length_bytes, bool big_endian) {
  std::string text(bytes);
  text += static_cast<char>(0x80);
  while (text.size() % block != block - length_bytes) text += '\0';
  const uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
  for (size_t i = 8; i < length_bytes; ++i) text += '\0';
  for (int i = 0; i < 8; ++i) text += static_cast<char>(bits >> (big_endian ? 56 - 8 * i : 8 * i));
  return text;
}

template <class T>
struct Sha2Rounds;
template <>
struct Sha2Rounds<uint32_t> {
  static constexpr int kRounds = 64;
  static constexpr const uint32_t* kKeys = kSha256Keys;
  static constexpr int kBig0[] = {2, 13, 22};
  static constexpr int kBig1[] = {6, 11, 25};
  static constexpr int kSmall0[] = {7, 18, 3};
  static constexpr int kSmall1[] = {17, 19, 10};
};
template <>
struct Sha2Rounds<uint64_t> {
  static constexpr int kRounds = 80;
  static constexpr const uint64_t* kKeys = kSha512Keys;
  static constexpr int kBig0[] = {28, 34, 39};
  static constexpr int kBig1[] = {14, 18, 41};
  static constexpr int kSmall0[] = {1, 8, 7};
  static constexpr int kSmall1[] = {19, 61, 6};
};

template <class T>
std::string sha2_of(std::string_view bytes, const T* start, size_t words) {
  using Rounds = Sha2Rounds<T>;
  constexpr size_t kBlock = sizeof(T) * 16;
  const auto big = [](T x, const int* r) { return std::rotr(x, r[0]) ^ std::rotr(x, r[1]) ^ std::rotr(x, r[2]); };
  const auto small = [](T x, const int* r) { return std::rotr(x, r[0]) ^ std::rotr(x, r[1]) ^ (x >> r[2]); };
  const std::string text = padded(bytes, kBlock, sizeof(T) * 2, true);
  T state[8];
  std::memcpy(state, start, sizeof state);
  for (size_t at = 0; at < text.size(); at += kBlock) {
    T w[Rounds::kRounds];
    for (size_t i = 0; i < 16; ++i) {
      w[i] = load_big<T>(reinterpret_cast<const uint8_t*>(text.data()) + at + i * sizeof(T));
    }
    for (size_t i = 16; i < Rounds::kRounds; ++i) {
      w[i] = w[i - 16] + small(w[i - 15], Rounds::kSmall0) + w[i - 7] + small(w[i - 2], Rounds::kSmall1);
    }
    T s[8];
    std::memcpy(s, state, sizeof s);
    for (size_t i = 0; i < Rounds::kRounds; ++i) {
      const T one = s[7] + big(s[4], Rounds::kBig1) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + Rounds::kKeys[i] + w[i];
      const T two = big(s[0], Rounds::kBig0) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      std::memmove(s + 1, s, 7 * sizeof(T));
      s[4] += one;
      s[0] = one + two;
    }
    for (int i = 0; i < 8; ++i) state[i] += s[i];
  }
  std::string out;
  for (size_t i = 0; i < 8; ++i) store_big(state[i], out);
  out.resize(words * 4);
  return out;
}

}  // namespace

std::string md5(std::string_view bytes) {
  const std::string text = padded(bytes, 64, 8, false);
  uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (size_t at = 0; at < text.size(); at += 64) {
    uint32_t words[16];
    std::memcpy(words, text.data() + at, 64);
    uint32_t a = state[0];
    uint32_t b = state[1];
    uint32_t c = state[2];
    uint32_t d = state[3];
    for (uint32_t i = 0; i < 64; ++i) {
      uint32_t mixed = 0;
      uint32_t word = 0;
      switch (i / 16) {
        case 0:
          mixed = (b & c) | (~b & d);
          word = i;
          break;
        case 1:
          mixed = (d & b) | (~d & c);
          word = (5 * i + 1) % 16;
          break;
        case 2:
          mixed = b ^ c ^ d;
          word = (3 * i + 5) % 16;
          break;
        default:
          mixed = c ^ (b | ~d);
          word = (7 * i) % 16;
          break;
      }
      const uint32_t turned = std::rotl(a + mixed + kMd5Sines[i] + words[word], kMd5Turns[i / 16][i % 4]);
      a = d;
      d = c;
      c = b;
      b += turned;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
  }
  std::string out(16, '\0');
  std::memcpy(out.data(), state, 16);
  return out;
}

std::string sha1(std::string_view bytes) {
  const std::string text = padded(bytes, 64, 8, true);
  uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  for (size_t at = 0; at < text.size(); at += 64) {
    uint32_t w[80];
    for (size_t i = 0; i < 16; ++i) {
      w[i] = load_big<uint32_t>(reinterpret_cast<const uint8_t*>(text.data()) + at + i * 4);
    }
    for (size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    uint32_t s[5];
    std::memcpy(s, state, sizeof s);
    for (size_t i = 0; i < 80; ++i) {
      uint32_t mixed = s[1] ^ s[2] ^ s[3];
      uint32_t key = i < 40 ? 0x6ed9eba1 : 0xca62c1d6;
      if (i < 20) {
        mixed = (s[1] & s[2]) | (~s[1] & s[3]);
        key = 0x5a827999;
      } else if (i >= 40 && i < 60) {
        mixed = (s[1] & s[2]) | (s[1] & s[3]) | (s[2] & s[3]);
        key = 0x8f1bbcdc;
      }
      const uint32_t next = std::rotl(s[0], 5) + mixed + s[4] + key + w[i];
      std::memmove(s + 1, s, 4 * sizeof(uint32_t));
      s[2] = std::rotl(s[2], 30);
      s[0] = next;
    }
    for (int i = 0; i < 5; ++i) state[i] += s[i];
  }
  std::string out;
  for (const uint32_t word : state) store_big(word, out);
  return out;
}

std::string sha2(std::string_view bytes, int bits) {
  switch (bits) {
    case 224:
      return sha2_of<uint32_t>(bytes, kSha224Start, 7);
    case 256:
      return sha2_of<uint32_t>(bytes, kSha256Start, 8);
    case 384:
      return sha2_of<uint64_t>(bytes, kSha384Start, 12);
    case 512:
      return sha2_of<uint64_t>(bytes, kSha512Start, 16);
    default:
      return {};
  }
}

}  // namespace yeoul
