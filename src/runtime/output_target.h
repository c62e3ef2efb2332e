#pragma once

#include <cstdint>

#include "yeoul/types/batch.h"

namespace yeoul {

/// Where an output leads: the next node of the chain, or an exchange. Threads: the task's.
class OutputTarget {
 public:
  virtual ~OutputTarget() = default;
  virtual void batch(const BatchPtr& batch) = 0;
  virtual void watermark(int64_t watermark) = 0;
  virtual bool has_room() const = 0;
};

/// The batch without selection; batches of C++ types have none.
BatchPtr compact_any(const BatchPtr& batch);

}  // namespace yeoul
