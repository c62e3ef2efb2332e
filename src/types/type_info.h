#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "yeoul/common/bytes.h"
#include "yeoul/common/hash.h"
#include "yeoul/types/value.h"

namespace yeoul {

/// One field of a C++ struct: a name that is stored in descriptors, and where it is.
template <class Struct, class T>
struct FieldInfo {
  using Type = T;
  std::string_view name;
  T Struct::*member;
};

template <class Struct, class T>
constexpr FieldInfo<Struct, T> field(std::string_view name, T Struct::*member) {
  return {name, member};
}

/// What a struct says of itself:
/// ```
/// struct Click {
///   std::string user;
///   int64_t at = 0;
///   static constexpr auto fields() {
///     return yeoul::describe("Click", 1, yeoul::field("user", &Click::user), yeoul::field("at", &Click::at));
///   }
/// };
/// ```
/// Raise `version` when the fields change: state of another version is refused instead of misread.
template <class... Fields>
struct StructInfo {
  std::string_view name;
  uint32_t version;
  std::tuple<Fields...> fields;
};

template <class... Fields>
constexpr StructInfo<Fields...> describe(std::string_view name, uint32_t version, Fields... fields) {
  return {name, version, {fields...}};
}

/// True for a struct with a static fields() as above.
template <class T>
concept DescribedStruct = requires { std::apply([](auto...) {}, T::fields().fields); };

template <class T>
inline constexpr bool kHasNoTypeInfo = !DescribedStruct<T>;

/// How values of a C++ type are named, stored and hashed (docs/architecture.md, D12):
/// - `name()`: goes into state descriptors, with the names of fields;
/// - `version()`: of the layout that encode writes, nested types included;
/// - `encode`, `decode`: bytes for keys and state; equal values have equal bytes; decode throws internal error 6001 on
///   damaged bytes;
/// - `hash`: murmur3 of those bytes, which picks the key group and so never changes.
/// Specialise it for types of others; give own structs a static fields().
template <class T>
struct TypeInfo {
  static_assert(
      !kHasNoTypeInfo<T>,
      "Yeoul cannot store this type. Give your struct `static constexpr auto fields()` that returns "
      "yeoul::describe(\"Name\", 1, yeoul::field(\"a\", &Name::a), ...), or specialise yeoul::TypeInfo for it.");
};

/// The hash of any type with a TypeInfo.
template <class T>
uint32_t type_hash(const T& value) {
  ByteWriter writer;
  TypeInfo<T>::encode(value, writer);
  return murmur3_32(writer.bytes());
}

/// Base of TypeInfos whose layout is version 1 and whose hash is that of the bytes.
template <class T>
struct PlainTypeInfo {
  static uint32_t version() { return 1; }
  static uint32_t hash(const T& value) { return type_hash(value); }
};

template <>
struct TypeInfo<bool> : PlainTypeInfo<bool> {
  static std::string name() { return "BOOL"; }
  static void encode(bool value, ByteWriter& out) { out.u8(value ? 1 : 0); }
  static bool decode(ByteReader& in) { return in.u8() != 0; }
};

/// Integers by width and sign, so that `long` and `long long` are one type; little-endian.
template <std::integral T>
  requires(!std::same_as<T, bool>)
struct TypeInfo<T> : PlainTypeInfo<T> {
  static std::string name() { return (std::is_signed_v<T> ? "INT" : "UINT") + std::to_string(sizeof(T) * 8); }
  static void encode(T value, ByteWriter& out) { out.fixed(value); }
  static T decode(ByteReader& in) { return in.fixed<T>(); }
};

template <class T>
  requires std::is_enum_v<T>
struct TypeInfo<T> : PlainTypeInfo<T> {
  using Carrier = std::underlying_type_t<T>;
  static std::string name() { return "ENUM<" + TypeInfo<Carrier>::name() + ">"; }
  static void encode(T value, ByteWriter& out) { out.fixed(static_cast<Carrier>(value)); }
  static T decode(ByteReader& in) { return static_cast<T>(in.fixed<Carrier>()); }
};

/// FLOAT and DOUBLE; all NaNs are one value.
template <class T>
  requires(std::same_as<T, float> || std::same_as<T, double>)
struct TypeInfo<T> : PlainTypeInfo<T> {
  static std::string name() { return std::same_as<T, float> ? "FLOAT" : "DOUBLE"; }
  static void encode(T value, ByteWriter& out) {
    out.fixed(value != value ? std::numeric_limits<T>::quiet_NaN() : value);
  }
  static T decode(ByteReader& in) { return in.fixed<T>(); }
};

template <>
struct TypeInfo<int128> : PlainTypeInfo<int128> {
  static std::string name() { return "INT128"; }
  static void encode(int128 value, ByteWriter& out) { out.fixed(value); }
  static int128 decode(ByteReader& in) { return in.fixed<int128>(); }
};

template <>
struct TypeInfo<std::string> : PlainTypeInfo<std::string> {
  static std::string name() { return "STRING"; }
  static void encode(const std::string& value, ByteWriter& out) { out.string(value); }
  static std::string decode(ByteReader& in) { return std::string(in.string()); }
};

template <>
struct TypeInfo<TimestampValue> : PlainTypeInfo<TimestampValue> {
  static std::string name() { return "TIMESTAMP"; }
  static void encode(const TimestampValue& value, ByteWriter& out) {
    out.fixed(value.millis);
    out.fixed(value.nanos);
  }
  static TimestampValue decode(ByteReader& in) {
    const auto millis = in.fixed<int64_t>();
    return {millis, in.fixed<int32_t>()};
  }
};

template <class T>
struct TypeInfo<std::vector<T>> : PlainTypeInfo<std::vector<T>> {
  static std::string name() { return "LIST<" + TypeInfo<T>::name() + ">"; }
  static uint32_t version() { return TypeInfo<T>::version(); }
  static void encode(const std::vector<T>& values, ByteWriter& out) {
    out.varint(values.size());
    for (const T& value : values) TypeInfo<T>::encode(value, out);
  }
  static std::vector<T> decode(ByteReader& in) {
    std::vector<T> values;
    for (uint64_t count = in.varint(); count > 0; --count) values.push_back(TypeInfo<T>::decode(in));
    return values;
  }
};

template <class Key, class T>
struct TypeInfo<std::map<Key, T>> : PlainTypeInfo<std::map<Key, T>> {
  static std::string name() { return "MAP<" + TypeInfo<Key>::name() + ", " + TypeInfo<T>::name() + ">"; }
  static uint32_t version() { return TypeInfo<Key>::version() + TypeInfo<T>::version() - 1; }
  static void encode(const std::map<Key, T>& values, ByteWriter& out) {
    out.varint(values.size());
    for (const auto& [key, value] : values) {
      TypeInfo<Key>::encode(key, out);
      TypeInfo<T>::encode(value, out);
    }
  }
  static std::map<Key, T> decode(ByteReader& in) {
    std::map<Key, T> values;
    for (uint64_t count = in.varint(); count > 0; --count) {
      Key key = TypeInfo<Key>::decode(in);
      values.emplace(std::move(key), TypeInfo<T>::decode(in));
    }
    return values;
  }
};

template <class T>
struct TypeInfo<std::optional<T>> : PlainTypeInfo<std::optional<T>> {
  static std::string name() { return "OPTIONAL<" + TypeInfo<T>::name() + ">"; }
  static uint32_t version() { return TypeInfo<T>::version(); }
  static void encode(const std::optional<T>& value, ByteWriter& out) {
    out.u8(value ? 1 : 0);
    if (value) TypeInfo<T>::encode(*value, out);
  }
  static std::optional<T> decode(ByteReader& in) {
    if (in.u8() == 0) return std::nullopt;
    return TypeInfo<T>::decode(in);
  }
};

template <class... T>
struct TypeInfo<std::tuple<T...>> : PlainTypeInfo<std::tuple<T...>> {
  static std::string name() {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + TypeInfo<T>::name()), ...);
    return "TUPLE<" + text + ">";
  }
  static uint32_t version() { return (1 + ... + (TypeInfo<T>::version() - 1)); }
  static void encode(const std::tuple<T...>& values, ByteWriter& out) {
    std::apply([&](const T&... value) { (TypeInfo<T>::encode(value, out), ...); }, values);
  }
  static std::tuple<T...> decode(ByteReader& in) {
    // A braced list is evaluated from left to right.
    return std::tuple<T...>{TypeInfo<T>::decode(in)...};
  }
};

