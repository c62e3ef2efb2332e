#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "yeoul/formats/json/json_cursor.h"
#include "yeoul/formats/json/json_format.h"
#include "yeoul/formats/json/json_keys.h"
#include "yeoul/formats/json/json_text.h"
#include "yeoul/types/text.h"

namespace yeoul {
namespace {

/// How a decode step ended. kBad: the value does not fit the type. kBroken: this is no JSON.
enum class Outcome : uint8_t { kOk, kBad, kBroken };

struct RowShape;

/// One value to read: its type, and what is below it.
struct Field {
  std::string name;
  LogicalType type;
  TypeRoot root = TypeRoot::kNull;
  PhysicalType physical = PhysicalType::kNone;
  int precision = 0;
  int scale = 0;
  std::vector<Field> children;       ///< ARRAY: element; MAP, MULTISET: key, value
  std::unique_ptr<RowShape> fields;  ///< ROW
};

constexpr int kUnwanted = -1;
constexpr int kBrokenKey = -2;

/// The fields of an object. Records mostly have the same keys in the same order, so the key at each position of the
/// last object is remembered with its field.
struct RowShape {
  struct SeenKey {
    KeyBytes bytes;
    KeyBytes with_colon;  ///< '"key":'
    int field = kUnwanted;
  };
  static constexpr size_t kMaxSeen = 256;
  static constexpr size_t kMaxSeenKey = 32;

  std::vector<Field> fields;
  std::unordered_map<std::string, int> by_name;
  std::vector<SeenKey> seen;
  std::vector<ColumnBuilder*> builders;

  int find(JsonCursor& cursor, size_t position, std::string_view raw_key) {
    if (position < seen.size() && seen[position].bytes.equals(raw_key)) return seen[position].field;
    return find_slowly(cursor, position, raw_key);
  }

  int find_slowly(JsonCursor& cursor, size_t position, std::string_view raw_key) {
    std::string key;
    if (!cursor.unescape(raw_key, key)) return kBrokenKey;
    const auto it = by_name.find(key);
    const int field = it == by_name.end() ? kUnwanted : it->second;
    if (position < kMaxSeen && raw_key.size() <= kMaxSeenKey) {
      if (position >= seen.size()) seen.resize(position + 1);
      seen[position].bytes.set(raw_key);
      seen[position].with_colon.set(fmt::format("\"{}\":", raw_key));
      seen[position].field = field;
    }
    return field;
  }
};

std::unique_ptr<RowShape> make_shape(const std::vector<RowField>& fields, std::string_view column);

Field make_field(const RowField& source, std::string_view column) {
  const LogicalType& type = source.type;
  Field field{.name = source.name, .type = type, .root = type.root(), .physical = type.physical()};
  if (type.is(TypeRoot::kDecimal)) {
    field.precision = type.precision();
    field.scale = type.scale();
  } else if (type.is(TypeRoot::kTimestamp) || type.is(TypeRoot::kTimestampLtz)) {
    field.precision = type.precision();
  } else if (type.is(TypeRoot::kRow)) {
    field.fields = make_shape(type.fields(), column);
  } else {
    for (const RowField& child : json_children(type, column)) field.children.push_back(make_field(child, column));
  }
  return field;
}

std::unique_ptr<RowShape> make_shape(const std::vector<RowField>& fields, std::string_view column) {
  auto shape = std::make_unique<RowShape>();
  for (const RowField& field : fields) {
    shape->by_name[field.name] = static_cast<int>(shape->fields.size());
    shape->fields.push_back(make_field(field, column.empty() ? field.name : column));
  }
  return shape;
}

bool contains_decimal(const LogicalType& type) {
  if (type.is(TypeRoot::kDecimal)) return true;
  const PhysicalType physical = type.physical();
  if (physical != PhysicalType::kList && physical != PhysicalType::kMap && physical != PhysicalType::kStruct) {
    return false;
  }
  return std::any_of(type.fields().begin(), type.fields().end(),
                     [](const RowField& field) { return contains_decimal(field.type); });
}

class JsonDecoder final : public Decoder {
 public:
  JsonDecoder(const JsonFormatOptions& options, const Schema& wanted)
      : options_(options), tree_(!options.decode_json_parser_enabled), root_(make_shape(wanted.fields(), "")) {
    for (const RowField& field : wanted.fields()) exact_decimals_ = exact_decimals_ || contains_decimal(field.type);
  }

