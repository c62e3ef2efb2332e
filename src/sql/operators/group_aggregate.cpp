#include "yeoul/sql/operators/group_aggregate.h"

#include <algorithm>
#include <string>
#include <utility>

#include "yeoul/sql/operators/aggregate_state.h"
#include "yeoul/sql/operators/cell_aggregate.h"
#include "yeoul/sql/operators/changelog_rows.h"
#include "yeoul/sql/operators/row_selector.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

/// How many records a key has, and its number in the batch at hand, which is not stored.
struct KeyRecords {
  struct Cell {
    int64_t records = 0;
    uint32_t group = kNoGroup;
  };
  static constexpr uint32_t kNoGroup = 0xffffffff;
  static void encode(const Cell& cell, ByteWriter& out) { out.fixed(cell.records); }
  static void decode(ByteReader& in, Cell& cell) { cell.records = in.fixed<int64_t>(); }
};

class GroupAggregate final : public Operator {
 public:
  explicit GroupAggregate(std::shared_ptr<const GroupAggregateSpec> spec) : spec_(std::move(spec)) {}

  void open(OperatorContext& context) override;
  void process_batch(int, const BatchPtr& batch, OperatorOutput& output) override;
  void process_watermark(int64_t watermark, OperatorOutput& output) override {
    flush(output);
    output.emit_watermark(watermark);
  }
  void prepare_barrier(OperatorOutput& output) override { flush(output); }
  void end_input(int, OperatorOutput& output) override { flush(output); }

 private:
  struct Aggregate {
    size_t selector;
    std::unique_ptr<AggregateState> state;
  };

  bool per_row() const { return spec_->emission == AggregateEmission::kPerRow; }
  size_t selector_for(const AggregateCall& call);
  void buffer(RowBatchPtr batch, OperatorOutput& output);
  void flush(OperatorOutput& output);
  void aggregate(const RowBatchPtr& batch, OperatorOutput& output);
  void group_rows(const RowBatchPtr& batch);
  void count_inserts();
  void count_folded();
  void count_row_by_row();
  void compute_results();
  void list_folded_changes();
  void list_changes_row_by_row();
  void emit(OperatorOutput& output);
  void end_batch();

  std::shared_ptr<const GroupAggregateSpec> spec_;
  OperatorContext* context_ = nullptr;
  std::vector<std::string> column_names_;
  ValueStateStore* records_ = nullptr;
  std::vector<RowSelector> selectors_;
  std::vector<Aggregate> aggregates_;

  // Mini-batch: what waits.
  std::vector<RowBatchPtr> waiting_;
  size_t waiting_rows_ = 0;
  uint64_t bundle_ = 0;

  // The batch at hand.
  GroupedRows rows_;
  std::vector<Slot> row_slots_;
  std::vector<KeyRecords::Cell*> row_records_;
  std::vector<KeyRecords::Cell*> group_records_;
  std::vector<uint32_t> first_row_;  ///< of each group
  std::vector<ColumnPtr> before_;    ///< results by group (folded) or by row
  std::vector<ColumnPtr> after_;
  std::vector<uint8_t> changed_;
  ChangelogRows changes_;
};

size_t GroupAggregate::selector_for(const AggregateCall& call) {
  const std::vector<int> distinct = call.distinct ? call.arguments : std::vector<int>();
  for (size_t i = 0; i < selectors_.size(); ++i) {
    if (selectors_[i].serves(call.filter, distinct)) return i;
  }
  selectors_.emplace_back(call.filter, distinct, spec_->input, column_names_, context_->keyed_state());
  return selectors_.size() - 1;
}

void GroupAggregate::open(OperatorContext& context) {
  context_ = &context;
  KeyedStateBackend& backend = context.keyed_state();
  records_ = &backend.value_state({.name = "records", .kind = StateKind::kValue, .value_type = "BIGINT"},
                                  function_cell_type<KeyRecords>());
  column_names_ = spec_->input_origins;
  if (column_names_.empty()) {
    for (const RowField& field : spec_->input.fields()) column_names_.push_back(field.name);
  }
  std::vector<std::string> used;
  for (const AggregateCall& call : spec_->calls) {
    std::string name = call.to_string(column_names_);
    const auto repeats = std::count(used.begin(), used.end(), name);
    used.push_back(name);
    if (repeats != 0) name += fmt::format(" #{}", repeats + 1);
    const size_t selector = selector_for(call);
    aggregates_.push_back({selector, make_aggregate_state(call, spec_->input, spec_->input_retracts, name, backend)});
  }
}

void GroupAggregate::process_batch(int, const BatchPtr& batch, OperatorOutput& output) {
  RowBatchPtr dense = compact(std::static_pointer_cast<const RowBatch>(batch));
  if (dense->num_rows == 0) return;
  if (spec_->emission == AggregateEmission::kMiniBatch) return buffer(std::move(dense), output);
  aggregate(dense, output);
}

