#include "yeoul/common/huge_pages.h"

#include <sys/mman.h>

namespace yeoul {

void advise_huge_pages(void* memory, size_t bytes) {
  // A wish: a system that does not grant it says so, and all is as before.
  ::madvise(memory, bytes, MADV_HUGEPAGE);
}

}  // namespace yeoul