  void decode(std::span<const Message> messages, DecodedRows& out) override {
    root_->builders.clear();
    for (size_t i = 0; i < root_->fields.size(); ++i) {
      root_->builders.push_back(&out.columns[i]);
      bind(root_->fields[i], out.columns[i]);
    }
    for (size_t i = 0; i < messages.size(); ++i) {
      if (messages[i].data == nullptr || messages[i].size == 0) continue;
      decode_message(messages[i], static_cast<uint32_t>(i), out);
    }
  }

 private:
  void bind(Field& field, ColumnBuilder& builder) {
    for (size_t i = 0; i < field.children.size(); ++i) bind(field.children[i], builder.child(i));
    if (!field.fields) return;
    field.fields->builders.clear();
    for (size_t i = 0; i < field.fields->fields.size(); ++i) {
      field.fields->builders.push_back(&builder.child(i));
      bind(field.fields->fields[i], builder.child(i));
    }
  }

  void decode_message(const Message& message, uint32_t number, DecodedRows& out);
  bool try_usual(const Message& message, DecodedRows& out);
  bool decode_usual(const Message& message, size_t cells);
  const char* decode_usual_value(const char* at, const Message& message, size_t cells, int found, size_t& missing);
  bool append_usual(Field& field, ColumnBuilder& builder, const Message& message, const char* at, const char* behind);
  bool decode_root(uint32_t number, DecodedRows& out);
  Outcome decode_row(RowShape& shape, size_t cells);
  Outcome finish_row(RowShape& shape, size_t cells, size_t missing);
  Outcome decode_cell(Field& field, ColumnBuilder& builder);
  Outcome convert(Field& field, ColumnBuilder& builder, char first);
  Outcome convert_integer(const Field& field, ColumnBuilder& builder);
  Outcome convert_real(const Field& field, ColumnBuilder& builder);
  Outcome convert_decimal(const Field& field, ColumnBuilder& builder);
  Outcome convert_boolean(ColumnBuilder& builder);
  Outcome convert_string(ColumnBuilder& builder, char first);
  Outcome convert_bytes(ColumnBuilder& builder);
  Outcome convert_time(const Field& field, ColumnBuilder& builder);
  bool append_time(const Field& field, ColumnBuilder& builder, std::string_view text);
  const char* no_time(const Field& field) const;
  Outcome convert_array(Field& field, ColumnBuilder& builder);
  Outcome convert_map(Field& field, ColumnBuilder& builder);

  /// The current value's kind and its text as Jackson's getText gives it; kBroken where it is no JSON.
  JsonKind read_text(std::string_view& text);
  Outcome bad(const char* why) {
    reason_ = why;
    bad_byte_ = value_byte_;
    return Outcome::kBad;
  }

