#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yeoul/testing/kafka/model_partition.h"

namespace yeoul {

/// A record as it lies in a log.
struct ModelRecord {
  int64_t offset;
  std::string key;
  std::string value;
  bool operator==(const ModelRecord&) const = default;
};

/// What a reader is to see of a partition, from the beginning to the end of what is decided, or to the very end.
std::vector<ModelRecord> records_of(const ModelPartition& partition, bool committed_only);

/// All that is in batches of producers.
std::vector<ModelRecord> records_in(const std::vector<ModelBatch>& batches);

}  // namespace yeoul
