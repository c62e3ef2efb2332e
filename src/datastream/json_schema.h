#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/datastream/record_fields.h"
#include "yeoul/formats/json/json_record_reader.h"
#include "yeoul/formats/json/json_text_buffer.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// The SQL columns that the fields of a record are in JSON.
template <class T>
Schema json_schema_of() {
  using Fields = RecordFields<T>;
  std::vector<RowField> fields;
  Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I>) {
    fields.push_back({Fields::name(I), ColumnValues<typename Fields::template Field<I>>::type()});
  });
  return Schema(std::move(fields));
}

/// Values that are read and written in place; all others take the way of a table's cells.
template <class T>
inline constexpr bool kPlainInJson =
    ColumnInteger<T> || std::is_same_v<T, std::string> || std::is_same_v<T, bool> || std::is_same_v<T, double> ||
    std::is_same_v<T, float> || std::is_same_v<T, TimestampValue>;
template <class T>
inline constexpr bool kPlainInJson<std::optional<T>> = kPlainInJson<T>;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
constexpr bool all_plain_in_json() {
  using Fields = RecordFields<T>;
  return []<size_t... I>(std::index_sequence<I...>) {
    return (kPlainInJson<typename Fields::template Field<I>> && ...);
  }(std::make_index_sequence<Fields::count()>());
}

/// JSON objects as records T, a struct with fields(): keys are the names of fields, values are read as the SQL format
/// 'json' reads columns of the types in column_values.h, with its options and errors (Flink's
/// JsonDeserializationSchema). A value that is null or missing needs a std::optional; with `ignore_parse_errors`, what
/// cannot be read is such a value, and a message that then gives no record is passed over. Each subtask has its own
/// copy. Threads: one.
template <class T>
class JsonDeserializationSchema {
  static_assert(
      DescribedStruct<T>,
      "Yeoul: JsonDeserializationSchema needs a struct with fields(), whose names are the keys of the objects");

 public:
  using Type = T;

  explicit JsonDeserializationSchema(const JsonFormatOptions& options = {}) : reader_(options, json_schema_of<T>()) {}
  JsonDeserializationSchema(const JsonDeserializationSchema& other)
      : JsonDeserializationSchema(other.reader_.options()) {}

  /// Appends what the message holds: one record for an object, each of an array's. @throws user error 3001, 3300
  void deserialize(std::string_view message, std::vector<T>& out) const {
    const std::string_view held = reader_.hold(message);
    deserialize(Message{held.data(), static_cast<uint32_t>(held.size())}, out);
  }
  /// The same where the message stands.
  void deserialize(const Message& message, std::vector<T>& out) const {
    const std::string_view text = message.view();
    if constexpr (all_plain_in_json<T>()) {
      if (read_usual(text, out.emplace_back())) return;
      out.pop_back();
    }
    const RowBatch rows = reader_.read(text);
    for (size_t row = 0; row < rows.num_rows; ++row) append_row(rows, row, out);
  }
  /// The one record of a message. @throws also user error 3001 where it has none or several
  T deserialize(std::string_view message) const {
    std::vector<T> values;
    deserialize(message, values);
    if (values.size() != 1) {
      throw user_error(
          3001,
          "the message gives {} records, not one; deserialize(message, out), as in a flat_map(), takes any number",
          values.size());
    }
    return std::move(values.front());
  }

 private:
  using Fields = RecordFields<T>;

  void append_row(const RowBatch& rows, size_t row, std::vector<T>& out) const {
    try {
      T value{};
      Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I>) {
        try {
          Fields::template get<I>(value) =
              ColumnValues<typename Fields::template Field<I>>::read(*rows.columns[I], row);
        } catch (Error& error) {
          throw error.add_context(fmt::format("field '{}'", Fields::name(I)));
        }
      });
      out.push_back(std::move(value));
    } catch (const Error& error) {
      if (!reader_.options().ignore_parse_errors) throw;
      reader_.note_dropped(error.message());
    }
  }

  /// Reads a message that has the keys of the last one in their order, without blanks, nesting or escapes, in one pass.
  /// False for any other: `value` is then worth nothing.
  bool read_usual(std::string_view text, T& value) const {
    const char* at = text.data();
    const char* const end = at + text.size();
    size_t found = 0;
    char before = '{';
    for (const JsonRecordReader::Key& key : reader_.keys()) {
      if (at >= end || *at != before || !key.with_colon.starts(at + 1)) return false;
      at += 1 + key.with_colon.size;
      if (at >= end) return false;
      const char* const behind = end_of_usual_value(at, end);
      if (behind == nullptr) return false;
      const uint32_t token[] = {static_cast<uint32_t>(at - text.data()), static_cast<uint32_t>(behind - text.data())};
      cursor_.reset_to_scalar(text.data(), token);
      if (key.field < 0) {
        if (*at != '"' && cursor_.kind() == JsonKind::kBroken) return false;
      } else {
        if (!read_field(key.field, value)) return false;
        ++found;
      }
      at = behind;
      before = ',';
    }
    // A field that is missing is for the slow way to judge.
    return found == Fields::count() && end - at == 1 && *at == '}';
  }
  bool read_field(int field, T& value) const {
    bool good = false;
    Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I>) {
      if (field == static_cast<int>(I)) good = read_value(Fields::template get<I>(value));
    });
    return good;
  }

  template <class U>
  bool read_value(std::optional<U>& value) const {
    if (cursor_.peek() != 'n') return read_value(value.emplace());
    value.reset();
    return cursor_.kind() == JsonKind::kNull;
  }
  bool read_value(std::string& value) const {
    if (cursor_.peek() != '"') return false;
    value = cursor_.raw_string();
    return true;
  }
  template <ColumnInteger U>
  bool read_value(U& value) const {
    int64_t number = 0;
    if (!cursor_.take_integer(number)) return false;
    value = static_cast<U>(number);
    return value == number;
  }
  bool read_value(bool& value) const {
    const JsonKind kind = cursor_.kind();
    value = kind == JsonKind::kTrue;
    return value || kind == JsonKind::kFalse;
  }
  bool read_value(double& value) const { return is_number() && parse_java_double(cursor_.raw_scalar(), value); }
  bool read_value(float& value) const { return is_number() && parse_java_float(cursor_.raw_scalar(), value); }
  bool read_value(TimestampValue& value) const {
    return cursor_.peek() == '"' &&
           parse_java_timestamp(cursor_.raw_string(), reader_.options().timestamp_standard, last_date_, value);
  }
  bool is_number() const {
    const JsonKind kind = cursor_.kind();
    return kind == JsonKind::kInteger || kind == JsonKind::kFloat;
  }

  // Scratch: the schema itself does not change.
  mutable JsonRecordReader reader_;
  mutable JsonCursor cursor_;
  mutable LastDate last_date_;
};

