#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "yeoul/common/bytes.h"
#include "yeoul/datastream/record_type.h"
#include "yeoul/datastream/row_view.h"
#include "yeoul/state/api/key_groups.h"
#include "yeoul/types/kernels.h"
#include "yeoul/types/type_info.h"

namespace yeoul {

/// The keys of a stream's records as canonical bytes, a batch at a time; also deals records out over subtasks.
/// Const, shared by tasks.
template <class T>
class KeyExtractor : public KeySelector {
 public:
  virtual CanonicalKeys keys(const Batch<T>& batch) const = 0;

  void key_groups(const BatchBase& batch, int max_parallelism, std::vector<uint32_t>& out) const final {
    const CanonicalKeys extracted = keys(batch_cast<T>(batch));
    out.clear();
    for (size_t i = 0; i < extracted.size(); ++i) {
      out.push_back(static_cast<uint32_t>(key_group_of(extracted[i], max_parallelism)));
    }
  }
};

/// The one key of window_all().
struct NoKey {
  static constexpr auto fields() { return describe("NoKey", 1); }
};

/// Keys by a function, inlined into the loop over the batch.
template <class T, class K, class F>
class FunctionKeyExtractor final : public KeyExtractor<T> {
 public:
  explicit FunctionKeyExtractor(F function) : function_(std::move(function)) {}

  CanonicalKeys keys(const Batch<T>& batch) const override {
    CanonicalKeys result;
    const size_t count = batch.num_records();
    result.offsets.reserve(count + 1);
    result.offsets.push_back(0);
    ByteWriter out;
    for (size_t i = 0; i < count; ++i) {
      TypeInfo<K>::encode(function_(record_at(batch, i)), out);
      result.offsets.push_back(static_cast<uint32_t>(out.size()));
    }
    result.bytes = out.take();
    return result;
  }

 private:
  F function_;
};

}  // namespace yeoul
