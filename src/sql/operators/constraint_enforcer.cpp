#include "yeoul/sql/operators/constraint_enforcer.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

using Length = ConstraintEnforcerSpec::Length;

/// Bytes of the first `characters` characters of UTF-8 text, and how many it has up to there.
struct Prefix {
  size_t bytes = 0;
  size_t characters = 0;
};
Prefix prefix_of(std::string_view text, size_t characters) {
  Prefix prefix;
  while (prefix.bytes < text.size()) {
    const bool starts = (static_cast<uint8_t>(text[prefix.bytes]) & 0xc0) != 0x80;
    if (starts && prefix.characters == characters) break;
    prefix.characters += starts;
    ++prefix.bytes;
  }
  return prefix;
}

/// A column whose type says how long its cells may be.
struct BoundedColumn {
  size_t index;
  size_t length;
  bool binary;
  bool fixed;  ///< CHAR, BINARY: shorter ones are padded

  Prefix fitting(std::string_view cell) const {
    if (binary) return {std::min(cell.size(), length), std::min(cell.size(), length)};
    return prefix_of(cell, length);
  }
  bool fits(std::string_view cell, const Prefix& prefix) const {
    return prefix.bytes == cell.size() && (!fixed || prefix.characters == length);
  }
};

class ConstraintEnforcer final : public Operator {
 public:
  explicit ConstraintEnforcer(std::shared_ptr<const ConstraintEnforcerSpec> spec) : spec_(std::move(spec)) {
    if (spec_->length == Length::kIgnore) return;
    for (size_t i = 0; i < spec_->columns.fields().size(); ++i) {
      const LogicalType& type = spec_->columns.fields()[i].type;
      if (!type.is_string() && !type.is_binary()) continue;
      const bool fixed = type.is(TypeRoot::kChar) || type.is(TypeRoot::kBinary);
      if (!fixed && type.length() == LogicalType::kMaxLength) continue;
      bounded_.push_back({i, static_cast<size_t>(type.length()), type.is_binary(), fixed});
    }
  }

  void process_batch(int, const BatchPtr& input, OperatorOutput& output) override {
    auto batch = std::static_pointer_cast<const RowBatch>(input);
    batch = without_nulls(std::move(batch));
    if (batch->num_records() == 0) return;
    if (bounded_.empty()) return output.emit(std::move(batch));
    batch = compact(batch);
    auto result = std::make_shared<RowBatch>(*batch);
    for (const BoundedColumn& bounded : bounded_) bound(bounded, result->columns[bounded.index]);
    output.emit(std::move(result));
  }

 private:
  const RowField& field(size_t index) const { return spec_->columns.fields()[index]; }

  RowBatchPtr without_nulls(RowBatchPtr batch) const {
    std::vector<uint8_t> dropped;
    for (const int index : spec_->not_null) {
      const Column& column = *batch->columns[static_cast<size_t>(index)];
      if (!column.may_have_nulls()) continue;
      for (size_t i = 0; i < batch->num_records(); ++i) {
        if (column.is_valid(batch->selection ? (*batch->selection)[i] : i)) continue;
        if (!spec_->drop_nulls) {
          throw user_error(3110,
                           "Column '{}' is NOT NULL, however, a null value is being written into it. You can set job "
                           "configuration 'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and "
                           "drop such records silently.",
                           field(static_cast<size_t>(index)).name);
        }
        dropped.resize(batch->num_records());
        dropped[i] = 1;
      }
    }
    if (dropped.empty()) return batch;
    Selection kept;
    for (size_t i = 0; i < dropped.size(); ++i) {
      if (!dropped[i]) kept.push_back(batch->selection ? (*batch->selection)[i] : static_cast<uint32_t>(i));
    }
    auto result = std::make_shared<RowBatch>(*batch);
    result->selection = std::make_shared<const Selection>(std::move(kept));
    return result;
  }

  /// Replaces the column where a cell does not fit.
  void bound(const BoundedColumn& bounded, ColumnPtr& column) const {
    bool all_fit = true;
    for (size_t row = 0; row < column->size() && all_fit; ++row) {
      if (column->is_null(row)) continue;
      const std::string_view cell = column->string_at(row);
      all_fit = bounded.fits(cell, bounded.fitting(cell));
      if (!all_fit && spec_->length == Length::kThrow) refuse(bounded, cell);
    }
    if (all_fit) return;
    ColumnBuilder builder(column->type());
    std::string text;
    for (size_t row = 0; row < column->size(); ++row) {
      if (column->is_null(row)) {
        builder.append_null();
        continue;
      }
      const std::string_view cell = column->string_at(row);
      const Prefix prefix = bounded.fitting(cell);
      text = cell.substr(0, prefix.bytes);
      if (bounded.fixed) text.append(bounded.length - prefix.characters, bounded.binary ? '\0' : ' ');
      builder.append_string(text);
    }
    column = builder.finish();
  }

  [[noreturn]] void refuse(const BoundedColumn& bounded, std::string_view cell) const {
    throw user_error(3111,
                     "Column '{}' is {}, however, a string of length {} is being written into it. You can set job "
                     "configuration 'table.exec.sink.type-length-enforcer' to control this behaviour.",
                     field(bounded.index).name, field(bounded.index).type.as_nullable().to_string(),
                     bounded.binary ? cell.size() : prefix_of(cell, cell.size()).characters);
  }

  std::shared_ptr<const ConstraintEnforcerSpec> spec_;
  std::vector<BoundedColumn> bounded_;
};

class ConstraintEnforcerFactory final : public OperatorFactory {
 public:
  explicit ConstraintEnforcerFactory(ConstraintEnforcerSpec spec)
      : spec_(std::make_shared<const ConstraintEnforcerSpec>(std::move(spec))) {}
  std::unique_ptr<Operator> create() const override { return std::make_unique<ConstraintEnforcer>(spec_); }

 private:
  std::shared_ptr<const ConstraintEnforcerSpec> spec_;
};

}  // namespace

std::shared_ptr<const OperatorFactory> make_constraint_enforcer(ConstraintEnforcerSpec spec) {
  return std::make_shared<ConstraintEnforcerFactory>(std::move(spec));
}

}  // namespace yeoul
