// Any bytes as a JSON record, with and without ignore-parse-errors, by both of Flink's parsers' rules: nothing may
// crash, rows and columns must agree, and what one run gives the next must give again.

#include <cstdlib>
#include <string>
#include <vector>

#include "yeoul/formats/json/json_format.h"
#include "yeoul/types/kernels.h"

namespace {

using namespace yeoul;

Schema schema() {
  const LogicalType inner = LogicalType::row({{"x", LogicalType::integer()}, {"s", LogicalType::string()}});
  return Schema({{"a", LogicalType::integer()},
                 {"b", LogicalType::string()},
                 {"c", LogicalType::decimal(10, 3)},
                 {"d", LogicalType::double_()},
                 {"t", LogicalType::timestamp(9)},
                 {"z", LogicalType::timestamp_ltz(3)},
                 {"y", LogicalType::bytes()},
                 {"r", inner},
                 {"l", LogicalType::array(inner)},
                 {"m", LogicalType::map(LogicalType::string(), LogicalType::bigint())}});
}

void check(bool condition) {
  if (!condition) std::abort();
}

void run(const JsonFormatOptions& options, const Message& message) {
  static const Schema kSchema = schema();
  const auto decoder = make_json_decoder(options, kSchema);
  std::vector<ColumnPtr> first;
  for (int attempt = 0; attempt < 2; ++attempt) {
    DecodedRows out;
    for (const RowField& field : kSchema.fields()) out.columns.emplace_back(field.type);
    decoder->decode({&message, 1}, out);
    check(out.errors.size() <= 1 && (out.errors.empty() || out.num_rows() == 0));
    check(!options.ignore_parse_errors || out.errors.empty());
    for (size_t i = 0; i < out.columns.size(); ++i) {
      check(out.columns[i].size() == out.num_rows());
      const ColumnPtr column = out.columns[i].finish();
      if (attempt == 0) {
        first.push_back(column);
        continue;
      }
      check(column->size() == first[i]->size());
      for (size_t row = 0; row < column->size(); ++row) check(equal_cells(*column, row, *first[i], row));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  text.append(Buffer::kPadding, '"');
  const Message message{text.data(), static_cast<uint32_t>(size)};
  for (const bool ignore : {false, true}) {
    for (const bool streaming : {true, false}) {
      JsonFormatOptions options;
      options.ignore_parse_errors = ignore;
      options.decode_json_parser_enabled = streaming;
      run(options, message);
    }
  }
  return 0;
}
