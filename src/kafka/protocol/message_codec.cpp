#include "yeoul/kafka/protocol/message_codec.h"

#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr int kDamagedAnswer = 4010;
/// Structures and texts in arrays of one message. A byte of the wire can become a hundred in memory, and no cluster has
/// so many partitions.
constexpr int64_t kElementsMax = 4'000'000;

template <class T>
const T& as(const void* object) {
  return *static_cast<const T*>(object);
}

std::string_view text_of(FieldType type, const void* object) {
  switch (type) {
    case FieldType::kString:
      return as<std::string>(object);
    case FieldType::kNullableString: {
      const auto& text = as<std::optional<std::string>>(object);
      return text ? std::string_view(text->data(), text->size()) : std::string_view();
    }
    case FieldType::kBytes:
      return as<ByteString>(object).value;
    default:
      return as<std::string_view>(object);
  }
}

bool is_null(FieldType type, const void* object) {
  if (type == FieldType::kNullableString) return !as<std::optional<std::string>>(object);
  return type == FieldType::kRecords && as<std::string_view>(object).data() == nullptr;
}

int64_t integer_of(FieldType type, const void* object) {
  switch (type) {
    case FieldType::kBool:
      return as<bool>(object);
    case FieldType::kInt8:
      return as<int8_t>(object);
    case FieldType::kInt16:
      return as<int16_t>(object);
    case FieldType::kInt32:
      return as<int32_t>(object);
    default:
      return as<int64_t>(object);
  }
}

bool has_default(const Field& field, const void* value, const void* fallback);

bool has_defaults(const StructTable& table, const void* object) {
  return std::all_of(table.fields.begin(), table.fields.end(), [&](const Field& field) {
    return has_default(field, field.in(object), field.in(table.defaults));
  });
}

bool has_default(const Field& field, const void* value, const void* fallback) {
  switch (field.type) {
    case FieldType::kArray:
      return field.array->size(value) == field.array->size(fallback);
    case FieldType::kStruct:
      return has_defaults(field.table(), value);
    case FieldType::kUuid:
      return as<Uuid>(value) == as<Uuid>(fallback);
    case FieldType::kString:
    case FieldType::kNullableString:
    case FieldType::kBytes:
    case FieldType::kRecords:
      return is_null(field.type, value) == is_null(field.type, fallback) &&
             text_of(field.type, value) == text_of(field.type, fallback);
    default:
      return integer_of(field.type, value) == integer_of(field.type, fallback);
  }
}

class StructEncoder {
 public:
  StructEncoder(WireVersion version, std::string& out, std::vector<Insert>* inserts = nullptr)
      : version_(version), out_(out), writer_(out), inserts_(inserts) {}

  void write(const StructTable& table, const void* object) {
    size_t num_tagged = 0;
    for (const Field& field : table.fields) {
      const void* value = field.in(object);
      if (!field.versions.contains(version_.number)) {
        YEOUL_CHECK(field.may_be_dropped || has_default(field, value, field.in(table.defaults)),
                    "version {} of {} cannot carry {}", version_.number, table.name, field.name);
      } else if (field.tag >= 0) {
        num_tagged += !has_default(field, value, field.in(table.defaults));
      } else {
        write_value(table, field, value);
      }
    }
    if (version_.flexible) write_tagged(table, object, num_tagged);
  }

 private:
  void write_tagged(const StructTable& table, const void* object, size_t count) {
    writer_.unsigned_varint(count);
    for (const Field& field : table.fields) {
      const void* value = field.in(object);
      if (field.tag < 0 || !field.versions.contains(version_.number)) continue;
      if (has_default(field, value, field.in(table.defaults))) continue;
      std::string bytes;
      StructEncoder(version_, bytes).write_value(table, field, value);
      writer_.unsigned_varint(static_cast<uint64_t>(field.tag));
      writer_.unsigned_varint(bytes.size());
      writer_.raw(bytes);
    }
  }

