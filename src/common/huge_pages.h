#pragma once

#include <cstddef>
#include <new>

namespace yeoul {

inline constexpr size_t kHugePageBytes = size_t{2} << 20;

/// Asks the system to back memory with pages of 2 MB where it can: a table that is read at random then costs no look-up
/// of the page beside that of the cell. `memory` is aligned to kHugePageBytes; without such pages nothing happens.
void advise_huge_pages(void* memory, size_t bytes);

/// For vectors that are filled as soon as they grow and then read at random; small ones are as with std::allocator.
template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}  // NOLINT: allocators convert

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes < kHugePageBytes) return static_cast<T*>(::operator new(bytes));
    void* memory = ::operator new(bytes, std::align_val_t(kHugePageBytes));
    advise_huge_pages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) {
    if (count * sizeof(T) < kHugePageBytes) return ::operator delete(memory);
    ::operator delete(memory, std::align_val_t(kHugePageBytes));
  }
  template <class U>
  bool operator==(const HugePageAllocator<U>&) const {
    return true;
  }
};

}  // namespace yeoul