void GroupAggregate::buffer(RowBatchPtr batch, OperatorOutput& output) {
  if (waiting_.empty()) {
    const int64_t at = context_->clock().wall_ms() + spec_->mini_batch_latency_ms;
    context_->register_processing_timer(at, [this, bundle = bundle_] {
      if (bundle == bundle_) flush(context_->output());
    });
  }
  waiting_rows_ += batch->num_rows;
  waiting_.push_back(std::move(batch));
  if (static_cast<int64_t>(waiting_rows_) >= spec_->mini_batch_size) flush(output);
}

void GroupAggregate::flush(OperatorOutput& output) {
  if (waiting_.empty()) return;
  ++bundle_;
  std::vector<RowBatchPtr> batches;
  std::swap(batches, waiting_);
  waiting_rows_ = 0;
  if (batches.size() == 1) return aggregate(batches[0], output);
  auto bundle = std::make_shared<RowBatch>();
  for (size_t column = 0; column < batches[0]->columns.size(); ++column) {
    std::vector<ColumnPtr> parts;
    for (const RowBatchPtr& batch : batches) parts.push_back(batch->columns[column]);
    bundle->columns.push_back(concat(parts));
  }
  for (const RowBatchPtr& batch : batches) {
    for (size_t row = 0; row < batch->num_rows; ++row) bundle->kinds.push_back(batch->kind(row));
    bundle->num_rows += batch->num_rows;
  }
  aggregate(bundle, output);
}

void GroupAggregate::aggregate(const RowBatchPtr& batch, OperatorOutput& output) {
  group_rows(batch);
  const bool retractions = std::any_of(batch->kinds.begin(), batch->kinds.end(), is_retraction);
  YEOUL_CHECK(!retractions || spec_->input_retracts, "'{}' got a retraction that was not planned for",
              context_->operator_name());
  if (per_row()) {
    count_row_by_row();
  } else if (retractions) {
    count_folded();
  } else {
    count_inserts();
  }
  compute_results();
  changes_.clear();
  if (per_row()) {
    list_changes_row_by_row();
  } else {
    list_folded_changes();
  }
  emit(output);
  end_batch();
}

/// Resolves the keys and numbers them.
void GroupAggregate::group_rows(const RowBatchPtr& batch) {
  const size_t count = batch->num_rows;
  rows_.batch = batch.get();
  row_slots_.resize(count);
  row_records_.resize(count);
  context_->keyed_state().resolve(canonical_keys(*batch, spec_->keys), true, row_slots_);
  records_->cells(row_slots_, {reinterpret_cast<void**>(row_records_.data()), count});
  rows_.groups.resize(count);
  rows_.slots.clear();
  group_records_.clear();
  first_row_.clear();
  for (size_t row = 0; row < count; ++row) {
    KeyRecords::Cell& cell = *row_records_[row];
    if (cell.group == KeyRecords::kNoGroup) {
      cell.group = static_cast<uint32_t>(rows_.slots.size());
      rows_.slots.push_back(row_slots_[row]);
      group_records_.push_back(&cell);
      first_row_.push_back(static_cast<uint32_t>(row));
    }
    rows_.groups[row] = cell.group;
  }
  const size_t groups = rows_.num_groups();
  rows_.records_before.resize(groups);
  for (size_t group = 0; group < groups; ++group) rows_.records_before[group] = group_records_[group]->records;
  rows_.records_after = rows_.records_before;
  rows_.actions.clear();
  rows_.resets.clear();
}

void GroupAggregate::count_inserts() {
  for (const uint32_t group : rows_.groups) ++rows_.records_after[group];
}

/// As Flink's mini-batch: retractions that come before a new key's first record are dropped.
void GroupAggregate::count_folded() {
  rows_.actions.assign(rows_.num_rows(), RowAction::kAccumulate);
  std::vector<uint8_t> known(rows_.num_groups());
  for (size_t group = 0; group < known.size(); ++group) known[group] = rows_.records_before[group] != 0;
  for (size_t row = 0; row < rows_.num_rows(); ++row) {
    const uint32_t group = rows_.groups[row];
    if (!is_retraction(rows_.batch->kind(row))) {
      known[group] = 1;
      ++rows_.records_after[group];
    } else if (known[group]) {
      rows_.actions[row] = RowAction::kRetract;
      --rows_.records_after[group];
    } else {
      rows_.actions[row] = RowAction::kIgnore;
    }
  }
}