  void write_value(const StructTable& table, const Field& field, const void* value) {
    switch (field.type) {
      case FieldType::kStruct:
        return write(field.table(), value);
      case FieldType::kArray:
        return write_array(table, field, value);
      default:
        return write_scalar(table, field, field.type, value);
    }
  }

  void write_scalar(const StructTable& table, const Field& field, FieldType type, const void* value) {
    switch (type) {
      case FieldType::kBool:
      case FieldType::kInt8:
        return writer_.fixed(static_cast<int8_t>(integer_of(type, value)));
      case FieldType::kInt16:
        return writer_.fixed(as<int16_t>(value));
      case FieldType::kInt32:
        return writer_.fixed(as<int32_t>(value));
      case FieldType::kInt64:
        return writer_.fixed(as<int64_t>(value));
      case FieldType::kUuid:
        writer_.fixed(as<Uuid>(value).high);
        return writer_.fixed(as<Uuid>(value).low);
      default:
        break;
    }
    const bool short_length = type == FieldType::kString || type == FieldType::kNullableString;
    if (is_null(type, value)) {
      check_null(table, field);
      return write_length(-1, short_length);
    }
    const std::string_view text = text_of(type, value);
    const size_t longest = short_length && !version_.flexible ? INT16_MAX : INT32_MAX - 1;
    YEOUL_CHECK(text.size() <= longest, "{} of {} is too long to send: {} bytes", field.name, table.name, text.size());
    write_length(static_cast<int64_t>(text.size()), short_length);
    if (type == FieldType::kRecords && inserts_ != nullptr && !text.empty()) {
      inserts_->push_back({out_.size(), text});
    } else {
      writer_.raw(text);
    }
  }

  void write_array(const StructTable& table, const Field& field, const void* array) {
    const ArrayAccess& access = *field.array;
    const int64_t size = access.size(array);
    if (size < 0) check_null(table, field);
    write_length(size, false);
    for (int64_t i = 0; i < size; ++i) {
      const void* element = access.at(array, static_cast<size_t>(i));
      if (access.element == FieldType::kStruct) {
        write(access.element_table(), element);
      } else {
        write_scalar(table, field, access.element, element);
      }
    }
  }

  void write_length(int64_t length, bool short_length) {
    if (version_.flexible) {
      writer_.unsigned_varint(static_cast<uint64_t>(length + 1));
    } else if (short_length) {
      writer_.fixed(static_cast<int16_t>(length));
    } else {
      writer_.fixed(static_cast<int32_t>(length));
    }
  }

  void check_null(const StructTable& table, const Field& field) const {
    YEOUL_CHECK(version_.number >= field.nullable_from, "version {} of {} takes no null {}", version_.number,
                table.name, field.name);
  }

  WireVersion version_;
  std::string& out_;
  WireWriter writer_;
  std::vector<Insert>* inserts_;
};

class StructDecoder {
 public:
  StructDecoder(WireVersion version, std::string_view bytes) : version_(version), reader_(bytes) {}

  void read(const StructTable& table, void* object) {
    for (const Field& field : table.fields) {
      if (field.tag < 0 && field.versions.contains(version_.number)) read_value(table, field, field.member(object));
    }
    if (version_.flexible) read_tagged(table, object);
  }

  size_t remaining() const { return reader_.remaining(); }

 private:
  void read_tagged(const StructTable& table, void* object) {
    uint64_t count = reader_.unsigned_varint();
    for (; count > 0 && reader_.ok(); --count) {
      const uint64_t tag = reader_.unsigned_varint();
      const uint64_t size = reader_.unsigned_varint();
      const std::string_view bytes = reader_.raw(size);
      if (!reader_.ok()) break;
      const auto known = std::find_if(table.fields.begin(), table.fields.end(), [&](const Field& field) {
        return field.tag >= 0 && static_cast<uint64_t>(field.tag) == tag && field.versions.contains(version_.number);
      });
      if (known == table.fields.end()) continue;
      StructDecoder nested(version_, bytes);
      nested.read_value(table, *known, known->member(object));
    }
    if (!reader_.ok()) fail(table, "the tagged fields", "run past the end");
  }

