#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/datastream/operator_factories.h"
#include "yeoul/datastream/record_type.h"
#include "yeoul/formats/api/changelog_mode.h"
#include "yeoul/runtime/operator.h"
#include "yeoul/table/changelog_record.h"

namespace yeoul {

/// What a scan of a stream's table gives: columns made of fields, or of the records' event time.
struct ToRowsSpec {
  /// In place of a field: the event time of the record.
  static constexpr int kRowtime = -1;

  struct Part {
    int field = kRowtime;
    LogicalType type;
    std::string column;
  };
  std::string table;
  std::vector<Part> parts;
  ChangelogMode mode = ChangelogMode::insert_only();
  bool forward_watermarks = false;  ///< by SOURCE_WATERMARK(); otherwise only the last one, of the end, passes
};

/// What does not depend on the record's type. Threads: the task's.
class ToRowsBase : public Operator {
 public:
  explicit ToRowsBase(std::shared_ptr<const ToRowsSpec> spec) : spec_(std::move(spec)) {}

  void process_watermark(int64_t watermark, OperatorOutput& output) override;

 protected:
  const ToRowsSpec& spec() const { return *spec_; }
  /// @throws user error 3301 for a record without event time
  ColumnPtr rowtime_column(const std::vector<int64_t>& timestamps, size_t count, const ToRowsSpec::Part& part) const;
  /// @throws user error 3302 for a kind that the table's changelog mode does not have
  void check_kinds(const std::vector<RowKind>& kinds) const;

 private:
  std::shared_ptr<const ToRowsSpec> spec_;
};

/// Records to rows: one typed loop for each column that the query reads.
template <class Record>
class ToRowsOperator final : public ToRowsBase {
 public:
  using ToRowsBase::ToRowsBase;

  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input;
    const auto& from = batch_cast<Record>(*batch);
    const size_t count = from.values.size();
    auto rows = std::make_shared<RowBatch>();
    rows->num_rows = count;
    rows->columns.reserve(spec().parts.size());
    for (const ToRowsSpec::Part& part : spec().parts) {
      rows->columns.push_back(part.field == ToRowsSpec::kRowtime
                                  ? rowtime_column(from.timestamps, count, part)
                                  : kMakers[static_cast<size_t>(part.field)](from, part.type));
    }
    rows->timestamps = from.timestamps;
    if constexpr (TableRecord<Record>::kHasKind) {
      rows->kinds.reserve(count);
      for (const Record& record : from.values) rows->kinds.push_back(record.kind);
      check_kinds(rows->kinds);
    }
    output.emit(std::move(rows));
  }

 private:
  using Value = typename TableRecord<Record>::Value;
  using Fields = RecordFields<Value>;
  using Maker = ColumnPtr (*)(const Batch<Record>&, const LogicalType&);

  template <size_t I>
  static ColumnPtr make(const Batch<Record>& from, const LogicalType& type) {
    return make_column<typename Fields::template Field<I>>(type, from.values.size(), [&](size_t i) -> decltype(auto) {
      return Fields::template get<I>(TableRecord<Record>::value(from.values[i]));
    });
  }
  static constexpr auto kMakers = []<size_t... I>(std::index_sequence<I...>) {
    return std::array<Maker, sizeof...(I)>{&make<I>...};
  }(std::make_index_sequence<Fields::count()>());
};

/// Rows of a stream of rows: columns are picked. @throws user error 7124 for a column of another type than declared
class PickRowsOperator final : public ToRowsBase {
 public:
  using ToRowsBase::ToRowsBase;
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override;
};

/// What a query gives a stream of records.
struct ToRecordsSpec {
  std::vector<std::string> columns;  ///< what each is called in errors
  int rowtime = -1;                  ///< the column that is the records' event time; none
  bool upsert = false;               ///< -U, which only a filter leaves in an upsert changelog, takes the row away: -D
  RowKind kind(RowKind kind) const { return upsert && kind == RowKind::kUpdateBefore ? RowKind::kDelete : kind; }
  /// Event time of the rows that live in the batch; empty where none has one.
  std::vector<int64_t> timestamps(const RowBatch& rows) const;
};

/// Rows to records: one typed loop for each field. Threads: the task's.
template <class Record>
class ToRecordsOperator final : public Operator {
 public:
  explicit ToRecordsOperator(std::shared_ptr<const ToRecordsSpec> spec) : spec_(std::move(spec)) {}

  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input;
    const auto& rows = batch_cast<Row>(*batch);
    const size_t count = rows.num_records();
    auto to = std::make_shared<Batch<Record>>();
    to->values.resize(count);
    const uint32_t* selection = rows.selection ? rows.selection->data() : nullptr;
    Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I>) { read<I>(rows, selection, *to); });
    if constexpr (TableRecord<Record>::kHasKind) {
      for (size_t i = 0; i < count; ++i) {
        to->values[i].kind = spec_->kind(rows.kind(selection ? selection[i] : i));
      }
    }
    to->timestamps = spec_->timestamps(rows);
    output.emit(std::move(to));
  }

 private:
  using Fields = RecordFields<typename TableRecord<Record>::Value>;

  template <size_t I>
  void read(const RowBatch& rows, const uint32_t* selection, Batch<Record>& to) const {
    using Field = typename Fields::template Field<I>;
    const Column& column = *rows.columns[I];
    try {
      for (size_t i = 0; i < to.values.size(); ++i) {
        Fields::template get<I>(TableRecord<Record>::value(to.values[i])) =
            ColumnValues<Field>::read(column, selection ? selection[i] : i);
      }
    } catch (Error& error) {
      error.add_context(spec_->columns[I]);
      throw;
    }
  }

  std::shared_ptr<const ToRecordsSpec> spec_;
};

/// Rows for a stream of rows: dense, with their event time.
std::shared_ptr<const OperatorFactory> make_dense_rows(std::shared_ptr<const ToRecordsSpec> spec);

/// The operator behind a query for a stream of these records.
template <class Record>
std::shared_ptr<const OperatorFactory> make_to_records(ToRecordsSpec spec) {
  auto shared = std::make_shared<const ToRecordsSpec>(std::move(spec));
  if constexpr (std::is_same_v<Record, Row>) {
    return make_dense_rows(std::move(shared));
  } else {
    return operator_factory<ToRecordsOperator<Record>>(std::move(shared));
  }
}
/// The operator of a scan of a stream of these records.
template <class Record>
std::shared_ptr<const OperatorFactory> make_to_rows(ToRowsSpec spec) {
  auto shared = std::make_shared<const ToRowsSpec>(std::move(spec));
  if constexpr (std::is_same_v<Record, Row>) {
    return operator_factory<PickRowsOperator>(std::move(shared));
  } else {
    return operator_factory<ToRowsOperator<Record>>(std::move(shared));
  }
}

}  // namespace yeoul