template <class A, class B>
struct TypeInfo<std::pair<A, B>> : PlainTypeInfo<std::pair<A, B>> {
  static std::string name() { return "TUPLE<" + TypeInfo<A>::name() + ", " + TypeInfo<B>::name() + ">"; }
  static uint32_t version() { return TypeInfo<A>::version() + TypeInfo<B>::version() - 1; }
  static void encode(const std::pair<A, B>& value, ByteWriter& out) {
    TypeInfo<A>::encode(value.first, out);
    TypeInfo<B>::encode(value.second, out);
  }
  static std::pair<A, B> decode(ByteReader& in) {
    A first = TypeInfo<A>::decode(in);
    return {std::move(first), TypeInfo<B>::decode(in)};
  }
};

template <DescribedStruct T>
struct TypeInfo<T> : PlainTypeInfo<T> {
  static std::string name() {
    std::string text;
    for_each_field([&]<class Field>(const Field& field) {
      text += (text.empty() ? "" : ", ") + std::string(field.name) + " " + TypeInfo<typename Field::Type>::name();
    });
    return std::string(T::fields().name) + "{" + text + "}";
  }
  static uint32_t version() {
    uint32_t version = T::fields().version;
    for_each_field([&]<class Field>(const Field&) { version += TypeInfo<typename Field::Type>::version() - 1; });
    return version;
  }
  static void encode(const T& value, ByteWriter& out) {
    for_each_field(
        [&]<class Field>(const Field& field) { TypeInfo<typename Field::Type>::encode(value.*field.member, out); });
  }
  static T decode(ByteReader& in) {
    T value{};
    for_each_field(
        [&]<class Field>(const Field& field) { value.*field.member = TypeInfo<typename Field::Type>::decode(in); });
    return value;
  }

 private:
  template <class Function>
  static void for_each_field(Function&& function) {
    std::apply([&](const auto&... field) { (function(field), ...); }, T::fields().fields);
  }
};

}  // namespace yeoul
