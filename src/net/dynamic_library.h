#pragma once

#include <string>
#include <type_traits>

namespace yeoul {

/// A library of the system that is opened when it is first needed, and stays open: what a program may never use should
/// not cost its start, nor be needed to run it.
class DynamicLibrary {
 public:
  explicit DynamicLibrary(const std::string& name);

  /// Sets a pointer to a function to the library's function of that name.
  template <class Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(address_of(name));
    complete_ = complete_ && function != nullptr;
  }
  /// The library is there, and has everything that was looked for.
  bool is_complete() const { return complete_; }

 private:
  void* address_of(const char* name) const;

  void* handle_;
  bool complete_;
};

}  // namespace yeoul
