#include "yeoul/kafka/native/link_output.h"

#include <algorithm>

namespace yeoul {

size_t LinkOutput::pieces(std::span<std::string_view> out) const {
  size_t count = 0;
  size_t at = bytes_sent_;
  size_t skip = insert_sent_;
  const auto add_until = [&](size_t end) {
    if (at < end && count < out.size()) out[count++] = {bytes_.data() + at, end - at};
    at = end;
  };
  for (size_t i = next_insert_; i < inserts_.size() && count < out.size(); ++i) {
    add_until(inserts_[i].at);
    if (count < out.size()) out[count++] = inserts_[i].bytes.substr(skip);
    skip = 0;
  }
  add_until(bytes_.size());
  return count;
}

void LinkOutput::sent(size_t size) {
  while (size > 0) {
    const bool inserts_follow = next_insert_ < inserts_.size();
    const size_t end = inserts_follow ? inserts_[next_insert_].at : bytes_.size();
    if (bytes_sent_ < end) {
      const size_t step = std::min(size, end - bytes_sent_);
      bytes_sent_ += step;
      size -= step;
      continue;
    }
    if (!inserts_follow) break;
    const size_t step = std::min(size, inserts_[next_insert_].bytes.size() - insert_sent_);
    insert_sent_ += step;
    size -= step;
    if (insert_sent_ < inserts_[next_insert_].bytes.size()) break;
    ++next_insert_;
    insert_sent_ = 0;
  }
  if (empty()) clear();
}

void LinkOutput::clear() {
  bytes_.clear();
  inserts_.clear();
  bytes_sent_ = next_insert_ = insert_sent_ = 0;
}

}  // namespace yeoul
