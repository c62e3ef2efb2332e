#include "yeoul/types/arrow.h"

#include <array>
#include <string>
#include <utility>

#include "yeoul/common/error.h"

namespace yeoul {

namespace {

constexpr int64_t kNullableFlag = 2;  // ARROW_FLAG_NULLABLE of the specification

std::string timestamp_format(const LogicalType& type) {
  const char* unit = type.precision() <= 3 ? "tsm:" : type.precision() <= 6 ? "tsu:" : "tsn:";
  return type.is(TypeRoot::kTimestampLtz) ? std::string(unit) + "UTC" : unit;
}

std::string arrow_format(const LogicalType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return "b";
    case TypeRoot::kTinyint:
      return "c";
    case TypeRoot::kSmallint:
      return "s";
    case TypeRoot::kInteger:
      return "i";
    case TypeRoot::kBigint:
      return "l";
    case TypeRoot::kFloat:
      return "f";
    case TypeRoot::kDouble:
      return "g";
    case TypeRoot::kDecimal:
      return fmt::format("d:{},{}", type.precision(), type.scale());
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return "u";
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return "z";
    case TypeRoot::kDate:
      return "tdD";
    case TypeRoot::kTime:
      return "ttm";
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return timestamp_format(type);
    case TypeRoot::kIntervalYearMonth:
      return "tiM";
    case TypeRoot::kIntervalDayTime:
      return "tDm";
    case TypeRoot::kArray:
      return "+l";
    case TypeRoot::kMap:
    case TypeRoot::kMultiset:
      return "+m";
    case TypeRoot::kRow:
      return "+s";
    case TypeRoot::kNull:
    case TypeRoot::kSymbol:
    case TypeRoot::kRaw:
    case TypeRoot::kVariant:
    case TypeRoot::kTimestampTz:
      return "n";
  }
  return "n";
}

/// Calls release of the children that the consumer has not moved away, and frees their structs.
template <class Struct>
void release_children(Struct* parent) {
  for (int64_t i = 0; i < parent->n_children; ++i) {
    Struct* child = parent->children[i];
    if (child->release != nullptr) child->release(child);
    delete child;
  }
}

struct SchemaData {
  std::string format;
  std::string name;
  std::vector<ArrowSchema*> children;
};

void release_schema(ArrowSchema* schema) {
  release_children(schema);
  delete static_cast<SchemaData*>(schema->private_data);
  schema->release = nullptr;
}

void fill_schema(std::string format, std::string name, bool nullable, std::vector<ArrowSchema*> children,
                 ArrowSchema* out) {
  auto* data = new SchemaData{std::move(format), std::move(name), std::move(children)};
  *out = ArrowSchema{.format = data->format.c_str(),
                     .name = data->name.c_str(),
                     .metadata = nullptr,
                     .flags = nullable ? kNullableFlag : 0,
                     .n_children = static_cast<int64_t>(data->children.size()),
                     .children = data->children.data(),
                     .dictionary = nullptr,
                     .release = release_schema,
                     .private_data = data};
}

ArrowSchema* new_schema(const std::string& name, const LogicalType& type, bool nullable) {
  std::vector<ArrowSchema*> children;
  if (type.is(TypeRoot::kArray)) {
    children.push_back(new_schema("item", type.child(0), type.child(0).nullable()));
  } else if (type.physical() == PhysicalType::kMap) {
    // Arrow has no NULL keys; a map that holds one all the same is exported as it is.
    auto* entries = new ArrowSchema;
    fill_schema("+s", "entries", false,
                {new_schema("key", type.child(0), false), new_schema("value", type.child(1), type.child(1).nullable())},
                entries);
    children.push_back(entries);
  } else {
    for (const RowField& field : type.fields())
      children.push_back(new_schema(field.name, field.type, field.type.nullable()));
  }
  auto* schema = new ArrowSchema;
  fill_schema(arrow_format(type), name, nullable, std::move(children), schema);
  return schema;
}

/// Keeps alive what an exported array points to. Buffers of columns are shared, `made` holds converted ones.
struct ArrayData {
  std::shared_ptr<const void> owner;
  Buffer made;
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray*> children;
};

void release_array(ArrowArray* array) {
  release_children(array);
  delete static_cast<ArrayData*>(array->private_data);
  array->release = nullptr;
}

void fill_array(std::unique_ptr<ArrayData> data, int64_t length, int64_t null_count, int64_t n_buffers,
                ArrowArray* out) {
  ArrayData* kept = data.release();
  *out = ArrowArray{.length = length,
                    .null_count = null_count,
                    .offset = 0,
                    .n_buffers = n_buffers,
                    .n_children = static_cast<int64_t>(kept->children.size()),
                    .buffers = kept->buffers.data(),
                    .children = kept->children.data(),
                    .dictionary = nullptr,
                    .release = release_array,
                    .private_data = kept};
}

Buffer packed_bits(const Column& column) {
  Buffer bits((column.size() + 7) / 8);
  if (column.size() != 0) std::memset(bits.data(), 0, bits.size());
  const auto* values = column.values<uint8_t>();
  for (size_t i = 0; i < column.size(); ++i) {
    bits.as<uint8_t>()[i >> 3] |= static_cast<uint8_t>((values[i] != 0) << (i & 7));
  }
  return bits;
}

Buffer joined_nanos(const Column& column) {
  Buffer joined(column.size() * sizeof(int64_t));
  for (size_t i = 0; i < column.size(); ++i) {
    int64_t nanos = 0;
    const TimestampValue time = column.is_valid(i) ? column.timestamp_at(i) : TimestampValue{};
    if (__builtin_mul_overflow(time.millis, int64_t{1'000'000}, &nanos) ||
        __builtin_add_overflow(nanos, int64_t{time.nanos}, &nanos)) {
      throw user_error(3050,
                       "a {} {} ms from 1970 cannot be given to Arrow, whose nanoseconds end in 2262; cast it to "
                       "TIMESTAMP(6)",
                       column.type().to_string(), time.millis);
    }
    joined.as<int64_t>()[i] = nanos;
  }
  return joined;
}

int64_t null_count(const Column& column) {
  if (column.type().physical() == PhysicalType::kNone) return static_cast<int64_t>(column.size());
  int64_t nulls = 0;
  if (!column.may_have_nulls()) return 0;
  for (size_t i = 0; i < column.size(); ++i) nulls += column.is_null(i);
  return nulls;
}

ArrowArray* new_array(const ColumnPtr& column);

/// Frees arrays that were made before a later one failed.
class ChildArrays {
 public:
  ChildArrays() = default;
  ChildArrays(const ChildArrays&) = delete;
  ChildArrays& operator=(const ChildArrays&) = delete;
  ~ChildArrays() {
    for (ArrowArray* array : arrays_) {
      array->release(array);
      delete array;
    }
  }
  void add(const ColumnPtr& column) { arrays_.push_back(new_array(column)); }
  std::vector<ArrowArray*> take() { return std::exchange(arrays_, {}); }

