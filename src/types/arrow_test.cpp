#include "yeoul/types/arrow.h"

#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/types/kernels.h"
#include "yeoul/types/row_literal.h"

namespace yeoul {
namespace {

/// Reads an exported array back by the rules of the C data interface alone, independent of Column.
class Importer {
 public:
  static std::string cell(const ArrowSchema& schema, const ArrowArray& array, int64_t row) {
    const std::string format = schema.format;
    if (format == "n") return "null";
    if (!valid(array, row)) return "null";
    if (format == "b")
      return (static_cast<const uint8_t*>(array.buffers[1])[row / 8] >> (row % 8)) & 1 ? "true" : "false";
    if (format == "c") return number<int8_t>(array, row);
    if (format == "s") return number<int16_t>(array, row);
    if (format == "i" || format == "tdD" || format == "ttm" || format == "tiM") return number<int32_t>(array, row);
    if (format == "l" || format == "tDm" || format.starts_with("ts")) return number<int64_t>(array, row);
    if (format == "f") return number<float>(array, row);
    if (format == "g") return number<double>(array, row);
    if (format.starts_with("d:")) return decimal(array, row);
    if (format == "u" || format == "z") return bytes(array, row);
    if (format == "+s") return fields(schema, array, row);
    if (format == "+l" || format == "+m") return elements(schema, array, row);
    return "unknown format " + format;
  }
  static bool valid(const ArrowArray& array, int64_t row) {
    if (array.n_buffers == 0 || array.buffers[0] == nullptr) return true;
    return (static_cast<const uint8_t*>(array.buffers[0])[row / 8] >> (row % 8)) & 1;
  }

