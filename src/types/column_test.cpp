#include "yeoul/types/column.h"

#include <gtest/gtest.h>

#include "yeoul/types/batch.h"
#include "yeoul/types/kernels.h"

namespace yeoul {
namespace {

TEST(ColumnBuilder, GrowsValidityAcrossWordBoundaries) {
  for (const size_t first_null : {0, 1, 7, 8, 9, 63, 64, 65, 511, 512, 1030}) {
    ColumnBuilder builder(LogicalType::integer());
    for (size_t i = 0; i < 2000; ++i) {
      if (i == first_null || (i > first_null && i % 3 == 0)) {
        builder.append_null();
      } else {
        builder.append(static_cast<int32_t>(i));
      }
    }
    const ColumnPtr column = builder.finish();
    ASSERT_EQ(column->size(), 2000u);
    for (size_t i = 0; i < 2000; ++i) {
      const bool null = i == first_null || (i > first_null && i % 3 == 0);
      ASSERT_EQ(column->is_null(i), null) << first_null << " " << i;
      if (!null) {
        ASSERT_EQ(column->values<int32_t>()[i], static_cast<int32_t>(i));
      }
    }
  }
}

TEST(ColumnBuilder, EmptyStringColumnHasOneOffset) {
  ColumnBuilder builder(LogicalType::string());
  for (int round = 0; round < 2; ++round) {
    const ColumnPtr column = builder.finish();
    EXPECT_EQ(column->size(), 0u);
    EXPECT_EQ(column->offsets_buffer().size(), sizeof(int32_t));
    EXPECT_EQ(column->offsets()[0], 0);
    EXPECT_FALSE(column->may_have_nulls());
  }
}

TEST(ColumnBuilder, IsEmptyAfterFinish) {
  ColumnBuilder builder(LogicalType::string());
  builder.append_string("a");
  builder.append_null();
  EXPECT_EQ(builder.finish()->size(), 2u);
  builder.append_string("bc");
  const ColumnPtr column = builder.finish();
  EXPECT_EQ(column->size(), 1u);
  EXPECT_FALSE(column->may_have_nulls());
  EXPECT_EQ(column->string_at(0), "bc");
}

TEST(ColumnBuilder, TruncateUndoesHalfARow) {
  ColumnBuilder builder(LogicalType::array(LogicalType::string()));
  builder.child(0).append_string("a");
  builder.child(0).append_null();
  builder.finish_list();
  builder.child(0).append_string("lost");
  builder.truncate(1);
  builder.child(0).append_string("b");
  builder.finish_list();
  builder.append_null();
  builder.truncate(2);
  const ColumnPtr column = builder.finish();
  ASSERT_EQ(column->size(), 2u);
  EXPECT_EQ(column->value_at(0), Value(std::make_shared<ValueList>(ValueList{Value(std::string("a")), Value()})));
  EXPECT_EQ(column->value_at(1), Value(std::make_shared<ValueList>(ValueList{Value(std::string("b"))})));
}

TEST(ColumnBuilder, RefusesARowThatLacksAField) {
  ColumnBuilder builder(LogicalType::row({{"a", LogicalType::integer()}, {"b", LogicalType::integer()}}));
  builder.child(0).append<int32_t>(1);
  EXPECT_THROW(builder.finish_struct(), Error);
}

TEST(Column, TimestampsOfEveryPrecision) {
  for (const int precision : {0, 3, 4, 6, 7, 9}) {
    for (const TimestampValue value :
         {TimestampValue{0, 0}, TimestampValue{-1, 999000}, TimestampValue{1700000000123, 456000}}) {
      ColumnBuilder builder(LogicalType::timestamp(precision));
      builder.append_value(Value(value));
      const ColumnPtr column = builder.finish();
      EXPECT_EQ(column->timestamp_at(0), (TimestampValue{value.millis, precision <= 3 ? 0 : value.nanos})) << precision;
    }
  }
}

TEST(Column, SetNullMakesAValidityBitmap) {
  Column column(LogicalType::bigint(), 70);
  column.allocate_values<int64_t>();
  EXPECT_FALSE(column.may_have_nulls());
  column.set_null(69);
  for (size_t i = 0; i < 70; ++i) EXPECT_EQ(column.is_null(i), i == 69);
}

TEST(Buffer, KeepsReadablePadding) {
  Buffer buffer;
  for (int i = 0; i < 1000; ++i) buffer.append("abc", 3);
  EXPECT_EQ(buffer.size(), 3000u);
  EXPECT_EQ(std::string_view(buffer.data() + 2997, 3), "abc");
  char past[Buffer::kPadding];
  std::memcpy(past, buffer.data() + buffer.capacity(), sizeof past);
  for (const char byte : past) EXPECT_EQ(byte, 0);
  Buffer moved = std::move(buffer);
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_EQ(moved.size(), 3000u);
}

}  // namespace
}  // namespace yeoul
