#include "yeoul/kafka/protocol/record_run.h"

#include <algorithm>

namespace yeoul {

FetchedRecord* RecordRun::reserve(size_t count) {
  if (capacity_ - size_ < count) {
    const size_t capacity = std::max({size_ + count, 2 * capacity_, size_t{256}});
    std::unique_ptr<FetchedRecord[]> larger(new FetchedRecord[capacity]);
    std::copy_n(records_.get(), size_, larger.get());
    records_ = std::move(larger);
    capacity_ = capacity;
  }
  return records_.get() + size_;
}

}  // namespace yeoul
