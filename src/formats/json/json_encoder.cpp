#include "yeoul/formats/json/json_format.h"
#include "yeoul/formats/json/json_text.h"
#include "yeoul/formats/json/json_text_buffer.h"
#include "yeoul/types/text.h"

namespace yeoul {
namespace {

/// Writes the cells of one column, chosen once from its type.
struct CellWriter {
  FixedText prefix;  ///< `"name":`
  std::string name;
  LogicalType type;
  TypeRoot root = TypeRoot::kNull;
  bool millis = false;  ///< a timestamp that is one number of milliseconds
  std::vector<CellWriter> children;
};

CellWriter make_writer(const RowField& field, std::string_view column) {
  const LogicalType& type = field.type;
  CellWriter writer{.name = field.name, .type = type, .root = type.root()};
  std::string prefix;
  append_json_string(field.name, prefix);
  writer.prefix = FixedText(prefix + ':');
  writer.millis = (type.is(TypeRoot::kTimestamp) || type.is(TypeRoot::kTimestampLtz)) && type.precision() <= 3;
  for (const RowField& child : json_children(type, column)) writer.children.push_back(make_writer(child, column));
  return writer;
}

class JsonEncoder final : public Encoder {
 public:
  JsonEncoder(const JsonFormatOptions& options, const Schema& row) : options_(options) {
    for (const RowField& field : row.fields()) writers_.push_back(make_writer(field, field.name));
  }

  void encode(const RowBatch& batch, std::span<const int> columns, EncodedRows& out) override {
    YEOUL_CHECK(columns.size() == writers_.size(), "{} columns for {} fields", columns.size(), writers_.size());
    columns_.clear();
    for (const int column : columns) columns_.push_back(batch.columns[static_cast<size_t>(column)].get());
    out.offsets.reserve(out.offsets.size() + batch.num_rows);
    const size_t before = out.bytes.size();
    text_.clear();
    for (size_t row = 0; row < batch.num_rows; ++row) {
      text_.put('{');
      bool first = true;
      for (size_t i = 0; i < writers_.size(); ++i) {
        column_ = &writers_[i];
        write_field(writers_[i], *columns_[i], row, first);
      }
      text_.put('}');
      out.offsets.push_back(before + text_.size());
    }
    out.bytes += text_.view();
  }

 private:
  void write_field(const CellWriter& writer, const Column& column, size_t row, bool& first) {
    const bool null = column.is_null(row);
    if (null && options_.encode_ignore_null_fields) return;
    if (!first) text_.put(',');
    first = false;
    text_.append(writer.prefix);
    if (null) {
      text_.append("null");
    } else {
      write_cell(writer, column, row);
    }
  }

  void write_cell(const CellWriter& writer, const Column& column, size_t row) {
    if (column.is_null(row)) {
      text_.append("null");
      return;
    }
    switch (writer.root) {
      case TypeRoot::kChar:
      case TypeRoot::kVarchar:
        return text_.append_quoted(column.string_at(row));
      case TypeRoot::kBoolean:
        text_.append(column.values<uint8_t>()[row] != 0 ? "true" : "false");
        return;
      case TypeRoot::kTinyint:
        return text_.append_integer(column.values<int8_t>()[row]);
      case TypeRoot::kSmallint:
        return text_.append_integer(column.values<int16_t>()[row]);
      case TypeRoot::kInteger:
      case TypeRoot::kIntervalYearMonth:
        return text_.append_integer(column.values<int32_t>()[row]);
      case TypeRoot::kBigint:
      case TypeRoot::kIntervalDayTime:
        return text_.append_integer(column.values<int64_t>()[row]);
      case TypeRoot::kFloat:
        return text_.append_float(column.values<float>()[row]);
      case TypeRoot::kDouble:
        return text_.append_double(column.values<double>()[row]);
      case TypeRoot::kDecimal:
        return append_text(
            [&](std::string& out) { write_decimal(column.values<int128>()[row], writer.type.scale(), out); });
      case TypeRoot::kBinary:
      case TypeRoot::kVarbinary:
        text_.put('"');
        append_text([&](std::string& out) { append_base64(column.string_at(row), out); });
        text_.put('"');
        return;
      case TypeRoot::kDate:
      case TypeRoot::kTime:
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        text_.put('"');
        write_time(writer, column, row);
        text_.put('"');
        return;
      default:
        return write_nested(writer, column, row);
    }
  }

