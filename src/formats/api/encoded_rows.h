#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yeoul {

/// Encoded rows, back to back: row i is bytes[offsets[i], offsets[i+1]).
struct EncodedRows {
  std::string bytes;
  std::vector<size_t> offsets{0};
  std::vector<bool> nulls;  ///< rows that have no payload; those behind its end have one
  size_t size() const { return offsets.size() - 1; }
  /// Its data is null for a row that has no payload: a message without value, which is not an empty one.
  std::string_view operator[](size_t i) const {
    if (i < nulls.size() && nulls[i]) return {};
    return std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
  void append(std::string_view row) {
    bytes += row;
    offsets.push_back(bytes.size());
  }
  /// A row without payload.
  void append_null() {
    nulls.resize(size() + 1);
    nulls.back() = true;
    offsets.push_back(offsets.back());
  }
  void clear() {
    bytes.clear();
    offsets.assign(1, 0);
    nulls.clear();
  }
};

}  // namespace yeoul
