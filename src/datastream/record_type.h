#pragma once

#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "yeoul/runtime/typed_batch_splitter.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// The exchange's knife for records of a type.
template <class T>
std::shared_ptr<const BatchSplitter> splitter_of() {
  if constexpr (std::is_same_v<T, Row>) {
    return row_batch_splitter();
  } else {
    return std::make_shared<TypedBatchSplitter<T>>();
  }
}

template <class T>
const Batch<T>& batch_cast(const BatchBase& batch) {
  return static_cast<const Batch<T>&>(batch);
}

/// Event time of a record (of those that live in the batch); kNoTimestamp without.
template <class T>
int64_t timestamp_of(const Batch<T>& batch, size_t record) {
  return batch.timestamps.empty() ? kNoTimestamp : batch.timestamps[record];
}

inline int64_t timestamp_of(const RowBatch& batch, size_t record) {
  return batch.timestamp(batch.selection ? (*batch.selection)[record] : record);
}

template <class T>
inline constexpr bool kIsSharedPtr = false;
template <class T>
inline constexpr bool kIsSharedPtr<std::shared_ptr<T>> = true;

class RowView;
template <class T>
class Collector;

/// True for what a stream can carry: values that can be copied, and no pointers into somebody's memory.
template <class T>
inline constexpr bool kIsRecord = std::is_same_v<T, Row> || (std::is_object_v<T> && std::is_copy_constructible_v<T> &&
                                                             !std::is_pointer_v<T> && !std::is_const_v<T>);

/// Refuses, in words, what no stream can carry.
template <class T>
constexpr void check_record_type() {
  static_assert(!std::is_same_v<T, const char*> && !std::is_same_v<T, char*>,
                "Yeoul: a stream cannot carry `const char*`, whose text belongs to somebody else: use std::string");
  static_assert(!std::is_same_v<T, std::string_view>,
                "Yeoul: a stream cannot carry std::string_view, whose text belongs to somebody else: use std::string");
  static_assert(!std::is_same_v<T, RowView>,
                "Yeoul: a stream cannot carry a RowView, which is valid during the call only: return what the row "
                "holds, e.g. row.get<std::string>(0)");
  static_assert(!std::is_void_v<T>, "Yeoul: the function returns nothing, but must return the new record");
  static_assert(kIsRecord<T>, "Yeoul: a stream carries values that can be copied, neither pointers nor references");
}

/// Refuses, in words, what only streams of records have.
template <class T>
constexpr void check_not_rows() {
  static_assert(!std::is_same_v<T, Row>,
                "Yeoul: this needs a stream of records; map() the rows to some first, e.g. [](const RowView& row) { "
                "return row.get<int64_t>(0); }");
}

/// Refuses, in words, what no function can emit.
template <class T>
constexpr void check_output_type() {
  static_assert(!std::is_same_v<T, Row>,
                "Yeoul: a function cannot emit rows, which only tables make: let its output be a record");
  if constexpr (!std::is_same_v<T, Row>) check_record_type<T>();
}

/// The parts of a function's type; none for generic lambdas and for classes that are not called as functions.
template <class F>
struct FunctionParts {};
template <class F>
  requires requires { &F::operator(); }
struct FunctionParts<F> : FunctionParts<decltype(&F::operator())> {};
template <class Class, class Result, class... Parameters, bool kNoexcept>
struct FunctionParts<Result (Class::*)(Parameters...) const noexcept(kNoexcept)> {
  using Arguments = std::tuple<std::decay_t<Parameters>...>;
};
template <class Class, class Result, class... Parameters, bool kNoexcept>
struct FunctionParts<Result (Class::*)(Parameters...) noexcept(kNoexcept)> {
  using Arguments = std::tuple<std::decay_t<Parameters>...>;
};
template <class Result, class... Parameters, bool kNoexcept>
struct FunctionParts<Result (*)(Parameters...) noexcept(kNoexcept)> {
  using Arguments = std::tuple<std::decay_t<Parameters>...>;
};

template <class>
struct TypeCollected : std::type_identity<void> {};
template <class Out>
struct TypeCollected<Collector<Out>> : std::type_identity<Out> {};

/// What a function emits whose argument of that number is a Collector; void where that cannot be found out.
template <class F, size_t kArgument>
constexpr auto collected_by() {
  if constexpr (requires { typename FunctionParts<F>::Arguments; }) {
    using Arguments = typename FunctionParts<F>::Arguments;
    if constexpr (std::tuple_size_v<Arguments> == kArgument + 1) {
      return std::type_identity<typename TypeCollected<std::tuple_element_t<kArgument, Arguments>>::type>();
    } else {
      return std::type_identity<void>();
    }
  } else {
    return std::type_identity<void>();
  }
}

}  // namespace yeoul
