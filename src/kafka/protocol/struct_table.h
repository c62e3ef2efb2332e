#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace yeoul {

/// A topic's id; all zero where there is none.
struct Uuid {
  uint64_t high = 0;
  uint64_t low = 0;
  auto operator<=>(const Uuid&) const = default;
};

/// The protocol's `bytes`. Never printed: only logins use it.
struct ByteString {
  std::string value;
};

/// Versions of an API, both ends included.
struct VersionRange {
  int16_t first;
  int16_t last;
  constexpr bool contains(int16_t version) const { return first <= version && version <= last; }
};

constexpr int16_t kNewestVersion = INT16_MAX;

constexpr VersionRange always() {
  return {0, kNewestVersion};
}
constexpr VersionRange since(int16_t first) {
  return {first, kNewestVersion};
}
constexpr VersionRange until(int16_t last) {
  return {0, last};
}
constexpr VersionRange between(int16_t first, int16_t last) {
  return {first, last};
}

/// What a field holds. kRecords is a view into the bytes that were decoded, or into the caller's when encoding.
enum class FieldType : uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUuid,
  kString,
  kNullableString,
  kBytes,
  kRecords,
  kStruct,
  kArray,
};

struct StructTable;

/// How to handle a std::vector, or an optional one, whose type is not known.
struct ArrayAccess {
  FieldType element;
  const StructTable& (*element_table)();  ///< null unless the elements are structures
  bool nullable;
  int64_t (*size)(const void*);  ///< -1: null
  const void* (*at)(const void*, size_t);
  void (*clear)(void*);    ///< to an empty array, not null
  void* (*append)(void*);  ///< the new element, with its defaults
};

/// A row of a table: one field of a structure. Its type is that of the C++ member.
struct Field {
  std::string_view name;
  FieldType type;
  VersionRange versions;
  int16_t nullable_from;  ///< the first version in which null may be sent
  int8_t tag = -1;        ///< -1: stands in its place, not among the tagged fields
  bool may_be_dropped = false;
  void* (*member)(void*);
  const ArrayAccess* array;
  const StructTable& (*table)();

  /// A tagged field: left out where it has its default.
  constexpr Field tagged(int8_t number) const {
    Field field = *this;
    field.tag = number;
    return field;
  }
  /// A value for a version that lacks the field is dropped; without this it is an error of ours.
  constexpr Field ignorable() const {
    Field field = *this;
    field.may_be_dropped = true;
    return field;
  }
  constexpr Field nullable_since(int16_t version) const {
    Field field = *this;
    field.nullable_from = version;
    return field;
  }
  const void* in(const void* object) const { return member(const_cast<void*>(object)); }
};

/// The description of a structure, which encoding, decoding and printing follow, and tests and fuzzing too.
struct StructTable {
  std::string_view name;
  std::span<const Field> fields;  ///< in the order of the wire
  const void* defaults;           ///< an object as its constructor leaves it
};

template <class T>
constexpr FieldType field_type_of() {
  if constexpr (std::is_same_v<T, bool>) return FieldType::kBool;
  if constexpr (std::is_same_v<T, int8_t>) return FieldType::kInt8;
  if constexpr (std::is_same_v<T, int16_t>) return FieldType::kInt16;
  if constexpr (std::is_same_v<T, int32_t>) return FieldType::kInt32;
  if constexpr (std::is_same_v<T, int64_t>) return FieldType::kInt64;
  if constexpr (std::is_same_v<T, Uuid>) return FieldType::kUuid;
  if constexpr (std::is_same_v<T, std::string>) return FieldType::kString;
  if constexpr (std::is_same_v<T, std::optional<std::string>>) return FieldType::kNullableString;
  if constexpr (std::is_same_v<T, ByteString>) return FieldType::kBytes;
  if constexpr (std::is_same_v<T, std::string_view>) return FieldType::kRecords;
  return FieldType::kStruct;
}

template <class T>
constexpr auto table_of() -> const StructTable& (*)() {
  if constexpr (field_type_of<T>() == FieldType::kStruct) return &T::table;
  return nullptr;
}

template <class T>
struct ArrayOf {
  static constexpr bool kIsArray = false;
};

template <class E>
struct ArrayOf<std::vector<E>> {
  using Vector = std::vector<E>;
  static constexpr bool kIsArray = true;
  static constexpr ArrayAccess kAccess = {
      field_type_of<E>(),
      table_of<E>(),
      false,
      [](const void* array) { return static_cast<int64_t>(static_cast<const Vector*>(array)->size()); },
      [](const void* array, size_t i) -> const void* { return &(*static_cast<const Vector*>(array))[i]; },
      [](void* array) { static_cast<Vector*>(array)->clear(); },
      [](void* array) -> void* { return &static_cast<Vector*>(array)->emplace_back(); },
  };
};

template <class E>
struct ArrayOf<std::optional<std::vector<E>>> {
  using Optional = std::optional<std::vector<E>>;
  static constexpr bool kIsArray = true;
  static constexpr ArrayAccess kAccess = {
      field_type_of<E>(),
      table_of<E>(),
      true,
      [](const void* array) {
        const auto& vector = *static_cast<const Optional*>(array);
        return vector ? static_cast<int64_t>(vector->size()) : -1;
      },
      [](const void* array, size_t i) -> const void* { return &(**static_cast<const Optional*>(array))[i]; },
      [](void* array) { static_cast<Optional*>(array)->emplace(); },
      [](void* array) -> void* { return &(*static_cast<Optional*>(array))->emplace_back(); },
  };
};

template <class Object, class Member>
Member member_type_of(Member Object::*);
template <class Object, class Member>
Object object_type_of(Member Object::*);

/// Describes a member: `field<&FetchRequest::rack_id>("RackId", since(11)).ignorable()`.
template <auto kMember>
constexpr Field field(std::string_view name, VersionRange versions) {
  using Object = decltype(object_type_of(kMember));
  using Member = decltype(member_type_of(kMember));
  constexpr auto kAt = [](void* object) -> void* { return &(static_cast<Object*>(object)->*kMember); };
  if constexpr (ArrayOf<Member>::kIsArray) {
    return {name, FieldType::kArray, versions, 0, -1, false, kAt, &ArrayOf<Member>::kAccess, nullptr};
  } else {
    return {name, field_type_of<Member>(), versions, 0, -1, false, kAt, nullptr, table_of<Member>()};
  }
}

template <class T>
StructTable struct_table(std::string_view name, std::span<const Field> fields) {
  static const T kDefaults{};
  return {name, fields, &kDefaults};
}

}  // namespace yeoul