 private:
  template <class T>
  static std::string number(const ArrowArray& array, int64_t row) {
    return fmt::format("{}", static_cast<const T*>(array.buffers[1])[row]);
  }
  static std::string decimal(const ArrowArray& array, int64_t row) {
    const auto* parts = static_cast<const int64_t*>(array.buffers[1]) + row * 2;
    return fmt::format("{}:{}", parts[1], static_cast<uint64_t>(parts[0]));
  }
  static std::string bytes(const ArrowArray& array, int64_t row) {
    const auto* offsets = static_cast<const int32_t*>(array.buffers[1]);
    return std::string(static_cast<const char*>(array.buffers[2]) + offsets[row], offsets[row + 1] - offsets[row]);
  }
  static std::string fields(const ArrowSchema& schema, const ArrowArray& array, int64_t row) {
    std::string text = "(";
    for (int64_t c = 0; c < schema.n_children; ++c)
      text += (c ? "," : "") + cell(*schema.children[c], *array.children[c], row);
    return text + ")";
  }
  static std::string elements(const ArrowSchema& schema, const ArrowArray& array, int64_t row) {
    const auto* offsets = static_cast<const int32_t*>(array.buffers[1]);
    std::string text = "[";
    for (int32_t i = offsets[row]; i < offsets[row + 1]; ++i) {
      text += (i > offsets[row] ? "," : "") + cell(*schema.children[0], *array.children[0], i);
    }
    return text + "]";
  }
};

std::vector<std::string> import(const Schema& schema, const RowBatchPtr& batch) {
  ArrowSchema arrow_schema;
  ArrowArray array;
  export_schema(schema, &arrow_schema);
  export_batch(batch, schema, &array);
  std::vector<std::string> lines;
  for (int64_t row = 0; row < array.length; ++row) lines.push_back(Importer::cell(arrow_schema, array, row));
  array.release(&array);
  EXPECT_EQ(array.release, nullptr);
  arrow_schema.release(&arrow_schema);
  EXPECT_EQ(arrow_schema.release, nullptr);
  return lines;
}

Schema every_type() {
  return Schema({{"bo", LogicalType::boolean()},
                 {"ti", LogicalType::tinyint()},
                 {"si", LogicalType::smallint()},
                 {"in", LogicalType::integer()},
                 {"bi", LogicalType::bigint()},
                 {"fl", LogicalType::real()},
                 {"do", LogicalType::double_()},
                 {"de", LogicalType::decimal(20, 2)},
                 {"st", LogicalType::string()},
                 {"by", LogicalType::bytes()},
                 {"da", LogicalType::date()},
                 {"tm", LogicalType::time(3)},
                 {"t3", LogicalType::timestamp(3)},
                 {"t6", LogicalType::timestamp(6)},
                 {"t9", LogicalType::timestamp(9)},
                 {"lt", LogicalType::timestamp_ltz(3)},
                 {"ar", LogicalType::array(LogicalType::string())},
                 {"ma", LogicalType::map(LogicalType::string(), LogicalType::integer())},
                 {"ro", LogicalType::row({{"x", LogicalType::integer()}, {"y", LogicalType::string()}})}});
}

TEST(Arrow, EveryTypeComesBack) {
  const auto batch =
      rows(every_type(),
           "+I TRUE -1 2 3 4 1.5 2.5 -0.01 ab 0x6364 1970-01-02 00:00:01.5 1970-01-01T00:00:01 "
           "1970-01-01T00:00:00.000001 1970-01-01T00:00:00.000000001 1970-01-01T00:00:00 '[a, NULL]' {k=1} "
           "'(1, z)'\n"
           "+I . . . . . . . . . . . . . . . . . . .\n"
           "+I FALSE 0 0 0 0 0 0 1 '' 0x 1970-01-01 00:00:00 1970-01-01T00:00:00 1970-01-01T00:00:00 "
           "1969-12-31T23:59:59.999999999 1970-01-01T00:00:00 [] {} '(NULL, y)'");
  const std::vector<std::string> lines = import(every_type(), batch);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "(true,-1,2,3,4,1.5,2.5,-1:18446744073709551615,ab,cd,1,1500,1000,1,1,0,[a,null],[(k,1)],(1,z))");
  EXPECT_EQ(lines[1],
            "(null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null)");
  EXPECT_EQ(lines[2], "(false,0,0,0,0,0,0,0:100,,,0,0,0,0,-1,0,[],[],(null,y))");
}

TEST(Arrow, Formats) {
  ArrowSchema schema;
  export_schema(every_type(), &schema);
  std::string formats;
  for (int64_t i = 0; i < schema.n_children; ++i) formats += std::string(schema.children[i]->format) + " ";
  EXPECT_EQ(formats, "b c s i l f g d:20,2 u z tdD ttm tsm: tsu: tsn: tsm:UTC +l +m +s ");
  EXPECT_STREQ(schema.format, "+s");
  EXPECT_STREQ(schema.children[0]->name, "bo");
  EXPECT_EQ(schema.children[0]->flags, 2);
  const ArrowSchema& entries = *schema.children[17]->children[0];
  EXPECT_STREQ(entries.format, "+s");
  EXPECT_EQ(entries.flags, 0);
  EXPECT_STREQ(entries.children[1]->name, "value");
  schema.release(&schema);
}

TEST(Arrow, SelectionIsAppliedAndEmptyBatchesWork) {
  const Schema schema({{"a", LogicalType::string()}, {"b", LogicalType::boolean()}});
  const auto batch = rows(schema, "+I a TRUE\n+I b .\n+I c FALSE");
  batch->selection = std::make_shared<const Selection>(Selection{1, 2});
  EXPECT_EQ(import(schema, batch), (std::vector<std::string>{"(b,null)", "(c,false)"}));
  EXPECT_TRUE(import(every_type(), rows(every_type(), "")).empty());
  EXPECT_TRUE(import(Schema(), std::make_shared<RowBatch>()).empty());
}

TEST(Arrow, AMovedChildOutlivesItsParent) {
  const Schema schema({{"a", LogicalType::string()}});
  ArrowArray array;
  export_batch(rows(schema, "+I kept"), schema, &array);
  ArrowArray moved = *array.children[0];
  array.children[0]->release = nullptr;
  array.release(&array);
  const auto* offsets = static_cast<const int32_t*>(moved.buffers[1]);
  EXPECT_EQ(std::string(static_cast<const char*>(moved.buffers[2]), offsets[1]), "kept");
  moved.release(&moved);
}

TEST(Arrow, RefusesNanosecondsThatDoNotFit) {
  const Schema schema({{"s", LogicalType::string()}, {"t", LogicalType::timestamp(9)}});
  ArrowArray array;
  try {
    export_batch(rows(schema, "+I a 2262-04-12T00:00:00"), schema, &array);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 3050);
  }
}

}  // namespace
}  // namespace yeoul
