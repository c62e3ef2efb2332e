#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/hash.h"
#include "yeoul/runtime/stream_graph.h"
#include "yeoul/runtime/typed_batch_splitter.h"
#include "yeoul/state/api/key_groups.h"
#include "yeoul/types/kernels.h"
#include "yeoul/types/type_info.h"

namespace yeoul {

/// What simulated jobs are made of. `id` names a record for good: its source decides it, or the records it is made of.
struct SimRecord {
  int64_t key = 0;
  int64_t time_ms = 0;
  int64_t id = 0;
  int64_t value = 0;
  auto operator<=>(const SimRecord&) const = default;

  static constexpr auto fields() {
    return describe("SimRecord", 1, field("key", &SimRecord::key), field("time_ms", &SimRecord::time_ms),
                    field("id", &SimRecord::id), field("value", &SimRecord::value));
  }
};
using SimBatch = Batch<SimRecord>;

inline const std::vector<SimRecord>& records_of(const BatchBase& batch) {
  return static_cast<const SimBatch&>(batch).values;
}

inline BatchPtr sim_batch(std::vector<SimRecord> records) {
  auto batch = std::make_shared<SimBatch>();
  batch->timestamps.reserve(records.size());
  for (const SimRecord& record : records) batch->timestamps.push_back(record.time_ms);
  batch->values = std::move(records);
  return batch;
}

/// The id of what is made of a record, or of a key.
inline int64_t derived_id(int64_t id, int64_t with) {
  return static_cast<int64_t>(hash_u64(hash_u64(static_cast<uint64_t>(id)) + static_cast<uint64_t>(with)) >> 1);
}

inline std::string_view key_bytes(const int64_t& key) {
  return {reinterpret_cast<const char*>(&key), sizeof key};
}

inline CanonicalKeys keys_of(const std::vector<SimRecord>& records) {
  CanonicalKeys keys{.offsets = {0}};
  for (const SimRecord& record : records) {
    keys.bytes.append(key_bytes(record.key));
    keys.offsets.push_back(static_cast<uint32_t>(keys.bytes.size()));
  }
  return keys;
}

/// Keys of hash edges.
class SimKeySelector final : public KeySelector {
 public:
  void key_groups(const BatchBase& batch, int max_parallelism, std::vector<uint32_t>& out) const override {
    out.clear();
    for (const SimRecord& record : records_of(batch)) {
      out.push_back(static_cast<uint32_t>(key_group_of(key_bytes(record.key), max_parallelism)));
    }
  }
};

/// Event time with bounded disorder.
class SimWatermarks final : public SourceWatermarkStrategy {
 public:
  explicit SimWatermarks(int64_t delay_ms) : delay_ms_(delay_ms) {
    splitter = std::make_shared<TypedBatchSplitter<SimRecord>>();
  }
  void candidates(const BatchBase& batch, std::vector<int64_t>& out) const override {
    out.clear();
    for (const SimRecord& record : records_of(batch)) out.push_back(record.time_ms - delay_ms_);
  }

 private:
  int64_t delay_ms_;
};

}  // namespace yeoul
