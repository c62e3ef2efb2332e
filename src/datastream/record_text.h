#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "yeoul/types/type_info.h"

namespace yeoul {

/// Types with a `to_string(value)` of their own, found beside them.
template <class T>
concept HasToString = requires(const T& value) {
  { to_string(value) } -> std::convertible_to<std::string>;
};

template <class T>
void append_text(std::string& out, const T& value);

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsTuple : std::false_type {};
template <class... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};
template <class A, class B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

/// std::map and what is like it.
template <class T>
concept MapLike = requires { typename T::mapped_type; } && requires(const T& map) {
  map.begin()->first;
  map.begin()->second;
};

/// Appends what print() shows of a record: numbers and texts as they are, tuples and pairs as `(a,b)`, lists as
/// `[a, b]`, maps as `{key=value, …}`, structs as `Name{field=value, …}`, others by their own to_string().
template <class T>
void append_text(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out += std::string_view(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    fmt::format_to(std::back_inserter(out), "{}", value);
  } else if constexpr (IsOptional<T>::value) {
    if (value) {
      append_text(out, *value);
    } else {
      out += "null";
    }
  } else if constexpr (IsVector<T>::value) {
    out += '[';
    for (size_t i = 0; i < value.size(); ++i) {
      if (i != 0) out += ", ";
      append_text(out, value[i]);
    }
    out += ']';
  } else if constexpr (MapLike<T>) {
    out += '{';
    std::string_view separator;
    for (const auto& [key, mapped] : value) {
      out += std::exchange(separator, ", ");
      append_text(out, key);
      out += '=';
      append_text(out, mapped);
    }
    out += '}';
  } else if constexpr (IsTuple<T>::value) {
    char separator = '(';
    std::apply([&](const auto&... part) { ((out += separator, separator = ',', append_text(out, part)), ...); }, value);
    out += ')';
  } else if constexpr (HasToString<T>) {
    out += to_string(value);
  } else if constexpr (DescribedStruct<T>) {
    out.append(T::fields().name) += '{';
    std::string_view separator;
    [[maybe_unused]] const auto append_field = [&](const auto& field) {
      out.append(std::exchange(separator, ", ")).append(field.name) += '=';
      append_text(out, value.*field.member);
    };
    std::apply([&](const auto&... field) { (append_field(field), ...); }, T::fields().fields);
    out += '}';
  } else {
    static_assert(std::is_arithmetic_v<T>,
                  "Yeoul: print() does not know how to show this type: write `std::string to_string(const YourType&)` "
                  "beside it, or give it `static constexpr auto fields()`");
  }
}

}  // namespace yeoul