  void write_decimal(int128 unscaled, int scale, std::string& out) {
    if (options_.encode_decimal_as_plain_number) return append_decimal_text(unscaled, scale, out);
    const bool negative = unscaled < 0;
    auto left = negative ? -static_cast<uint128>(unscaled) : static_cast<uint128>(unscaled);
    char digits[40];
    size_t first = sizeof digits;
    do {
      digits[--first] = static_cast<char>('0' + static_cast<int>(left % 10));
      left /= 10;
    } while (left != 0);
    append_java_decimal(negative, {digits + first, sizeof digits - first}, scale, out);
  }

  void write_time(const CellWriter& writer, const Column& column, size_t row) {
    if (writer.root == TypeRoot::kDate) {
      return append_text([&](std::string& out) { append_java_date(column.values<int32_t>()[row], out); });
    }
    if (writer.root == TypeRoot::kTime) {
      const int32_t millis = column.values<int32_t>()[row];
      return append_text([&](std::string& out) { append_java_time(millis / 1000, millis % 1000 * 1'000'000, out); });
    }
    const char separator = options_.timestamp_standard == TimestampStandard::kSql ? ' ' : 'T';
    text_.append_timestamp(writer.millis ? TimestampValue{column.values<int64_t>()[row], 0} : column.timestamp_at(row),
                           separator);
    if (writer.root == TypeRoot::kTimestampLtz) text_.put('Z');
  }

  void write_nested(const CellWriter& writer, const Column& column, size_t row) {
    switch (writer.root) {
      case TypeRoot::kArray: {
        text_.put('[');
        const int32_t begin = column.offsets()[row];
        for (int32_t i = begin; i < column.offsets()[row + 1]; ++i) {
          if (i != begin) text_.put(',');
          write_cell(writer.children[0], column.child(0), static_cast<size_t>(i));
        }
        text_.put(']');
        return;
      }
      case TypeRoot::kMap:
      case TypeRoot::kMultiset:
        return write_map(writer, column, row);
      case TypeRoot::kRow: {
        text_.put('{');
        bool first = true;
        for (size_t i = 0; i < writer.children.size(); ++i) {
          write_field(writer.children[i], column.child(i), row, first);
        }
        text_.put('}');
        return;
      }
      default:
        text_.append("null");
    }
  }

  void write_map(const CellWriter& writer, const Column& column, size_t row) {
    text_.put('{');
    bool first = true;
    for (int32_t i = column.offsets()[row]; i < column.offsets()[row + 1]; ++i) {
      const auto entry = static_cast<size_t>(i);
      const bool null_key = column.child(0).is_null(entry);
      if (null_key && options_.map_null_key_mode == MapNullKeyMode::kDrop) continue;
      if (null_key && options_.map_null_key_mode == MapNullKeyMode::kFail) {
        throw user_error(3200,
                         "field '{}': format 'json' cannot write a map with a NULL key; set "
                         "'json.map-null-key.mode' to 'DROP' or 'LITERAL'",
                         column_->name);
      }
      if (!first) text_.put(',');
      first = false;
      text_.append_quoted(null_key ? std::string_view(options_.map_null_key_literal)
                                   : column.child(0).string_at(entry));
      text_.put(':');
      write_cell(writer.children[1], column.child(1), entry);
    }
    text_.put('}');
  }

  /// For what is written seldom.
  template <class Write>
  void append_text(const Write& write) {
    scratch_.clear();
    write(scratch_);
    text_.append(scratch_);
  }

  const JsonFormatOptions options_;
  JsonTextBuffer text_;
  std::string scratch_;
  std::vector<CellWriter> writers_;
  std::vector<const Column*> columns_;
  const CellWriter* column_ = nullptr;
};

}  // namespace

std::unique_ptr<Encoder> make_json_encoder(const JsonFormatOptions& options, const Schema& row) {
  return std::make_unique<JsonEncoder>(options, row);
}

}  // namespace yeoul
