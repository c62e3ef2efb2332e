#pragma once

#include <cstdint>

#include "yeoul/types/batch.h"

// The Arrow C data interface, as its specification lays the structs down; guarded as the specification asks so that
// another library's copy may stand beside it.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}
#endif

namespace yeoul {

/// Exports a schema as a struct of its columns. The consumer calls release.
void export_schema(const Schema& schema, ArrowSchema* out);
/// Exports a compacted batch as a struct array; buffers are shared, not copied, but for BOOLEAN (packed to bits) and
/// TIMESTAMP(7–9) (joined to nanoseconds). Row kinds are not part of it.
void export_batch(const RowBatchPtr& batch, const Schema& schema, ArrowArray* out);

}  // namespace yeoul
