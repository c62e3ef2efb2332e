#include "yeoul/types/kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

#include "yeoul/types/row_literal.h"
#include "yeoul/types/test_values.h"
#include "yeoul/types/text.h"

namespace yeoul {
namespace {

std::vector<LogicalType> many_types() {
  const LogicalType text = LogicalType::string();
  const LogicalType row = LogicalType::row({{"a", LogicalType::integer()}, {"b", text}});
  return {
      LogicalType::boolean(),
      LogicalType::tinyint(),
      LogicalType::smallint(),
      LogicalType::integer(),
      LogicalType::bigint(),
      LogicalType::real(),
      LogicalType::double_(),
      LogicalType::decimal(38, 2),
      text,
      LogicalType::bytes(),
      LogicalType::date(),
      LogicalType::timestamp(3),
      LogicalType::timestamp(6),
      LogicalType::timestamp(9),
      LogicalType::interval_day_time(),
      LogicalType::null(),
      LogicalType::array(text),
      LogicalType::array(LogicalType::array(LogicalType::double_())),
      LogicalType::map(text, LogicalType::integer()),
      LogicalType::multiset(text),
      row,
      LogicalType::row({{"r", row}, {"m", LogicalType::map(LogicalType::integer(), row)}, {"n", LogicalType::null()}})};
}

/// Values with many repeats and all the edges, so that equal and close cells are frequent.
class RandomValues {
 public:
  explicit RandomValues(uint32_t seed) : random_(seed) {}

  size_t below(size_t bound) { return random_() % bound; }

  Value value(const LogicalType& type) {
    if (below(6) == 0) return {};
    switch (type.physical()) {
      case PhysicalType::kBool:
        return Value(below(2) == 1);
      case PhysicalType::kInt8:
        return Value(integer<int8_t>());
      case PhysicalType::kInt16:
        return Value(integer<int16_t>());
      case PhysicalType::kInt32:
        return Value(integer<int32_t>());
      case PhysicalType::kInt64:
        if (type.is_timestamp()) return Value(timestamp(type.precision() > 3 ? 1000 : 0));
        return Value(integer<int64_t>());
      case PhysicalType::kFloat:
        return Value(static_cast<double>(static_cast<float>(real())));
      case PhysicalType::kDouble:
        return Value(real());
      case PhysicalType::kInt128:
        return Value(static_cast<int128>(integer<int64_t>()) * (below(2) == 0 ? 1 : power_of_ten(18)));
      case PhysicalType::kTimestampNanos:
        return Value(timestamp(1));
      case PhysicalType::kBytes:
        return Value(bytes());
      case PhysicalType::kList:
        return collection(type, below(4));
      case PhysicalType::kMap:
        return map(type);
      case PhysicalType::kStruct:
        return row(type);
      case PhysicalType::kNone:
        return {};
    }
    return {};
  }

  ColumnPtr column(const LogicalType& type, size_t size) {
    ColumnBuilder builder(type);
    for (size_t i = 0; i < size; ++i) builder.append_value(value(type));
    return builder.finish();
  }

 private:
  template <class T>
  int64_t integer() {
    switch (below(4)) {
      case 0:
        return std::numeric_limits<T>::min();
      case 1:
        return std::numeric_limits<T>::max();
      case 2:
        return static_cast<int64_t>(below(5)) - 2;
      default:
        return static_cast<T>(random_() * 0x100000001ull);
    }
  }
  double real() {
    constexpr double kEdges[] = {0.0,
                                 -0.0,
                                 1.5,
                                 -1.5,
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN(),
                                 1e-300,
                                 3e38};
    return below(2) == 0 ? kEdges[below(std::size(kEdges))] : (static_cast<double>(below(2000)) - 1000) / 8;
  }
  TimestampValue timestamp(int32_t step) {
    return {static_cast<int64_t>(below(3)) - 1, step == 0 ? 0 : static_cast<int32_t>(below(3)) * step};
  }
  std::string bytes() {
    constexpr std::string_view kAlphabet("\0\1ab\xff", 5);
    std::string text;
    const size_t size = below(8) == 0 ? 100 + below(100) : below(4);
    for (size_t i = 0; i < size; ++i) text.push_back(kAlphabet[below(kAlphabet.size())]);
    return text;
  }
  Value collection(const LogicalType& type, size_t size) {
    auto list = std::make_shared<ValueList>();
    for (size_t i = 0; i < size; ++i) list->push_back(value(type.child(0)));
    return Value(std::move(list));
  }
  Value map(const LogicalType& type) {
    auto list = std::make_shared<ValueList>();
    for (size_t i = below(4); i > 0; --i) {
      const Value key = value(type.child(0));
      bool known = false;
      for (size_t k = 0; k < list->size(); k += 2) known |= (*list)[k] == key;
      if (known) continue;
      list->push_back(key);
      list->push_back(value(type.child(1)));
    }
    return Value(std::move(list));
  }
  Value row(const LogicalType& type) {
    auto list = std::make_shared<ValueList>();
    for (const RowField& field : type.fields()) list->push_back(value(field.type));
    return Value(std::move(list));
  }

