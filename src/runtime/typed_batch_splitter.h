#pragma once

#include <memory>
#include <vector>

#include "yeoul/runtime/stream_graph.h"

namespace yeoul {

/// Splitter of Batch<T> for a C++ type; such batches have no selection. Rows have row_batch_splitter().
template <class T>
class TypedBatchSplitter final : public BatchSplitter {
 public:
  BatchPtr compact(const BatchPtr& batch) const override { return batch; }

  BatchPtr take(const BatchPtr& batch, const std::vector<uint32_t>& records) const override {
    const auto& from = static_cast<const Batch<T>&>(*batch);
    auto taken = std::make_shared<Batch<T>>();
    taken->values.reserve(records.size());
    for (const uint32_t record : records) taken->values.push_back(from.values[record]);
    if (!from.timestamps.empty()) {
      taken->timestamps.reserve(records.size());
      for (const uint32_t record : records) taken->timestamps.push_back(from.timestamps[record]);
    }
    return taken;
  }
};

}  // namespace yeoul
