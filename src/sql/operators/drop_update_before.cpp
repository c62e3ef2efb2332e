#include "yeoul/sql/operators/drop_update_before.h"

#include <algorithm>

namespace yeoul {

namespace {

class DropUpdateBefore final : public Operator {
 public:
  void process_batch(int, const BatchPtr& input, OperatorOutput& output) override {
    const auto batch = std::static_pointer_cast<const RowBatch>(input);
    if (std::find(batch->kinds.begin(), batch->kinds.end(), RowKind::kUpdateBefore) == batch->kinds.end()) {
      return output.emit(input);
    }
    Selection kept;
    const size_t live = batch->num_records();
    for (size_t i = 0; i < live; ++i) {
      const uint32_t row = batch->selection ? (*batch->selection)[i] : static_cast<uint32_t>(i);
      if (batch->kinds[row] != RowKind::kUpdateBefore) kept.push_back(row);
    }
    if (kept.empty()) return;
    auto result = std::make_shared<RowBatch>(*batch);
    result->selection = std::make_shared<const Selection>(std::move(kept));
    output.emit(std::move(result));
  }
};

class DropUpdateBeforeFactory final : public OperatorFactory {
 public:
  std::unique_ptr<Operator> create() const override { return std::make_unique<DropUpdateBefore>(); }
};

}  // namespace

std::shared_ptr<const OperatorFactory> make_drop_update_before() {
  return std::make_shared<DropUpdateBeforeFactory>();
}

}  // namespace yeoul