  void read_value(const StructTable& table, const Field& field, void* value) {
    switch (field.type) {
      case FieldType::kStruct:
        return read(field.table(), value);
      case FieldType::kArray:
        return read_array(table, field, value);
      default:
        return read_scalar(table, field, field.type, value);
    }
  }

  void read_scalar(const StructTable& table, const Field& field, FieldType type, void* value) {
    switch (type) {
      case FieldType::kBool:
        *static_cast<bool*>(value) = reader_.fixed<int8_t>() != 0;
        break;
      case FieldType::kInt8:
        *static_cast<int8_t*>(value) = reader_.fixed<int8_t>();
        break;
      case FieldType::kInt16:
        *static_cast<int16_t*>(value) = reader_.fixed<int16_t>();
        break;
      case FieldType::kInt32:
        *static_cast<int32_t*>(value) = reader_.fixed<int32_t>();
        break;
      case FieldType::kInt64:
        *static_cast<int64_t*>(value) = reader_.fixed<int64_t>();
        break;
      case FieldType::kUuid: {
        const auto high = reader_.fixed<uint64_t>();
        *static_cast<Uuid*>(value) = Uuid{high, reader_.fixed<uint64_t>()};
        break;
      }
      default:
        read_text(table, field, type, value);
    }
    if (!reader_.ok()) fail(table, field.name, "runs past the end");
  }

  void read_text(const StructTable& table, const Field& field, FieldType type, void* value) {
    const int64_t length = read_length(type == FieldType::kString || type == FieldType::kNullableString);
    if (length < 0) {
      if (type == FieldType::kString || type == FieldType::kBytes) fail(table, field.name, "is null");
      if (type == FieldType::kRecords) *static_cast<std::string_view*>(value) = {};
      if (type == FieldType::kNullableString) static_cast<std::optional<std::string>*>(value)->reset();
      return;
    }
    const std::string_view text = reader_.raw(static_cast<uint64_t>(length));
    switch (type) {
      case FieldType::kString:
        *static_cast<std::string*>(value) = text;
        break;
      case FieldType::kNullableString:
        *static_cast<std::optional<std::string>*>(value) = text;
        break;
      case FieldType::kBytes:
        static_cast<ByteString*>(value)->value = text;
        break;
      default:
        *static_cast<std::string_view*>(value) = text;
    }
  }

  void read_array(const StructTable& table, const Field& field, void* array) {
    const ArrayAccess& access = *field.array;
    const int64_t size = read_length(false);
    if (!reader_.ok()) fail(table, field.name, "runs past the end");
    if (size < 0) return;
    const size_t smallest = access.element == FieldType::kStruct ? smallest_struct(access.element_table())
                                                                 : smallest_scalar(access.element);
    if (static_cast<uint64_t>(size) > reader_.remaining() / std::max<size_t>(smallest, 1)) {
      fail(table, field.name, "claims more elements than there are bytes");
    }
    if (access.element >= FieldType::kString) num_elements_ += size;
    if (num_elements_ > kElementsMax) fail(table, field.name, "has more elements than any cluster");
    access.clear(array);
    for (int64_t i = 0; i < size; ++i) {
      void* element = access.append(array);
      if (access.element == FieldType::kStruct) {
        read(access.element_table(), element);
      } else {
        read_scalar(table, field, access.element, element);
      }
    }
  }

  int64_t read_length(bool short_length) {
    if (version_.flexible) return static_cast<int64_t>(std::min<uint64_t>(reader_.unsigned_varint(), INT32_MAX)) - 1;
    return short_length ? int64_t{reader_.fixed<int16_t>()} : int64_t{reader_.fixed<int32_t>()};
  }

  size_t smallest_scalar(FieldType type) const {
    switch (type) {
      case FieldType::kInt16:
        return 2;
      case FieldType::kInt32:
        return 4;
      case FieldType::kInt64:
        return 8;
      case FieldType::kUuid:
        return 16;
      case FieldType::kString:
      case FieldType::kNullableString:
        return version_.flexible ? 1 : 2;
      case FieldType::kBytes:
      case FieldType::kRecords:
      case FieldType::kArray:
        return version_.flexible ? 1 : 4;
      default:
        return 1;
    }
  }