void GroupAggregate::count_row_by_row() {
  const size_t count = rows_.num_rows();
  rows_.actions.assign(count, RowAction::kAccumulate);
  rows_.resets.assign(count, 0);
  rows_.row_records_before.resize(count);
  rows_.row_records_after.resize(count);
  std::vector<uint8_t> deleted(rows_.num_groups());
  for (size_t row = 0; row < count; ++row) {
    const uint32_t group = rows_.groups[row];
    int64_t& records = rows_.records_after[group];
    rows_.row_records_before[row] = records;
    if (is_retraction(rows_.batch->kind(row))) {
      rows_.actions[row] = records == 0 ? RowAction::kIgnore : RowAction::kRetract;
    } else if (records == 0) {
      rows_.resets[row] = deleted[group];
    }
    records += static_cast<int64_t>(rows_.actions[row]);
    if (records == 0 && rows_.actions[row] == RowAction::kRetract) deleted[group] = 1;
    rows_.row_records_after[row] = records;
  }
}

void GroupAggregate::compute_results() {
  for (RowSelector& selector : selectors_) selector.select(rows_);
  before_.clear();
  after_.clear();
  changed_.assign(per_row() ? rows_.num_rows() : rows_.num_groups(), 0);
  for (size_t i = 0; i < aggregates_.size(); ++i) {
    AggregateState& state = *aggregates_[i].state;
    const RowAction* actions = selectors_[aggregates_[i].selector].actions();
    ColumnBuilder before(spec_->calls[i].type);
    ColumnBuilder after(spec_->calls[i].type);
    before.reserve(changed_.size());
    after.reserve(changed_.size());
    state.load(rows_);
    if (per_row()) {
      state.trace(rows_, actions, before, after);
    } else {
      state.append_results(rows_, false, before);
      state.update(rows_, actions);
      state.append_results(rows_, true, after);
    }
    before_.push_back(before.finish());
    after_.push_back(after.finish());
    mark_changes(*before_.back(), *after_.back(), changed_);
  }
}

void GroupAggregate::list_folded_changes() {
  for (uint32_t group = 0; group < rows_.num_groups(); ++group) {
    const bool was = rows_.records_before[group] != 0;
    const bool is = rows_.records_after[group] != 0;
    if (!was && is) {
      changes_.add_after(RowKind::kInsert, group);
    } else if (was && !is) {
      changes_.add_before(RowKind::kDelete, group);
    } else if (was && changed_[group]) {
      changes_.add_update(group, group, spec_->generate_update_before);
    }
  }
}

void GroupAggregate::list_changes_row_by_row() {
  for (uint32_t row = 0; row < rows_.num_rows(); ++row) {
    if (rows_.actions[row] == RowAction::kIgnore) continue;
    if (rows_.row_records_before[row] == 0) {
      changes_.add_after(RowKind::kInsert, row);
    } else if (rows_.row_records_after[row] == 0) {
      changes_.add_before(RowKind::kDelete, row);
    } else if (changed_[row]) {
      changes_.add_update(row, row, spec_->generate_update_before);
    }
  }
}

void GroupAggregate::emit(OperatorOutput& output) {
  if (changes_.empty()) return;
  std::vector<uint32_t> key_rows = changes_.rows();
  if (!per_row()) {
    for (uint32_t& row : key_rows) row = first_row_[row];
  }
  std::vector<ColumnPtr> columns;
  for (const int key : spec_->keys) columns.push_back(take(*rows_.batch->columns[static_cast<size_t>(key)], key_rows));
  for (size_t i = 0; i < aggregates_.size(); ++i) columns.push_back(changes_.gather(before_[i], after_[i]));
  changes_.emit(std::move(columns), {}, static_cast<size_t>(context_->batch_records_max()), output);
}

void GroupAggregate::end_batch() {
  std::vector<Slot> gone;
  for (size_t group = 0; group < rows_.num_groups(); ++group) {
    group_records_[group]->records = rows_.records_after[group];
    group_records_[group]->group = KeyRecords::kNoGroup;
    if (rows_.records_after[group] == 0) gone.push_back(rows_.slots[group]);
  }
  KeyedStateBackend& backend = context_->keyed_state();
  backend.remove(gone);
  backend.end_batch();
}

class GroupAggregateFactory final : public OperatorFactory {
 public:
  explicit GroupAggregateFactory(GroupAggregateSpec spec)
      : spec_(std::make_shared<const GroupAggregateSpec>(std::move(spec))) {}
  std::unique_ptr<Operator> create() const override { return std::make_unique<GroupAggregate>(spec_); }
  bool keyed() const override { return true; }

 private:
  std::shared_ptr<const GroupAggregateSpec> spec_;
};

}  // namespace

std::shared_ptr<const OperatorFactory> make_group_aggregate(GroupAggregateSpec spec) {
  return std::make_shared<GroupAggregateFactory>(std::move(spec));
}

}  // namespace yeoul
