#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "yeoul/runtime/operator.h"

namespace yeoul {

/// Makes operators of one class, each from copies of the same arguments: every subtask has its own function object.
template <class Op, bool kKeyed, class... Args>
class OperatorFactoryOf final : public OperatorFactory {
 public:
  explicit OperatorFactoryOf(Args... args) : args_(std::move(args)...) {}

  std::unique_ptr<Operator> create() const override {
    return std::apply([](const Args&... args) { return std::make_unique<Op>(args...); }, args_);
  }
  bool keyed() const override { return kKeyed; }

 private:
  std::tuple<Args...> args_;
};

/// Refuses, in words, what cannot be copied.
template <class Op, bool kKeyed, class... Args>
std::shared_ptr<const OperatorFactory> make_operator_factory(Args... args) {
  constexpr bool kCopies = (std::is_copy_constructible_v<Args> && ...);
  static_assert(kCopies,
                "Yeoul: every subtask gets its own copy of a function, but this one holds something that can only be "
                "moved, such as a std::unique_ptr: hold it by a std::shared_ptr, or make it in open()");
  if constexpr (kCopies) {
    return std::make_shared<const OperatorFactoryOf<Op, kKeyed, Args...>>(std::move(args)...);
  } else {
    return nullptr;
  }
}

template <class Op, class... Args>
std::shared_ptr<const OperatorFactory> operator_factory(Args... args) {
  return make_operator_factory<Op, false>(std::move(args)...);
}

template <class Op, class... Args>
std::shared_ptr<const OperatorFactory> keyed_operator_factory(Args... args) {
  return make_operator_factory<Op, true>(std::move(args)...);
}

/// Of an operator that takes a function and what it does about keys (WithKeys or WithoutKeys).
template <class Op, class F, class Keys>
std::shared_ptr<const OperatorFactory> element_operator_factory(F function, Keys keys) {
  return make_operator_factory<Op, Keys::kKeyed>(std::move(function), std::move(keys));
}

}  // namespace yeoul