  size_t smallest_struct(const StructTable& table) const {
    size_t bytes = version_.flexible ? 1 : 0;
    for (const Field& field : table.fields) {
      if (field.tag >= 0 || !field.versions.contains(version_.number)) continue;
      bytes += field.type == FieldType::kStruct ? smallest_struct(field.table()) : smallest_scalar(field.type);
    }
    return bytes;
  }

  [[noreturn]] static void fail(const StructTable& table, std::string_view field, const char* what) {
    throw external_error(kDamagedAnswer, "the bytes are not a valid {}: {} {}", table.name, field, what);
  }

  WireVersion version_;
  WireReader reader_;
  int64_t num_elements_ = 0;
};

class StructPrinter {
 public:
  explicit StructPrinter(int16_t version) : version_(version) {}

  void print(const StructTable& table, const void* object) {
    out_ += '{';
    bool first = true;
    for (const Field& field : table.fields) {
      if (!field.versions.contains(version_)) continue;
      if (!first) out_ += ", ";
      first = false;
      out_ += field.name;
      out_ += ": ";
      const void* value = field.in(object);
      if (field.type == FieldType::kArray) {
        print_array(field, value);
      } else {
        print_value(field.type, field.table, value);
      }
    }
    out_ += '}';
  }

  std::string take() { return std::move(out_); }

 private:
  void print_array(const Field& field, const void* array) {
    const int64_t size = field.array->size(array);
    if (size < 0) {
      out_ += "null";
      return;
    }
    out_ += '[';
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) out_ += ", ";
      print_value(field.array->element, field.array->element_table, field.array->at(array, static_cast<size_t>(i)));
    }
    out_ += ']';
  }

  void print_value(FieldType type, const StructTable& (*table)(), const void* value) {
    const auto out = std::back_inserter(out_);
    switch (type) {
      case FieldType::kStruct:
        print(table(), value);
        break;
      case FieldType::kBool:
        out_ += as<bool>(value) ? "true" : "false";
        break;
      case FieldType::kUuid:
        fmt::format_to(out, "{:016x}{:016x}", as<Uuid>(value).high, as<Uuid>(value).low);
        break;
      case FieldType::kBytes:
        out_ += "<hidden>";
        break;
      case FieldType::kRecords:
        fmt::format_to(out, "<{} bytes>", as<std::string_view>(value).size());
        break;
      case FieldType::kString:
      case FieldType::kNullableString:
        print_text(type, value);
        break;
      default:
        fmt::format_to(out, "{}", integer_of(type, value));
    }
  }

  void print_text(FieldType type, const void* value) {
    if (is_null(type, value)) {
      out_ += "null";
      return;
    }
    out_ += '"';
    for (const char c : text_of(type, value)) {
      if (static_cast<uint8_t>(c) < 0x20 || c == '"' || c == '\\') {
        fmt::format_to(std::back_inserter(out_), "\\x{:02x}", static_cast<uint8_t>(c));
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  int16_t version_;
  std::string out_;
};

}  // namespace

void encode_struct(const StructTable& table, const void* object, WireVersion version, std::string& out,
                   std::vector<Insert>* inserts) {
  StructEncoder(version, out, inserts).write(table, object);
}

void decode_struct(const StructTable& table, void* object, WireVersion version, std::string_view bytes) {
  StructDecoder decoder(version, bytes);
  decoder.read(table, object);
  if (decoder.remaining() > 0) {
    throw external_error(kDamagedAnswer, "the bytes are not a valid {}: {} bytes are left over", table.name,
                         decoder.remaining());
  }
}

std::string print_struct(const StructTable& table, const void* object, WireVersion version) {
  StructPrinter printer(version.number);
  printer.print(table, object);
  return printer.take();
}

}  // namespace yeoul