 private:
  std::vector<ArrowArray*> arrays_;
};

/// Key and value of a map as Arrow's struct of entries.
ArrowArray* new_entries(const Column& map) {
  ChildArrays children;
  for (const ColumnPtr& child : map.children()) children.add(child);
  auto data = std::make_unique<ArrayData>();
  data->children = children.take();
  auto* entries = new ArrowArray;
  fill_array(std::move(data), static_cast<int64_t>(map.child(0).size()), 0, 1, entries);
  return entries;
}

const void* validity_of(const Column& column) {
  return column.validity_buffer().size() == 0 ? nullptr : column.validity_buffer().data();
}

ArrowArray* new_array(const ColumnPtr& column) {
  static constexpr int32_t kNoOffsets[1] = {0};
  static constexpr char kNoBytes[Buffer::kPadding] = {};
  auto data = std::make_unique<ArrayData>();
  data->owner = column;
  data->buffers[0] = validity_of(*column);
  const auto bytes_of = [](const Buffer& buffer) -> const void* {
    return buffer.size() == 0 ? kNoBytes : buffer.data();
  };
  const void* offsets = column->offsets_buffer().size() == 0 ? kNoOffsets : column->offsets();
  const PhysicalType physical = column->type().physical();
  ChildArrays children;
  int64_t n_buffers = 2;
  switch (physical) {
    case PhysicalType::kNone:
      n_buffers = 0;
      break;
    case PhysicalType::kBytes:
      data->buffers[1] = offsets;
      data->buffers[2] = bytes_of(column->data_buffer());
      n_buffers = 3;
      break;
    case PhysicalType::kList:
      data->buffers[1] = offsets;
      children.add(column->children()[0]);
      data->children = children.take();
      break;
    case PhysicalType::kMap:
      data->buffers[1] = offsets;
      data->children.push_back(new_entries(*column));
      break;
    case PhysicalType::kStruct:
      for (const ColumnPtr& child : column->children()) children.add(child);
      data->children = children.take();
      n_buffers = 1;
      break;
    case PhysicalType::kBool:
    case PhysicalType::kTimestampNanos:
      data->made = physical == PhysicalType::kBool ? packed_bits(*column) : joined_nanos(*column);
      data->buffers[1] = bytes_of(data->made);
      break;
    default:
      data->buffers[1] = bytes_of(column->data_buffer());
  }
  auto* array = new ArrowArray;
  fill_array(std::move(data), static_cast<int64_t>(column->size()), null_count(*column), n_buffers, array);
  return array;
}

}  // namespace

void export_schema(const Schema& schema, ArrowSchema* out) {
  std::vector<ArrowSchema*> children;
  for (const RowField& field : schema.fields())
    children.push_back(new_schema(field.name, field.type, field.type.nullable()));
  fill_schema("+s", "", false, std::move(children), out);
}

void export_batch(const RowBatchPtr& batch, const Schema& schema, ArrowArray* out) {
  YEOUL_CHECK(batch->columns.size() == schema.size(), "a batch of {} columns is not of the schema {}",
              batch->columns.size(), schema.to_string());
  const RowBatchPtr live = compact(batch);
  ChildArrays children;
  for (const ColumnPtr& column : live->columns) children.add(column);
  auto data = std::make_unique<ArrayData>();
  data->children = children.take();
  fill_array(std::move(data), static_cast<int64_t>(live->num_rows), 0, 1, out);
}

}  // namespace yeoul
