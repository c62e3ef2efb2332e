#include "yeoul/sql/operators/changelog_normalize.h"

#include <numeric>
#include <string>
#include <utility>

#include "yeoul/sql/operators/changelog_rows.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

class ChangelogNormalize final : public Operator {
 public:
  explicit ChangelogNormalize(std::shared_ptr<const ChangelogNormalizeSpec> spec)
      : spec_(std::move(spec)), all_(spec_->input.fields().size()) {
    std::iota(all_.begin(), all_.end(), 0);
  }

  void open(OperatorContext& context) override {
    context_ = &context;
    rows_ = ValueCells<std::string>(context.keyed_state(),
                                    {.name = "last row", .value_type = spec_->input.row_type().to_string()});
  }

  void process_batch(int, const BatchPtr& batch, OperatorOutput& output) override {
    const RowBatchPtr dense = compact(std::static_pointer_cast<const RowBatch>(batch));
    const size_t count = dense->num_rows;
    if (count == 0) return;
    slots_.resize(count);
    last_.resize(count);
    context_->keyed_state().resolve(canonical_keys(*dense, spec_->keys), true, slots_);
    rows_.cells(slots_, last_);
    list_changes(*dense, canonical_keys(*dense, all_));
    emit(*dense, output);
    std::vector<Slot> gone;
    for (size_t row = 0; row < count; ++row) {
      if (last_[row]->empty()) gone.push_back(slots_[row]);
    }
    context_->keyed_state().remove(gone);
    context_->keyed_state().end_batch();
  }

 private:
  void list_changes(const RowBatch& batch, const CanonicalKeys& encoded) {
    changes_.clear();
    input_rows_.clear();
    replaced_.clear();
    for (uint32_t row = 0; row < batch.num_rows; ++row) {
      std::string& last = *last_[row];
      if (is_retraction(batch.kind(row))) {
        if (last.empty()) continue;
        changes_.add_before(RowKind::kDelete, replaced(last, row));
        last.clear();
        continue;
      }
      if (last.empty()) {
        changes_.add_after(RowKind::kInsert, row);
        input_rows_.push_back(row);
      } else if (last == encoded[row]) {
        continue;
      } else {
        const uint32_t before = spec_->generate_update_before ? replaced(last, row) : 0;
        changes_.add_update(before, row, spec_->generate_update_before);
        input_rows_.push_back(row);
      }
      last = encoded[row];
    }
  }

  /// Keeps a row that is about to be overwritten; returns its number among those.
  uint32_t replaced(const std::string& encoded, uint32_t input_row) {
    replaced_.push_back(encoded);
    input_rows_.push_back(input_row);
    return static_cast<uint32_t>(replaced_.size() - 1);
  }

  void emit(const RowBatch& batch, OperatorOutput& output) {
    if (changes_.empty()) return;
    std::vector<ColumnBuilder> builders;
    for (const RowField& field : spec_->input.fields()) builders.emplace_back(field.type);
    for (const std::string& row : replaced_) {
      std::string_view bytes = row;
      for (ColumnBuilder& builder : builders) append_from_canonical(bytes, builder);
    }
    std::vector<ColumnPtr> columns;
    for (size_t i = 0; i < builders.size(); ++i) {
      columns.push_back(changes_.gather(builders[i].finish(), batch.columns[i]));
    }
    std::vector<int64_t> timestamps;
    if (!batch.timestamps.empty()) {
      for (const uint32_t row : input_rows_) timestamps.push_back(batch.timestamps[row]);
    }
    changes_.emit(std::move(columns), std::move(timestamps), static_cast<size_t>(context_->batch_records_max()),
                  output);
  }

  std::shared_ptr<const ChangelogNormalizeSpec> spec_;
  std::vector<int> all_;
  OperatorContext* context_ = nullptr;
  /// Canonical bytes of all columns; never empty for a row.
  ValueCells<std::string> rows_;

  // The batch at hand.
  std::vector<Slot> slots_;
  std::vector<std::string*> last_;
  std::vector<std::string> replaced_;
  std::vector<uint32_t> input_rows_;  ///< of each change, the row that caused it
  ChangelogRows changes_;
};

class ChangelogNormalizeFactory final : public OperatorFactory {
 public:
  explicit ChangelogNormalizeFactory(ChangelogNormalizeSpec spec)
      : spec_(std::make_shared<const ChangelogNormalizeSpec>(std::move(spec))) {}
  std::unique_ptr<Operator> create() const override { return std::make_unique<ChangelogNormalize>(spec_); }
  bool keyed() const override { return true; }

 private:
  std::shared_ptr<const ChangelogNormalizeSpec> spec_;
};

}  // namespace

std::shared_ptr<const OperatorFactory> make_changelog_normalize(ChangelogNormalizeSpec spec) {
  return std::make_shared<ChangelogNormalizeFactory>(std::move(spec));
}

}  // namespace yeoul
