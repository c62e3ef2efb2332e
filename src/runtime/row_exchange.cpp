#include "yeoul/runtime/stream_graph.h"
#include "yeoul/state/api/key_groups.h"
#include "yeoul/types/kernels.h"

namespace yeoul {
namespace {

RowBatchPtr as_rows(const BatchPtr& batch) {
  RowBatchPtr rows = std::dynamic_pointer_cast<const RowBatch>(batch);
  YEOUL_CHECK(rows != nullptr, "a batch of rows was expected");
  return rows;
}

class RowBatchSplitter final : public BatchSplitter {
 public:
  BatchPtr compact(const BatchPtr& batch) const override { return yeoul::compact(as_rows(batch)); }

  BatchPtr take(const BatchPtr& batch, const std::vector<uint32_t>& records) const override {
    const RowBatchPtr rows = as_rows(batch);
    if (!rows->selection) return yeoul::take(*rows, records);
    Selection selected;
    selected.reserve(records.size());
    for (const uint32_t record : records) selected.push_back((*rows->selection)[record]);
    return yeoul::take(*rows, selected);
  }
};

class RowKeySelector final : public KeySelector {
 public:
  explicit RowKeySelector(std::vector<int> columns) : columns_(std::move(columns)) {}

  void key_groups(const BatchBase& batch, int max_parallelism, std::vector<uint32_t>& out) const override {
    const auto* rows = dynamic_cast<const RowBatch*>(&batch);
    YEOUL_CHECK(rows != nullptr, "a batch of rows was expected");
    const CanonicalKeys keys = canonical_keys(*rows, columns_);
    out.resize(rows->num_records());
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t row = rows->selection ? (*rows->selection)[i] : i;
      out[i] = static_cast<uint32_t>(key_group_of(keys[row], max_parallelism));
    }
  }

 private:
  std::vector<int> columns_;
};

}  // namespace

std::shared_ptr<const BatchSplitter> row_batch_splitter() {
  return std::make_shared<RowBatchSplitter>();
}

std::shared_ptr<const KeySelector> row_key_selector(std::vector<int> key_columns) {
  return std::make_shared<RowKeySelector>(std::move(key_columns));
}

}  // namespace yeoul
