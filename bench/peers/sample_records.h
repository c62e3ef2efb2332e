#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

/// The records that both clients write: page views of about 94 bytes with a key of about 8, made beforehand, so that
/// making them is no part of what is measured. Partitions get them in runs.
struct SampleRecords {
  static constexpr size_t kNumRecords = size_t{1} << 16;
  static constexpr int kRun = 1000;

  SampleRecords() {
    uint64_t state = 42;
    for (size_t i = 0; i < kNumRecords; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto random = static_cast<unsigned>(state >> 33);
      char text[160];
      std::snprintf(text, sizeof text,
                    R"({"user_id":"User_%u","page_id":"Page_%u","viewtime":%u,"user_region":"Region_%u"})",
                    random % 100'000, random / 7 % 10'000, 1'700'000'000u + static_cast<unsigned>(i), random / 3 % 10);
      values.emplace_back(text);
      keys.push_back("u" + std::to_string(random % 10'000'000));
    }
  }

  std::vector<std::string> keys;
  std::vector<std::string> values;
};

inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

inline double wall_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

inline void report_produced(long long records, double wall, double cpu) {
  std::printf("%lld records, %.2f s, %.3f M/s, %.3f us CPU each\n", records, wall,
              static_cast<double>(records) / wall / 1e6, cpu / static_cast<double>(records) * 1e6);
}
