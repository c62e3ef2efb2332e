#pragma once

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace yeoul {

/// A part of a tuple or pair by its number.
template <size_t I>
struct TupleField {
  template <class T>
  auto& operator()(T& value) const {
    return std::get<I>(value);
  }
};

// What sum(), min(), max(), min_by() and max_by() reduce with. Field: a pointer to a member, or a function that gives
// a reference to it.
template <class Field>
struct SumField {
  Field field;
  template <class T>
  T operator()(const T& so_far, const T& next) const {
    T result = so_far;
    std::invoke(field, result) += std::invoke(field, next);
    return result;
  }
};

/// The field's least or greatest value; the other fields stay those of the first record.
template <class Field, class Better>
struct ExtremeField {
  Field field;
  template <class T>
  T operator()(const T& so_far, const T& next) const {
    T result = so_far;
    if (Better()(std::invoke(field, next), std::invoke(field, so_far)))
      std::invoke(field, result) = std::invoke(field, next);
    return result;
  }
};

/// The first record with the field's least or greatest value.
template <class Field, class Better>
struct ExtremeRecord {
  Field field;
  template <class T>
  T operator()(const T& so_far, const T& next) const {
    return Better()(std::invoke(field, next), std::invoke(field, so_far)) ? next : so_far;
  }
};

/// Flink's aggregations of one field, for streams of class Self with reduce(): `sum(&Click::count)`, or for tuples
/// `sum<1>()`.
template <class Self>
class FieldAggregates {
 public:
  template <class Field>
  auto sum(Field field) const {
    return reduced(SumField<Field>{std::move(field)});
  }
  /// The other fields stay those of the first record, as in Flink.
  template <class Field>
  auto min(Field field) const {
    return reduced(ExtremeField<Field, std::less<>>{std::move(field)});
  }
  template <class Field>
  auto max(Field field) const {
    return reduced(ExtremeField<Field, std::greater<>>{std::move(field)});
  }
  /// The whole record; of equal ones the first.
  template <class Field>
  auto min_by(Field field) const {
    return reduced(ExtremeRecord<Field, std::less<>>{std::move(field)});
  }
  template <class Field>
  auto max_by(Field field) const {
    return reduced(ExtremeRecord<Field, std::greater<>>{std::move(field)});
  }
  template <size_t I>
  auto sum() const {
    return sum(TupleField<I>());
  }
  template <size_t I>
  auto min() const {
    return min(TupleField<I>());
  }
  template <size_t I>
  auto max() const {
    return max(TupleField<I>());
  }
  template <size_t I>
  auto min_by() const {
    return min_by(TupleField<I>());
  }
  template <size_t I>
  auto max_by() const {
    return max_by(TupleField<I>());
  }

 private:
  template <class F>
  auto reduced(F function) const {
    return static_cast<const Self&>(*this).reduce(std::move(function));
  }
};

}  // namespace yeoul
