#pragma once

#include <memory>
#include <utility>

#include "yeoul/datastream/key_extractor.h"
#include "yeoul/datastream/keyed_scope.h"

namespace yeoul {

/// What an operator does about the keys of its records: nothing, at no cost.
struct WithoutKeys {
  static constexpr bool kKeyed = false;

  KeyedScope* open(OperatorContext&) { return nullptr; }
  template <class T>
  void begin(const Batch<T>&) {}
  void set_current(size_t) {}
  void end() {}
};

/// States that the function takes in open() are those of the record's key. Threads: the task's.
template <class T>
class WithKeys {
 public:
  static constexpr bool kKeyed = true;

  explicit WithKeys(std::shared_ptr<const KeyExtractor<T>> extractor) : extractor_(std::move(extractor)) {}

  KeyedScope* open(OperatorContext& context) {
    scope_.open(context.keyed_state());
    return &scope_;
  }
  void begin(const Batch<T>& batch) { scope_.begin(extractor_->keys(batch)); }
  void set_current(size_t record) { scope_.set_current(record); }
  void end() { scope_.end(); }

 private:
  std::shared_ptr<const KeyExtractor<T>> extractor_;
  KeyedScope scope_;
};

}  // namespace yeoul