  std::mt19937 random_;
};

void expect_cells(const Column& column, const std::vector<Value>& expected) {
  ASSERT_EQ(column.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(column.value_at(i), expected[i]) << column.type().to_string() << " " << i;
  }
}

class EveryType : public testing::TestWithParam<size_t> {
 protected:
  LogicalType type_ = many_types()[GetParam()];
  RandomValues random_{static_cast<uint32_t>(GetParam()) + 1};
};

TEST_P(EveryType, BuilderKeepsValues) {
  std::vector<Value> values;
  ColumnBuilder builder(type_);
  builder.reserve(100);
  for (size_t i = 0; i < 300; ++i) {
    values.push_back(random_.value(type_));
    builder.append_value(values.back());
  }
  const ColumnPtr column = builder.finish();
  expect_cells(*column, values);
  for (size_t i = 0; i < values.size(); ++i) builder.append_from(*column, i);
  builder.truncate(77);
  for (size_t i = 77; i < values.size(); ++i) builder.append_from(*column, i);
  expect_cells(*builder.finish(), values);
}

TEST_P(EveryType, TakeSliceAndConcat) {
  for (const size_t size : {0, 1, 7, 8, 9, 64, 65, 200}) {
    const ColumnPtr column = random_.column(type_, size);
    Selection picked;
    std::vector<Value> expected;
    for (size_t i = 0; size > 0 && i < size * 2; ++i) {
      picked.push_back(static_cast<uint32_t>(random_.below(size)));
      expected.push_back(column->value_at(picked.back()));
    }
    expect_cells(*take(*column, picked), expected);

    std::vector<ColumnPtr> parts;
    expected.clear();
    for (int part = 0; part < 4; ++part) {
      const size_t first = size == 0 ? 0 : random_.below(size);
      const size_t count = size == 0 ? 0 : random_.below(size - first + 1);
      parts.push_back(slice(*column, first, count));
      for (size_t i = 0; i < count; ++i) expected.push_back(column->value_at(first + i));
    }
    parts.push_back(column);
    for (size_t i = 0; i < size; ++i) expected.push_back(column->value_at(i));
    expect_cells(*concat(parts), expected);
  }
}

TEST_P(EveryType, RepeatAndWithType) {
  const Value value = random_.value(type_);
  expect_cells(*repeat(type_, value, 70), std::vector<Value>(70, value));
  EXPECT_EQ(repeat(type_, value, 0)->size(), 0u);
  const ColumnPtr column = random_.column(type_, 50);
  const ColumnPtr renamed = with_type(column, type_.not_null());
  EXPECT_EQ(renamed->type(), type_.not_null());
  std::vector<Value> values;
  for (size_t i = 0; i < column->size(); ++i) values.push_back(column->value_at(i));
  expect_cells(*renamed, values);
  EXPECT_EQ(with_type(column, type_), column);
}

TEST_P(EveryType, CanonicalBytesRoundTripAndMeanEquality) {
  const ColumnPtr column = random_.column(type_, 120);
  ColumnBuilder builder(type_);
  std::vector<std::string> keys(column->size());
  for (size_t i = 0; i < column->size(); ++i) {
    append_canonical(*column, i, keys[i]);
    std::string_view rest = keys[i];
    append_from_canonical(rest, builder);
    EXPECT_TRUE(rest.empty());
  }
  const ColumnPtr back = builder.finish();
  for (size_t i = 0; i < column->size(); ++i) {
    ASSERT_TRUE(equal_cells(*column, i, *back, i)) << type_.to_string() << " " << hex_text(keys[i]);
    for (size_t j = 0; j < column->size(); ++j) {
      ASSERT_EQ(equal_cells(*column, i, *column, j), keys[i] == keys[j])
          << hex_text(keys[i]) << " " << hex_text(keys[j]);
    }
  }
}

TEST_P(EveryType, CutCanonicalBytesAreRefused) {
  const ColumnPtr column = random_.column(type_, 20);
  for (size_t i = 0; i < column->size(); ++i) {
    std::string bytes;
    append_canonical(*column, i, bytes);
    for (size_t cut = 0; cut < bytes.size(); ++cut) {
      ColumnBuilder builder(type_);
      std::string_view rest = std::string_view(bytes).substr(0, cut);
      EXPECT_THROW(append_from_canonical(rest, builder), Error);
    }
  }
}

TEST_P(EveryType, SortableBytesHaveTheOrderOfCells) {
  const ColumnPtr column = random_.column(type_, 120);
  ColumnBuilder builder(type_);
  std::vector<std::string> keys(column->size());
  for (size_t i = 0; i < column->size(); ++i) {
    append_sortable(*column, i, keys[i]);
    std::string_view rest = keys[i];
    append_from_sortable(rest, builder);
    EXPECT_TRUE(rest.empty());
  }
  const ColumnPtr back = builder.finish();
  for (size_t i = 0; i < column->size(); ++i) {
    ASSERT_TRUE(equal_cells(*column, i, *back, i)) << type_.to_string() << " " << hex_text(keys[i]);
    for (size_t j = 0; j < column->size(); ++j) {
      const std::strong_ordering order = compare_cells(*column, i, *column, j);
      ASSERT_EQ(order < 0, keys[i] < keys[j])
          << type_.to_string() << " " << hex_text(keys[i]) << " " << hex_text(keys[j]);
      ASSERT_EQ(order == 0, keys[i] == keys[j]);
      ASSERT_EQ(compare_cells(*column, j, *column, i) > 0, order < 0);
    }
  }
}

TEST_P(EveryType, KeysOfABatchAreTheCellsOneAfterTheOther) {
  const std::vector<LogicalType> types = many_types();
  const LogicalType& other = types[random_.below(types.size())];
  for (const size_t size : {0, 1, 100}) {
    const RowBatch batch({random_.column(type_, size), random_.column(other, size)}, size);
    for (const std::vector<int>& columns : {std::vector<int>{0}, std::vector<int>{1, 0}, std::vector<int>{}}) {
      const CanonicalKeys keys = canonical_keys(batch, columns);
      ASSERT_EQ(keys.size(), size);
      for (size_t i = 0; i < size; ++i) {
        std::string expected;
        for (const int c : columns) append_canonical(*batch.columns[static_cast<size_t>(c)], i, expected);
        ASSERT_EQ(hex_text(keys[i]), hex_text(expected));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EveryType, testing::Range<size_t>(0, many_types().size()));

std::string canonical_of(const LogicalType& type, const Value& value) {
  std::string bytes;
  append_canonical(*repeat(type, value, 1), 0, bytes);
  return hex_text(bytes);
}

std::string sortable_of(const LogicalType& type, const Value& value) {
  std::string bytes;
  append_sortable(*repeat(type, value, 1), 0, bytes);
  return hex_text(bytes);
}

// Stored in checkpoints and hashed for key groups: a change here loses everybody's state.
TEST(Canonical, BytesNeverChange) {
  EXPECT_EQ(canonical_of(LogicalType::bigint(), Value()), "00");
  EXPECT_EQ(canonical_of(LogicalType::boolean(), Value(true)), "0101");
  EXPECT_EQ(canonical_of(LogicalType::tinyint(), Value(int64_t{-2})), "01fe");
  EXPECT_EQ(canonical_of(LogicalType::smallint(), Value(int64_t{258})), "010201");
  EXPECT_EQ(canonical_of(LogicalType::integer(), Value(int64_t{1})), "0101000000");
  EXPECT_EQ(canonical_of(LogicalType::bigint(), Value(int64_t{-1})), "01ffffffffffffffff");
  EXPECT_EQ(canonical_of(LogicalType::real(), Value(1.5)), "010000c03f");
  EXPECT_EQ(canonical_of(LogicalType::double_(), Value(-0.0)), "010000000000000080");
  EXPECT_EQ(canonical_of(LogicalType::double_(), Value(std::bit_cast<double>(0xfff0000000000123ull))),
            "01000000000000f87f");
  EXPECT_EQ(canonical_of(LogicalType::decimal(38, 2), Value(int128{-2})), "01feffffffffffffffffffffffffffffff");
  EXPECT_EQ(canonical_of(LogicalType::string(), text_value("abc")), "0103616263");
  EXPECT_EQ(canonical_of(LogicalType::string(), text_value(std::string(200, 'x'))).substr(0, 8), "01c80178");
  EXPECT_EQ(canonical_of(LogicalType::timestamp(3), Value(TimestampValue{1, 0})), "010100000000000000");
  EXPECT_EQ(canonical_of(LogicalType::timestamp(6), Value(TimestampValue{1, 2000})), "01ea03000000000000");
  EXPECT_EQ(canonical_of(LogicalType::timestamp(9), Value(TimestampValue{1, 2})), "01010000000000000002000000");
  EXPECT_EQ(canonical_of(LogicalType::array(LogicalType::tinyint()), list_value({Value(int64_t{5}), Value()})),
            "0102010500");
  // Entries in key order, however the map was made.
  EXPECT_EQ(canonical_of(LogicalType::map(LogicalType::string(), LogicalType::tinyint()),
                         list_value({text_value("b"), Value(int64_t{2}), text_value("a"), Value(int64_t{1})})),
            "0102010161010101016201"
            "02");
  EXPECT_EQ(canonical_of(LogicalType::row({{"a", LogicalType::tinyint()}, {"b", LogicalType::string()}}),
                         list_value({Value(int64_t{7}), text_value("x")})),
            "010107010178");
}

TEST(Sortable, BytesNeverChange) {
  EXPECT_EQ(sortable_of(LogicalType::bigint(), Value()), "00");
  EXPECT_EQ(sortable_of(LogicalType::boolean(), Value(true)), "0181");
  EXPECT_EQ(sortable_of(LogicalType::integer(), Value(int64_t{-1})), "017fffffff");
  EXPECT_EQ(sortable_of(LogicalType::integer(), Value(int64_t{1})), "0180000001");
  EXPECT_EQ(sortable_of(LogicalType::double_(), Value(1.5)), "01bff8000000000000");
  EXPECT_EQ(sortable_of(LogicalType::double_(), Value(-1.5)), "014007ffffffffffff");
  EXPECT_EQ(sortable_of(LogicalType::string(), text_value(std::string_view("a\0b", 3))), "016100ff620000");
  EXPECT_EQ(sortable_of(LogicalType::timestamp(9), Value(TimestampValue{1, 2})), "01800000000000000180000002");
  EXPECT_EQ(sortable_of(LogicalType::array(LogicalType::tinyint()), list_value({Value(int64_t{5}), Value()})),
            "01010185010000");
}

TEST(Compare, FollowsJava) {
  const Schema schema({{"d", LogicalType::double_()}, {"s", LogicalType::string()}});
  const auto batch = rows(schema, "+I . .\n+I -Infinity ''\n+I -0.0 A\n+I 0.0 a\n+I Infinity aa\n+I NaN b");
  for (const ColumnPtr& column : batch->columns) {
    for (size_t i = 0; i < batch->num_rows; ++i) {
      for (size_t j = 0; j < batch->num_rows; ++j) {
        EXPECT_EQ(compare_cells(*column, i, *column, j), i <=> j) << i << " " << j;
        EXPECT_EQ(equal_cells(*column, i, *column, j), i == j);
      }
    }
  }
}

TEST(Kernels, TakeDropsAValidityThatIsNotNeeded) {
  const auto batch = rows(Schema({{"i", LogicalType::integer()}}), "+I 1\n+I .\n+I 3");
  EXPECT_TRUE(batch->columns[0]->may_have_nulls());
  EXPECT_FALSE(take(*batch->columns[0], Selection{0, 2})->may_have_nulls());
}

TEST(Kernels, BatchesKeepKindsAndTimestamps) {
  const Schema schema({{"i", LogicalType::integer()}});
  auto batch = rows(schema, "+I 1\n-D 2\n+U 3\n-U 4");
  batch->timestamps = {10, 20, 30, 40};
  batch->selection = std::make_shared<const Selection>(Selection{1, 3});
  const RowBatchPtr compacted = compact(batch);
  EXPECT_EQ(row_lines(*compacted), (std::vector<std::string>{"-D 2", "-U 4"}));
  EXPECT_EQ(compacted->timestamps, (std::vector<int64_t>{20, 40}));
  EXPECT_EQ(compact(compacted), compacted);
  EXPECT_EQ(row_lines(*slice(*batch, 1, 2)), (std::vector<std::string>{"-D 2", "+U 3"}));
  EXPECT_EQ(slice(*batch, 1, 2)->timestamps, (std::vector<int64_t>{20, 30}));
  EXPECT_GT(batch->memory_bytes(), 0u);
  EXPECT_THROW(slice(*batch, 3, 2), Error);
  batch->selection = std::make_shared<const Selection>(Selection{0, 1, 2, 3});
  EXPECT_EQ(compact(batch)->columns[0], batch->columns[0]);
  EXPECT_EQ(compact(batch)->selection, nullptr);
}

TEST(Kernels, WithTypeRefusesAnotherLayout) {
  const ColumnPtr column = repeat(LogicalType::timestamp(3), Value(TimestampValue{1, 0}), 1);
  EXPECT_THROW(with_type(column, LogicalType::timestamp(6)), Error);
  EXPECT_THROW(with_type(column, LogicalType::integer()), Error);
  EXPECT_EQ(with_type(column, LogicalType::timestamp_ltz(2))->value_at(0), column->value_at(0));
}

}  // namespace
}  // namespace yeoul
