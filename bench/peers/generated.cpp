// The jobs of bench/jobs that read no Kafka topic, written by hand: rows from a random generator into nothing.
// usage: generated n1|n2|n3 ROWS
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

namespace {

/// xoshiro256++.
class Random {
 public:
  uint64_t next() {
    const uint64_t sum = state_[0] + state_[3];
    const uint64_t result = ((sum << 23) | (sum >> 41)) + state_[0];
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = (state_[3] << 45) | (state_[3] >> 19);
    return result;
  }
  int64_t between(int64_t low, int64_t high) {
    const auto range = static_cast<uint64_t>(high - low + 1);
    return low + static_cast<int64_t>((static_cast<unsigned __int128>(next()) * range) >> 64);
  }

 private:
  uint64_t state_[4] = {1, 2, 3, 4};
};

struct Row {
  int64_t auction;
  int64_t bidder;
  int64_t price;
  char channel[8];
};

struct Totals {
  int64_t count = 0;
  int64_t max = 0;
  int64_t sum = 0;
};

/// Keeps the compiler from leaving out what made the value.
template <class T>
void use(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: generated n1|n2|n3 ROWS\n");
    return 1;
  }
  const bool wide = std::strcmp(argv[1], "n1") == 0;
  const bool grouped = std::strcmp(argv[1], "n2") == 0;
  Random random;
  std::unordered_map<int64_t, Totals> groups;
  Row row = {};
  for (int64_t left = std::atoll(argv[2]); left > 0; --left) {
    row.auction = random.between(1000, 1999);
    row.price = random.between(1, 10'000);
    if (wide) {
      row.bidder = random.between(1, 100'000);
      uint64_t bits = random.next();
      for (char& c : row.channel) {
        c = "0123456789abcdef"[bits & 15];
        bits >>= 4;
      }
    }
    if (grouped) {
      Totals& totals = groups[row.auction];
      ++totals.count;
      totals.max = std::max(totals.max, row.price);
      totals.sum += row.price;
      use(totals);
    }
    use(row);
  }
  std::printf("%zu groups\n", groups.size());
  return 0;
}