  const JsonFormatOptions options_;
  const bool tree_;
  bool exact_decimals_ = false;
  std::unique_ptr<RowShape> root_;
  JsonIndex index_;
  JsonCursor cursor_;
  std::string scratch_;
  const char* reason_ = nullptr;
  int64_t value_byte_ = -1;
  int64_t bad_byte_ = -1;
  const Field* column_ = nullptr;  ///< of the root row, being read
  uint64_t num_ignored_ = 0;
  LastDate last_date_;
  uint32_t usual_pause_ = 0;  ///< messages to come that are not tried as usual ones
  uint32_t next_pause_ = 0;
};

/// Decodes a message of the usual form; else leaves everything as it was. Where messages mostly fail here, fewer and
/// fewer are tried.
bool JsonDecoder::try_usual(const Message& message, DecodedRows& out) {
  constexpr uint32_t kMaxPause = 64;
  if (usual_pause_ != 0) {
    --usual_pause_;
    return false;
  }
  const size_t rows = out.num_rows();
  if (decode_usual(message, rows)) {
    next_pause_ = 0;
    return true;
  }
  for (ColumnBuilder& builder : out.columns) builder.truncate(rows);
  usual_pause_ = next_pause_;
  next_pause_ = std::min(kMaxPause, next_pause_ * 2 + 1);
  return false;
}

/// The usual form is one object with the keys of the last one in their order, with no blanks, nesting or escapes, all
/// ASCII and without mistakes: it is read in one pass without an index. Whatever else it is, the index tells.
bool JsonDecoder::decode_usual(const Message& message, size_t cells) {
  const char* at = message.data;
  const char* const end = at + message.size;
  size_t missing = root_->fields.size();
  char before = '{';
  for (const RowShape::SeenKey& key : root_->seen) {
    if (*at != before) break;
    if (!key.with_colon.starts(at + 1)) return false;
    at += 1 + key.with_colon.size;
    if (at >= end) return false;
    at = decode_usual_value(at, message, cells, key.field, missing);
    if (at == nullptr || at >= end) return false;
    before = ',';
  }
  if (before == '{' || *at != '}' || at + 1 != end) return false;
  if (missing == 0) return true;
  return !options_.fail_on_missing_field && finish_row(*root_, cells, missing) == Outcome::kOk;
}

/// Returns where the value ends; null when it is not of the usual form.
const char* JsonDecoder::decode_usual_value(const char* at, const Message& message, size_t cells, int found,
                                            size_t& missing) {
  const char* const behind = end_of_usual_value(at, message.data + message.size);
  if (behind == nullptr) return nullptr;
  if (found == kUnwanted || (missing == 0 && !tree_)) {
    if (*at == '"') return behind;
    const uint32_t token[] = {static_cast<uint32_t>(at - message.data), static_cast<uint32_t>(behind - message.data)};
    cursor_.reset_to_scalar(message.data, token);
    return cursor_.kind() == JsonKind::kBroken ? nullptr : behind;
  }
  ColumnBuilder& builder = *root_->builders[static_cast<size_t>(found)];
  if (builder.size() != cells) return nullptr;
  --missing;
  return append_usual(root_->fields[static_cast<size_t>(found)], builder, message, at, behind) ? behind : nullptr;
}

/// Appends the value in [at, behind), a string without escapes or a scalar.
bool JsonDecoder::append_usual(Field& field, ColumnBuilder& builder, const Message& message, const char* at,
                               const char* behind) {
  if (*at == '"') {
    const std::string_view text(at + 1, static_cast<size_t>(behind - at) - 2);
    switch (field.root) {
      case TypeRoot::kChar:
      case TypeRoot::kVarchar:
        builder.append_string(text);
        return true;
      case TypeRoot::kDate:
      case TypeRoot::kTime:
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz:
        return append_time(field, builder, text);
      default:
        break;
    }
  }
  const uint32_t token[] = {static_cast<uint32_t>(at - message.data), static_cast<uint32_t>(behind - message.data)};
  cursor_.reset_to_scalar(message.data, token);
  if (*at != 'n') return convert(field, builder, *at) == Outcome::kOk;
  if (cursor_.kind() != JsonKind::kNull) return false;
  builder.append_null();
  return true;
}

void JsonDecoder::decode_message(const Message& message, uint32_t number, DecodedRows& out) {
  if (try_usual(message, out)) {
    out.message_of_row.push_back(number);
    return;
  }
  const uint32_t bom = message.view().starts_with("\xef\xbb\xbf") ? 3 : 0;
  const size_t rows = out.num_rows();
  column_ = nullptr;
  reason_ = nullptr;
  num_ignored_ = 0;
  int64_t byte = 0;
  const char* why = nullptr;
  if (!index_.build(message.data + bom, message.size - bom)) {
    why = index_.error();
    byte = index_.error_byte();
  } else {
    cursor_.reset(message.data + bom, index_);
    if (decode_root(number, out)) {
      out.num_ignored += num_ignored_;
      return;
    }
    why = cursor_.error() != nullptr ? cursor_.error() : reason_;
    byte = cursor_.error() != nullptr ? cursor_.error_byte() : bad_byte_;
  }
  for (ColumnBuilder& builder : out.columns) builder.truncate(rows);
  out.message_of_row.resize(rows);
  if (options_.ignore_parse_errors) {
    ++out.num_ignored;
    return;
  }
  out.errors.push_back(
      {.message = number,
       .field = column_ != nullptr ? column_->name : std::string(),
       .byte = byte + bom,
       .reason = column_ != nullptr ? fmt::format("{} (type {})", why, column_->type.to_string()) : std::string(why)});
}

bool JsonDecoder::decode_root(uint32_t number, DecodedRows& out) {
  const auto decode_object = [&] {
    cursor_.advance();
    if (decode_row(*root_, out.num_rows()) != Outcome::kOk) return false;
    out.message_of_row.push_back(number);
    return true;
  };
  const auto no_object = [&] {
    value_byte_ = cursor_.byte();
    bad("this is no JSON object");
    return false;
  };
  if (cursor_.peek() == '{') return decode_object();
  if (cursor_.peek() != '[') return no_object();
  cursor_.advance();
  for (bool first = true;; first = false) {
    const auto step = cursor_.next_element(first);
    if (step == JsonCursor::Step::kError) return false;
    if (step == JsonCursor::Step::kEnd) return true;
    if (cursor_.peek() != '{') return no_object();
    if (!decode_object()) return false;
  }
}

/// Reads an object behind its '{' into builders that have `cells` cells each. As Flink's streaming parser does, it
/// stops converting once it has met as many fields as there are columns; the rest is only checked.
Outcome JsonDecoder::decode_row(RowShape& shape, size_t cells) {
  size_t missing = shape.fields.size();
  const bool is_root = &shape == root_.get();
  std::string_view key;
  for (size_t position = 0;; ++position) {
    const auto step = cursor_.next_field(position == 0, key);
    if (step == JsonCursor::Step::kError) return Outcome::kBroken;
    if (step == JsonCursor::Step::kEnd) break;
    const int found = shape.find(cursor_, position, key);
    if (found == kBrokenKey) return Outcome::kBroken;
    if (found == kUnwanted || (missing == 0 && !tree_)) {
      if (!cursor_.skip_value()) return Outcome::kBroken;
      continue;
    }
    Field& field = shape.fields[static_cast<size_t>(found)];
    ColumnBuilder& builder = *shape.builders[static_cast<size_t>(found)];
    if (is_root) column_ = &field;
    const bool again = builder.size() != cells;
    if (again) builder.truncate(cells);
    const Outcome outcome = decode_cell(field, builder);
    if (outcome != Outcome::kOk) return outcome;
    if (is_root) column_ = nullptr;
    if (!again || !tree_) --missing;
  }
  return finish_row(shape, cells, missing);
}

Outcome JsonDecoder::finish_row(RowShape& shape, size_t cells, size_t missing) {
  for (size_t i = 0; i < shape.fields.size(); ++i) {
    if (shape.builders[i]->size() != cells) continue;
    if (missing != 0 && options_.fail_on_missing_field) {
      if (&shape == root_.get()) column_ = &shape.fields[i];
      bad("the field is missing");
      bad_byte_ = -1;
      return Outcome::kBad;
    }
    shape.builders[i]->append_null();
  }
  return Outcome::kOk;
}

Outcome JsonDecoder::decode_cell(Field& field, ColumnBuilder& builder) {
  const char first = cursor_.peek();
  const JsonCursor::Mark start = cursor_.mark();
  if (first == 'n') {
    if (cursor_.kind() == JsonKind::kBroken) return Outcome::kBroken;
    builder.append_null();
    cursor_.advance();
    return Outcome::kOk;
  }
  value_byte_ = cursor_.byte();
  const size_t cells = builder.size();
  const Outcome outcome = convert(field, builder, first);
  if (outcome != Outcome::kBad || !options_.ignore_parse_errors) return outcome;
  builder.truncate(cells);
  builder.append_null();
  cursor_.rewind(start);
  ++num_ignored_;
  return cursor_.skip_value() ? Outcome::kOk : Outcome::kBroken;
}

Outcome JsonDecoder::convert(Field& field, ColumnBuilder& builder, char first) {
  switch (field.root) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return convert_string(builder, first);
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInteger:
    case TypeRoot::kBigint:
    case TypeRoot::kIntervalYearMonth:
    case TypeRoot::kIntervalDayTime:
      return convert_integer(field, builder);
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
      return convert_real(field, builder);
    case TypeRoot::kDecimal:
      return convert_decimal(field, builder);
    case TypeRoot::kBoolean:
      return convert_boolean(builder);
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return convert_bytes(builder);
    case TypeRoot::kDate:
    case TypeRoot::kTime:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return convert_time(field, builder);
    case TypeRoot::kArray:
      return convert_array(field, builder);
    case TypeRoot::kMap:
    case TypeRoot::kMultiset:
      return convert_map(field, builder);
    case TypeRoot::kRow: {
      if (first != '{') return bad("this is no JSON object");
      cursor_.advance();
      const Outcome outcome = decode_row(*field.fields, builder.size());
      if (outcome == Outcome::kOk) builder.finish_struct();
      return outcome;
    }
    default:
      builder.append_null();
      return cursor_.skip_value() ? Outcome::kOk : Outcome::kBroken;
  }
}

JsonKind JsonDecoder::read_text(std::string_view& text) {
  const JsonKind kind = cursor_.kind();
  switch (kind) {
    case JsonKind::kBroken:
      break;
    case JsonKind::kString:
      if (!cursor_.string_text(scratch_, text)) return JsonKind::kBroken;
      break;
    case JsonKind::kObject:
      text = "{";
      break;
    case JsonKind::kArray:
      text = "[";
      break;
    default:
      text = cursor_.raw_scalar();
  }
  return kind;
}

/// The whole part of a fraction when it lies within [low, high]; Jackson compares as double.
bool whole_part(double value, double low, double high, int64_t& out) {
  if (!(value >= low && value <= high)) return false;
  out = value >= 9223372036854775807.0 ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(value);
  return true;
}

Outcome JsonDecoder::convert_integer(const Field& field, ColumnBuilder& builder) {
  int64_t value = 0;
  if (!cursor_.take_integer(value)) {
    std::string_view text;
    const JsonKind kind = read_text(text);
    if (kind == JsonKind::kBroken) return Outcome::kBroken;
    if (kind == JsonKind::kFloat && field.physical >= PhysicalType::kInt32) {
      // Flink cuts the fraction off for INT and BIGINT, and refuses it for TINYINT and SMALLINT.
      double real = 0;
      parse_java_double(text, real);
      const bool narrow = field.physical == PhysicalType::kInt32;
      if (!whole_part(real, narrow ? -2147483648.0 : -9223372036854775808.0,
                      narrow ? 2147483647.0 : 9223372036854775807.0, value)) {
        return bad("the number is out of range");
      }
    } else if (!parse_java_long(kind == JsonKind::kString ? java_trim(text) : text, value)) {
      return bad(kind == JsonKind::kInteger ? "the number is out of range" : "this is no whole number");
    }
    cursor_.advance();
  }
  switch (field.physical) {
    case PhysicalType::kInt8:
      if (value != static_cast<int8_t>(value)) return bad("the number is out of range");
      builder.append(static_cast<int8_t>(value));
      break;
    case PhysicalType::kInt16:
      if (value != static_cast<int16_t>(value)) return bad("the number is out of range");
      builder.append(static_cast<int16_t>(value));
      break;
    case PhysicalType::kInt32:
      if (value != static_cast<int32_t>(value)) return bad("the number is out of range");
      builder.append(static_cast<int32_t>(value));
      break;
    default:
      builder.append(value);
  }
  return Outcome::kOk;
}

Outcome JsonDecoder::convert_real(const Field& field, ColumnBuilder& builder) {
  std::string_view text;
  if (read_text(text) == JsonKind::kBroken) return Outcome::kBroken;
  if (field.physical == PhysicalType::kFloat) {
    float value = 0;
    if (!parse_java_float(text, value)) return bad("this is no number");
    builder.append(value);
  } else {
    double value = 0;
    if (!parse_java_double(text, value)) return bad("this is no number");
    builder.append(value);
  }
  cursor_.advance();
  return Outcome::kOk;
}

Outcome JsonDecoder::convert_decimal(const Field& field, ColumnBuilder& builder) {
  std::string_view text;
  const JsonKind kind = read_text(text);
  switch (kind) {
    case JsonKind::kBroken:
      return Outcome::kBroken;
    case JsonKind::kString:
      if (!tree_) text = java_trim(text);
      if (!is_java_decimal(text)) return bad("this is no number");
      break;
    case JsonKind::kInteger:
    case JsonKind::kFloat:
      break;
    default:
      return bad("this is no number");
  }
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  // A number of too many digits is NULL, as Flink's DecimalData makes it.
  if (const auto value = parse_decimal(text, field.precision, field.scale)) {
    builder.append(*value);
  } else {
    builder.append_null();
  }
  cursor_.advance();
  return Outcome::kOk;
}

Outcome JsonDecoder::convert_boolean(ColumnBuilder& builder) {
  std::string_view text;
  if (read_text(text) == JsonKind::kBroken) return Outcome::kBroken;
  // Boolean.parseBoolean: all but "true" is false.
  text = java_trim(text);
  const bool value = text.size() == 4 && (text[0] | 0x20) == 't' && (text[1] | 0x20) == 'r' &&
                     (text[2] | 0x20) == 'u' && (text[3] | 0x20) == 'e';
  builder.append(static_cast<uint8_t>(value));
  return cursor_.skip_value() ? Outcome::kOk : Outcome::kBroken;
}

Outcome JsonDecoder::convert_string(ColumnBuilder& builder, char first) {
  if (first == '"') {
    std::string_view text;
    if (!cursor_.string_text(scratch_, text)) return Outcome::kBroken;
    builder.append_string(text);
    cursor_.advance();
    return Outcome::kOk;
  }
  const JsonKind kind = cursor_.kind();
  if (kind == JsonKind::kBroken) return Outcome::kBroken;
  if (kind == JsonKind::kObject || kind == JsonKind::kArray) {
    std::string text;
    if (!cursor_.append_tree(text, exact_decimals_)) return Outcome::kBroken;
    builder.append_string(text);
    return Outcome::kOk;
  }
  if (tree_ && kind == JsonKind::kFloat) {
    std::string text;
    append_json_fraction(cursor_.raw_scalar(), exact_decimals_, text);
    builder.append_string(text);
  } else {
    builder.append_string(cursor_.raw_scalar());
  }
  cursor_.advance();
  return Outcome::kOk;
}

Outcome JsonDecoder::convert_bytes(ColumnBuilder& builder) {
  std::string_view text;
  const JsonKind kind = read_text(text);
  if (kind == JsonKind::kBroken) return Outcome::kBroken;
  if (kind != JsonKind::kString) {
    if (!tree_) return bad("this is no base64 string");
    builder.append_null();
    return cursor_.skip_value() ? Outcome::kOk : Outcome::kBroken;
  }
  std::string bytes;
  if (!parse_base64(text, bytes)) return bad("this is no base64 string");
  builder.append_string(bytes);
  cursor_.advance();
  return Outcome::kOk;
}

Outcome JsonDecoder::convert_time(const Field& field, ColumnBuilder& builder) {
  std::string_view text;
  if (read_text(text) == JsonKind::kBroken) return Outcome::kBroken;
  if (!append_time(field, builder, text)) return bad(no_time(field));
  cursor_.advance();
  return Outcome::kOk;
}

bool JsonDecoder::append_time(const Field& field, ColumnBuilder& builder, std::string_view text) {
  if (field.root == TypeRoot::kDate || field.root == TypeRoot::kTime) {
    int32_t value = 0;
    if (!(field.root == TypeRoot::kDate ? parse_java_date(text, value) : parse_java_time(text, value))) return false;
    builder.append(value);
    return true;
  }
  TimestampValue value;
  const TimestampStandard standard = options_.timestamp_standard;
  if (!(field.root == TypeRoot::kTimestampLtz ? parse_java_timestamp_ltz(text, standard, last_date_, value)
                                              : parse_java_timestamp(text, standard, last_date_, value))) {
    return false;
  }
  if (field.physical == PhysicalType::kTimestampNanos) {
    builder.append_timestamp_nanos(value.millis, value.nanos);
  } else {
    builder.append(field.precision <= 3 ? value.millis : value.millis * 1000 + value.nanos / 1000);
  }
  return true;
}

const char* JsonDecoder::no_time(const Field& field) const {
  const bool iso = options_.timestamp_standard == TimestampStandard::kIso8601;
  switch (field.root) {
    case TypeRoot::kDate:
      return "this is no date such as '2024-12-31'";
    case TypeRoot::kTime:
      return "this is no time such as '23:59:59.999'";
    case TypeRoot::kTimestampLtz:
      return iso ? "this is no timestamp such as '2024-12-31T23:59:59Z' (ISO-8601)"
                 : "this is no timestamp such as '2024-12-31 23:59:59Z' (SQL)";
    default:
      return iso ? "this is no timestamp such as '2024-12-31T23:59:59' (ISO-8601)"
                 : "this is no timestamp such as '2024-12-31 23:59:59' (SQL)";
  }
}

Outcome JsonDecoder::convert_array(Field& field, ColumnBuilder& builder) {
  if (cursor_.peek() != '[') return bad("this is no JSON array");
  cursor_.advance();
  for (bool first = true;; first = false) {
    const auto step = cursor_.next_element(first);
    if (step == JsonCursor::Step::kError) return Outcome::kBroken;
    if (step == JsonCursor::Step::kEnd) break;
    const Outcome outcome = decode_cell(field.children[0], builder.child(0));
    if (outcome != Outcome::kOk) return outcome;
  }
  builder.finish_list();
  return Outcome::kOk;
}

/// Of equal keys the last value counts, at the first one's place: so the keys are gathered before any value is read.
Outcome JsonDecoder::convert_map(Field& field, ColumnBuilder& builder) {
  if (cursor_.peek() != '{') {
    if (!tree_) return bad("this is no JSON object");
    builder.finish_list();  // a node without fields has no entries
    return cursor_.skip_value() ? Outcome::kOk : Outcome::kBroken;
  }
  std::vector<std::pair<std::string, JsonCursor::Mark>> entries;
  std::string_view raw_key;
  cursor_.advance();
  for (bool first = true;; first = false) {
    const auto step = cursor_.next_field(first, raw_key);
    if (step == JsonCursor::Step::kError) return Outcome::kBroken;
    if (step == JsonCursor::Step::kEnd) break;
    std::string key;
    if (!cursor_.unescape(raw_key, key)) return Outcome::kBroken;
    const JsonCursor::Mark value = cursor_.mark();
    if (!cursor_.skip_value()) return Outcome::kBroken;
    const auto same = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == key; });
    if (same != entries.end()) {
      same->second = value;
    } else {
      entries.emplace_back(std::move(key), value);
    }
  }
  const JsonCursor::Mark end = cursor_.mark();
  for (const auto& [key, value] : entries) {
    builder.child(0).append_string(key);
    cursor_.rewind(value);
    const Outcome outcome = decode_cell(field.children[1], builder.child(1));
    if (outcome != Outcome::kOk) return outcome;
  }
  builder.finish_list();
  cursor_.rewind(end);
  return Outcome::kOk;
}

}  // namespace

std::unique_ptr<Decoder> make_json_decoder(const JsonFormatOptions& options, const Schema& wanted) {
  return std::make_unique<JsonDecoder>(options, wanted);
}

}  // namespace yeoul
