#pragma once

#include <memory>
#include <tuple>
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

template <class Op, class... Args>
std::shared_ptr<const OperatorFactory> operator_factory(Args... args) {
  return std::make_shared<const OperatorFactoryOf<Op, false, Args...>>(std::move(args)...);
}

template <class Op, class... Args>
std::shared_ptr<const OperatorFactory> keyed_operator_factory(Args... args) {
  return std::make_shared<const OperatorFactoryOf<Op, true, Args...>>(std::move(args)...);
}

/// Of an operator that takes a function and what it does about keys (WithKeys or WithoutKeys).
template <class Op, class F, class Keys>
std::shared_ptr<const OperatorFactory> element_operator_factory(F function, Keys keys) {
  return std::make_shared<const OperatorFactoryOf<Op, Keys::kKeyed, F, Keys>>(std::move(function), std::move(keys));
}

}  // namespace yeoul
