#include "yeoul/connectors/datagen/field_generator.h"

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <limits>

#include "yeoul/common/error.h"
#include "yeoul/common/hash.h"
#include "yeoul/types/text.h"

namespace yeoul {
namespace {

/// The draw number `index` of a stream: SplitMix64, computed from the index alone.
inline uint64_t draw(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// In [0, 1).
inline double fraction(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

/// An independent stream of the same field.
inline uint64_t other(uint64_t seed, uint64_t which) {
  return hash_u64(seed + which * 0x632be59bd9b4e019ull);
}

int128 random_integer(const FieldGenerator& field, uint64_t index) {
  const auto range = static_cast<uint128>(field.max - field.min) + 1;
  if (range > std::numeric_limits<uint64_t>::max()) {
    const uint128 bits = static_cast<uint128>(draw(other(field.seed, 2), index)) << 64 | draw(field.seed, index);
    return field.min + static_cast<int128>(bits % range);
  }
  return field.min + static_cast<int128>((static_cast<uint128>(draw(field.seed, index)) * range) >> 64);
}

double random_real(const FieldGenerator& field, uint64_t index) {
  // Halved first: the difference of the extremes has no double.
  const double at = fraction(draw(field.seed, index));
  return 2 * (field.real_min / 2 + at * (field.real_max / 2 - field.real_min / 2));
}

int random_length(const FieldGenerator& field, uint64_t index) {
  if (!field.variable_length || field.length <= 1) return field.length;
  return 1 + static_cast<int>(draw(other(field.seed, 1), index) % static_cast<uint64_t>(field.length));
}

/// Integer cells straight into a column.
template <class T>
ColumnPtr integers(const FieldGenerator& field, uint64_t first, uint64_t stride, size_t count) {
  auto column = std::make_shared<Column>(field.type, count);
  T* cells = column->allocate_values<T>();
  const auto low = static_cast<uint64_t>(field.min);
  const auto range = static_cast<uint64_t>(field.max - field.min) + 1;  // 0: all 64 bits
  uint64_t index = first;
  for (size_t i = 0; i < count; ++i, index += stride) {
    if (field.sequence) {
      cells[i] = static_cast<T>(low + index);
    } else {
      const uint64_t bits = draw(field.seed, index);
      cells[i] = static_cast<T>(low + (range == 0 ? bits : static_cast<uint64_t>((uint128{bits} * range) >> 64)));
    }
  }
  return column;
}

struct Now {
  int64_t ms;
  const TimeZone& zone;
};

void append_random_string(const FieldGenerator& field, uint64_t index, ColumnBuilder& builder) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text(static_cast<size_t>(random_length(field, index)), '\0');
  const uint64_t stream = draw(field.seed, index);
  uint64_t bits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (field.type.is_binary()) {
      if (i % 8 == 0) bits = draw(stream, i / 8);
      text[i] = static_cast<char>(bits >> (i % 8 * 8));
    } else {
      if (i % 16 == 0) bits = draw(stream, i / 16);
      text[i] = kHex[(bits >> (i % 16 * 4)) & 15];
    }
  }
  builder.append_string(text);
}

void append_time(const FieldGenerator& field, uint64_t index, const Now& now, ColumnBuilder& builder) {
  int64_t at = now.ms;
  if (field.max_past_ms > 0) {
    at -= static_cast<int64_t>(draw(field.seed, index) % static_cast<uint64_t>(field.max_past_ms + 1));
  }
  const int64_t local = field.type.is(TypeRoot::kTimestampLtz) ? at : now.zone.instant_to_local_ms(at);
  constexpr int64_t kDay = 86'400'000;
  const int64_t days = local / kDay - (local % kDay < 0 ? 1 : 0);
  if (field.type.is(TypeRoot::kDate)) {
    builder.append(static_cast<int32_t>(days));
  } else if (field.type.is(TypeRoot::kTime)) {
    builder.append(static_cast<int32_t>(local - days * kDay));
  } else {
    builder.append_value(Value(TimestampValue{local, 0}));
  }
}

void append_cell(const FieldGenerator& field, uint64_t index, const Now& now, ColumnBuilder& builder);

void append_nested(const FieldGenerator& field, uint64_t index, const Now& now, ColumnBuilder& builder) {
  if (field.type.is(TypeRoot::kRow)) {
    for (size_t i = 0; i < field.children.size(); ++i) append_cell(field.children[i], index, now, builder.child(i));
    builder.finish_struct();
    return;
  }
  const auto length = static_cast<uint64_t>(field.length);
  for (uint64_t i = 0; i < length; ++i) {
    // Elements of one cell take numbers of their own, far from other cells'.
    const uint64_t element = index * length + i;
    for (size_t c = 0; c < field.children.size(); ++c) append_cell(field.children[c], element, now, builder.child(c));
    if (field.type.is(TypeRoot::kMultiset)) builder.child(1).append(int32_t{1});
  }
  builder.finish_list();
}

void append_number(const FieldGenerator& field, uint64_t index, ColumnBuilder& builder) {
  const int128 value =
      field.sequence ? field.min + static_cast<int128>(index) * field.step : random_integer(field, index);
  switch (field.type.physical()) {
    case PhysicalType::kInt8:
      return builder.append(static_cast<int8_t>(value));
    case PhysicalType::kInt16:
      return builder.append(static_cast<int16_t>(value));
    case PhysicalType::kInt32:
      return builder.append(static_cast<int32_t>(value));
    case PhysicalType::kInt128:
      return builder.append(value);
    case PhysicalType::kBytes:
      return builder.append_string(fmt::format("{}", static_cast<int64_t>(value)));
    default:
      return builder.append(static_cast<int64_t>(value));
  }
}

void append_cell(const FieldGenerator& field, uint64_t index, const Now& now, ColumnBuilder& builder) {
  if (field.null_rate > 0 && fraction(draw(other(field.seed, 3), index)) < field.null_rate)
    return builder.append_null();
  switch (field.type.root()) {
    case TypeRoot::kBoolean:
      return builder.append(static_cast<uint8_t>(draw(field.seed, index) & 1));
    case TypeRoot::kFloat:
    case TypeRoot::kDouble: {
      const double value = field.sequence ? field.real_min + static_cast<double>(index) : random_real(field, index);
      return field.type.is(TypeRoot::kFloat) ? builder.append(static_cast<float>(value)) : builder.append(value);
    }
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return field.sequence ? append_number(field, index, builder) : append_random_string(field, index, builder);
    case TypeRoot::kDate:
    case TypeRoot::kTime:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return append_time(field, index, now, builder);
    case TypeRoot::kArray:
    case TypeRoot::kMap:
    case TypeRoot::kMultiset:
    case TypeRoot::kRow:
      return append_nested(field, index, now, builder);
    default:
      return append_number(field, index, builder);
  }
}

/// Reads the options of one field.
class FieldReader {
 public:
  FieldReader(const std::string& path, const OptionMap& options, std::vector<std::string>& known)
      : prefix_("fields." + path + "."), options_(options), known_(known) {}

