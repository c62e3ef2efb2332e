#include "yeoul/net/dynamic_library.h"

#include <dlfcn.h>

namespace yeoul {

DynamicLibrary::DynamicLibrary(const std::string& name)
    : handle_(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)), complete_(handle_ != nullptr) {}

void* DynamicLibrary::address_of(const char* name) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

}  // namespace yeoul
