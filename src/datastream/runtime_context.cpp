#include "yeoul/datastream/runtime_context.h"

#include "yeoul/common/error.h"

namespace yeoul {

void throw_state_not_opened() {
  throw user_error(7112,
                   "a state is used that was never opened: take it from the RuntimeContext in the function's open()");
}

KeyedScope& RuntimeContext::scope_for(const std::string& state) const {
  if (scope_ == nullptr) {
    throw user_error(7113, "'{}' asks for keyed state, but its stream has no keys: call key_by() before it",
                     context_.operator_name());
  }
  if (ReservedStates::contains(state)) {
    throw user_error(7131,
                     "'{}' asks for a state '{}': this name is reserved for the operator's own; give it another one",
                     context_.operator_name(), state);
  }
  return *scope_;
}

}  // namespace yeoul