  const std::string* text(std::string_view name) {
    known_.push_back(prefix_ + std::string(name));
    const auto it = options_.find(known_.back());
    return it == options_.end() ? nullptr : &it->second;
  }
  std::string key(std::string_view name) const { return prefix_ + std::string(name); }
  int64_t integer(std::string_view name, int64_t fallback) {
    const std::string* value = text(name);
    return value == nullptr ? fallback : parse_integer(key(name), *value);
  }
  double real(std::string_view name, double fallback) {
    const std::string* value = text(name);
    return value == nullptr ? fallback : parse_double(key(name), *value);
  }
  [[noreturn]] void refuse(std::string_view name, const std::string& why) const {
    throw user_error(2010, "option '{}': {}", key(name), why);
  }

 private:
  std::string prefix_;
  const OptionMap& options_;
  std::vector<std::string>& known_;
};

struct Bounds {
  int128 min;
  int128 max;
};

/// What values of an integer type lie within, when the user says nothing.
Bounds bounds_of(const LogicalType& type) {
  constexpr int64_t kTenThousandYears = 10'000;
  switch (type.root()) {
    case TypeRoot::kTinyint:
      return {-128, 127};
    case TypeRoot::kSmallint:
      return {-32768, 32767};
    case TypeRoot::kInteger:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case TypeRoot::kIntervalYearMonth:
      return {0, kTenThousandYears * 12};
    case TypeRoot::kIntervalDayTime:
      return {0, kTenThousandYears * 365 * 86'400'000};
    case TypeRoot::kDecimal:
      return {1 - power_of_ten(type.precision()), power_of_ten(type.precision()) - 1};
    default:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

int128 read_bound(FieldReader& reader, std::string_view name, const LogicalType& type, int128 fallback) {
  const std::string* text = reader.text(name);
  if (text == nullptr) return fallback;
  if (type.is(TypeRoot::kDecimal)) {
    if (const auto value = parse_decimal(*text, type.precision(), type.scale())) return *value;
    reader.refuse(name, fmt::format("'{}' does not fit {}", *text, type.to_string()));
  }
  const int128 value = parse_integer(reader.key(name), *text);
  const Bounds bounds = bounds_of(type);
  if (value < bounds.min || value > bounds.max) {
    reader.refuse(name, fmt::format("'{}' does not fit {}", *text, type.to_string()));
  }
  return value;
}

void read_number(FieldGenerator& field, FieldReader& reader) {
  const LogicalType& type = field.type;
  const std::string_view low = field.sequence ? "start" : "min";
  const std::string_view high = field.sequence ? "end" : "max";
  const Bounds bounds = bounds_of(type);
  if (type.is_approximate()) {
    const bool is_float = type.is(TypeRoot::kFloat);
    field.real_min = reader.real(low, is_float ? 0x1.0p-149 : 0x1.0p-1074);
    field.real_max = reader.real(high, is_float ? FLT_MAX : DBL_MAX);
    if (!(field.real_min <= field.real_max)) reader.refuse(high, fmt::format("it is less than '{}'", reader.key(low)));
  } else {
    field.min = read_bound(reader, low, type, bounds.min);
    field.max = read_bound(reader, high, type, bounds.max);
    if (field.min > field.max) reader.refuse(high, fmt::format("it is less than '{}'", reader.key(low)));
    if (type.is(TypeRoot::kDecimal)) field.step = power_of_ten(type.scale());
  }
  if (!field.sequence) return;
  for (const std::string_view name : {low, high}) {
    if (reader.text(name) == nullptr) reader.refuse(name, "a sequence needs it");
  }
}

void read_length(FieldGenerator& field, FieldReader& reader) {
  const LogicalType& type = field.type;
  const bool text = type.is_string() || type.is_binary();
  const bool fixed = type.is(TypeRoot::kChar) || type.is(TypeRoot::kBinary);
  const int fallback = !text ? 3 : type.length() == LogicalType::kMaxLength ? 100 : type.length();
  const int64_t length = reader.integer("length", fallback);
  if (length < (text ? 1 : 0) || length > std::numeric_limits<int32_t>::max()) {
    reader.refuse("length", fmt::format("{} is no length", length));
  }
  if (text && (length > type.length() || (fixed && length != type.length()))) {
    reader.refuse("length", fmt::format("{} does not fit {}", length, type.to_string()));
  }
  field.length = static_cast<int>(length);
  if (type.is(TypeRoot::kVarchar) || type.is(TypeRoot::kVarbinary)) {
    const std::string* variable = reader.text("var-len");
    field.variable_length = variable != nullptr && parse_boolean(reader.key("var-len"), *variable);
  }
}

}  // namespace

int64_t FieldGenerator::sequence_rows() const {
  if (!sequence) return -1;
  if (type.is_approximate()) return static_cast<int64_t>(std::floor(real_max - real_min)) + 1;
  return static_cast<int64_t>((max - min) / step) + 1;
}

ColumnPtr FieldGenerator::generate(uint64_t first, uint64_t stride, size_t count, int64_t now_ms,
                                   const TimeZone& zone) const {
  if (null_rate == 0 && (type.is_integer() || type.is_interval())) {
    switch (type.physical()) {
      case PhysicalType::kInt8:
        return integers<int8_t>(*this, first, stride, count);
      case PhysicalType::kInt16:
        return integers<int16_t>(*this, first, stride, count);
      case PhysicalType::kInt32:
        return integers<int32_t>(*this, first, stride, count);
      default:
        return integers<int64_t>(*this, first, stride, count);
    }
  }
  ColumnBuilder builder(type);
  builder.reserve(count);
  const Now now{now_ms, zone};
  for (size_t i = 0; i < count; ++i) append_cell(*this, first + i * stride, now, builder);
  return builder.finish();
}

FieldGenerator FieldGenerator::read(const std::string& path, const LogicalType& type, const OptionMap& options,
                                    uint64_t seed, std::vector<std::string>& known) {
  FieldReader reader(path, options, known);
  FieldGenerator field{.type = type, .seed = seed};
  if (const std::string* kind = reader.text("kind")) {
    if (*kind != "random" && *kind != "sequence") {
      reader.refuse("kind", fmt::format("'{}' is neither 'random' nor 'sequence'", *kind));
    }
    field.sequence = *kind == "sequence";
  }
  if (field.sequence && !type.is_numeric() && !type.is_string()) {
    reader.refuse("kind", fmt::format("a field of type {} cannot be a sequence", type.to_string()));
  }
  if (!field.sequence) {
    field.null_rate = reader.real("null-rate", 0);
    if (!(field.null_rate >= 0 && field.null_rate <= 1)) reader.refuse("null-rate", "it is not between 0 and 1");
    if (field.null_rate > 0 && !type.nullable()) reader.refuse("null-rate", "the column is NOT NULL");
  }
  switch (type.root()) {
    case TypeRoot::kBoolean:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      break;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      if (const std::string* past = reader.text("max-past")) {
        field.max_past_ms = parse_duration_ms(reader.key("max-past"), *past);
      }
      break;
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      field.sequence ? read_number(field, reader) : read_length(field, reader);
      break;
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      read_length(field, reader);
      break;
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
      read_length(field, reader);
      field.children.push_back(read(path + ".element", type.child(0), options, other(seed, 11), known));
      break;
    case TypeRoot::kMap:
      read_length(field, reader);
      field.children.push_back(read(path + ".key", type.child(0), options, other(seed, 12), known));
      field.children.push_back(read(path + ".value", type.child(1), options, other(seed, 13), known));
      break;
    case TypeRoot::kRow:
      for (size_t i = 0; i < type.fields().size(); ++i) {
        field.children.push_back(
            read(path + "." + type.fields()[i].name, type.child(i), options, other(seed, 20 + i), known));
      }
      break;
    default:
      if (!type.is_numeric() && !type.is_interval()) {
        throw user_error(2014, "column '{}': connector 'datagen' cannot make values of type {}", path,
                         type.to_string());
      }
      read_number(field, reader);
  }
  return field;
}

}  // namespace yeoul