/// Records T as JSON objects: keys are the names of fields, values are written as the SQL format 'json' writes columns
/// of the types in column_values.h, with its options (Flink's JsonSerializationSchema). Each subtask has its own copy.
/// Threads: one.
template <class T>
class JsonSerializationSchema {
  static_assert(DescribedStruct<T>,
                "Yeoul: JsonSerializationSchema needs a struct with fields(), whose names are the keys of the objects");

 public:
  using Type = T;

  explicit JsonSerializationSchema(const JsonFormatOptions& options = {})
      : options_(options), encoder_(make_json_encoder(options, json_schema_of<T>())) {
    Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I>) {
      JsonTextBuffer name;
      name.append_quoted(Fields::name(I));
      name.put(':');
      prefixes_.emplace_back(name.view());
      columns_.push_back(static_cast<int>(I));
    });
  }
  JsonSerializationSchema(const JsonSerializationSchema& other) : JsonSerializationSchema(other.options_) {}

  /// Appends one message for each record. @throws user error 3200 for a value that JSON cannot hold
  void serialize(std::span<const T> values, EncodedRows& out) const {
    if constexpr (all_plain_in_json<T>()) {
      const size_t before = out.bytes.size();
      text_.clear();
      for (const T& value : values) {
        write_object(value);
        out.offsets.push_back(before + text_.size());
      }
      out.bytes += text_.view();
    } else {
      RowBatch rows({}, values.size());
      Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I>) {
        using Field = typename Fields::template Field<I>;
        rows.columns.push_back(
            make_column<Field>(ColumnValues<Field>::type(), values.size(),
                               [&](size_t i) -> const Field& { return Fields::template get<I>(values[i]); }));
      });
      encoder_->encode(rows, columns_, out);
    }
  }
  /// One of them. Valid until the next call.
  std::string_view serialize(const T& value) const {
    encoded_.clear();
    serialize({&value, 1}, encoded_);
    return encoded_[0];
  }

 private:
  using Fields = RecordFields<T>;

  void write_object(const T& value) const {
    text_.put('{');
    bool first = true;
    Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I>) {
      write_field(prefixes_[I], Fields::template get<I>(value), first);
    });
    text_.put('}');
  }
  template <class Field>
  void write_field(const FixedText& prefix, const Field& value, bool& first) const {
    if constexpr (kIsOptional<Field>) {
      if (!value && options_.encode_ignore_null_fields) return;
    }
    if (!first) text_.put(',');
    first = false;
    text_.append(prefix);
    write_value(value);
  }
  template <class U>
  void write_value(const std::optional<U>& value) const {
    if (value) {
      write_value(*value);
    } else {
      text_.append("null");
    }
  }
  void write_value(const std::string& value) const { text_.append_quoted(value); }
  template <ColumnInteger U>
  void write_value(U value) const {
    text_.append_integer(value);
  }
  template <std::same_as<bool> U>
  void write_value(U value) const {
    text_.append(value ? "true" : "false");
  }
  template <std::same_as<double> U>
  void write_value(U value) const {
    text_.append_double(value);
  }
  template <std::same_as<float> U>
  void write_value(U value) const {
    text_.append_float(value);
  }
  void write_value(const TimestampValue& value) const {
    text_.put('"');
    text_.append_timestamp(value, options_.timestamp_standard == TimestampStandard::kSql ? ' ' : 'T');
    text_.put('"');
  }

  const JsonFormatOptions options_;
  std::unique_ptr<Encoder> encoder_;
  std::vector<FixedText> prefixes_;
  std::vector<int> columns_;
  // Scratch: the schema itself does not change.
  mutable JsonTextBuffer text_;
  mutable EncodedRows encoded_;
};

}  // namespace yeoul
