#pragma once

#include <array>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "yeoul/datastream/column_values.h"

namespace yeoul {

/// The fields of a record as the columns of a table see them: those of a struct by their names, those of a tuple or
/// pair as f0, f1, …; anything else is one field, f0.
template <class T>
struct RecordFields {
  static constexpr bool kNamed = DescribedStruct<T>;
  static constexpr bool kSeveral = kNamed || IsTuple<T>::value;

  static constexpr size_t count() {
    if constexpr (kNamed) {
      return std::tuple_size_v<decltype(T::fields().fields)>;
    } else if constexpr (kSeveral) {
      return std::tuple_size_v<T>;
    } else {
      return 1;
    }
  }
  template <size_t I, class Record>
  static decltype(auto) get(Record& record) {
    if constexpr (kNamed) {
      return (record.*(std::get<I>(T::fields().fields).member));
    } else if constexpr (kSeveral) {
      return (std::get<I>(record));
    } else {
      return (record);
    }
  }
  template <size_t I>
  using Field = std::remove_cvref_t<decltype(get<I>(std::declval<T&>()))>;

  static std::string name(size_t field) {
    if constexpr (kNamed) {
      return std::apply(
          [&](const auto&... fields) { return std::string(std::array{std::string_view(fields.name)...}[field]); },
          T::fields().fields);
    } else {
      return "f" + std::to_string(field);
    }
  }
  /// Of the record's type, for messages.
  static std::string type_name() {
    if constexpr (kNamed) {
      return std::string(T::fields().name);
    } else {
      return ColumnValues<T>::name();
    }
  }

  /// Calls `function(std::integral_constant<size_t, I>())` for each field.
  template <class Function>
  static void for_each(Function&& function) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      (function(std::integral_constant<size_t, I>()), ...);
    }(std::make_index_sequence<count()>());
  }
};

template <class T>
  requires(DescribedStruct<T> || IsTuple<T>::value)
struct ColumnValues<T> : PlainColumnValues<ColumnValues<T>, T> {
  using Fields = RecordFields<T>;
  template <size_t I>
  using FieldValues = ColumnValues<typename Fields::template Field<I>>;

  static std::string name() {
    if constexpr (Fields::kNamed) {
      return std::string(T::fields().name);
    } else {
      std::string text;
      Fields::for_each(
          [&]<size_t I>(std::integral_constant<size_t, I>) { text += (I == 0 ? "" : ", ") + FieldValues<I>::name(); });
      return "std::tuple<" + text + ">";
    }
  }
  static LogicalType type() {
    std::vector<RowField> fields;
    Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I>) {
      fields.push_back({Fields::name(I), FieldValues<I>::type()});
    });
    return LogicalType::row(std::move(fields)).not_null();
  }
  static bool fits(const LogicalType& type) {
    return matches(type, []<size_t I>(std::integral_constant<size_t, I>, const LogicalType& field) {
      return FieldValues<I>::fits(field);
    });
  }
  static bool holds(const LogicalType& type) {
    return matches(type, []<size_t I>(std::integral_constant<size_t, I>, const LogicalType& field) {
      return FieldValues<I>::holds(field);
    });
  }
  static void append(ColumnBuilder& builder, const T& value) {
    Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I>) {
      FieldValues<I>::append(builder.child(I), Fields::template get<I>(value));
    });
    builder.finish_struct();
  }
  static T read_valid(const Column& column, size_t row) {
    T value{};
    Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I>) {
      Fields::template get<I>(value) = FieldValues<I>::read(column.child(I), row);
    });
    return value;
  }

 private:
  template <class Test>
  static bool matches(const LogicalType& type, Test test) {
    if (!type.is(TypeRoot::kRow) || type.fields().size() != Fields::count()) return false;
    bool all = true;
    Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I> field) {
      if (Fields::kNamed && type.fields()[I].name != Fields::name(I)) all = false;
      all = all && test(field, type.child(I));
    });
    return all;
  }
};

/// A column of `count` values; `get(i)` gives the i-th. Fixed-width cells and texts are written without a builder.
/// @throws user error 3303 where the texts of a batch are longer than a column may be
template <class T, class Get>
ColumnPtr make_column(const LogicalType& type, size_t count, Get get) {
  if constexpr (requires { typename ColumnValues<T>::CellType; }) {
    using Cell = typename ColumnValues<T>::CellType;
    auto column = std::make_shared<Column>(type, count);
    Cell* cells = column->template allocate_values<Cell>();
    for (size_t i = 0; i < count; ++i) cells[i] = static_cast<Cell>(get(i));
    return column;
  } else if constexpr (std::is_same_v<T, std::string>) {
    auto column = std::make_shared<Column>(type, count);
    column->offsets_buffer().resize((count + 1) * sizeof(int32_t));
    auto* offsets = column->offsets_buffer().template as<int32_t>();
    size_t bytes = offsets[0] = 0;
    for (size_t i = 0; i < count; ++i) {
      bytes += get(i).size();
      offsets[i + 1] = static_cast<int32_t>(bytes);
    }
    check_text_bytes(bytes);
    column->data_buffer().resize(bytes);
    char* out = column->data_buffer().data();
    for (size_t i = 0; i < count; ++i) copy_bytes(out + offsets[i], get(i).data(), get(i).size());
    return column;
  } else {
    ColumnBuilder builder(type);
    builder.reserve(count);
    for (size_t i = 0; i < count; ++i) ColumnValues<T>::append(builder, get(i));
    return builder.finish();
  }
}

}  // namespace yeoul
