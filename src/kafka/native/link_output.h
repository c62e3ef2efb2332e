#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/protocol/message_codec.h"

namespace yeoul {

/// What a link has to write. Records stay where they are until they are written: nothing is copied. Threads: one at a
/// time.
class LinkOutput {
 public:
  /// Where requests are appended.
  std::string& bytes() { return bytes_; }
  std::vector<Insert>& inserts() { return inserts_; }

  bool empty() const { return bytes_sent_ == bytes_.size() && next_insert_ == inserts_.size(); }
  /// The next pieces, as many as fit. @return how many
  size_t pieces(std::span<std::string_view> out) const;
  /// So much of the pieces is written.
  void sent(size_t size);
  void clear();

 private:
  std::string bytes_;
  size_t bytes_sent_ = 0;
  std::vector<Insert> inserts_;
  size_t next_insert_ = 0;
  size_t insert_sent_ = 0;  ///< of the next
};

}  // namespace yeoul
