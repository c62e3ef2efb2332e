#include "yeoul/kafka/client/topic_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace yeoul {
namespace {

constexpr size_t kTopicNameBytesMax = 249;

bool is_topic_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

std::string topic_name_fault(std::string_view name) {
  if (name.empty()) return "it is empty";
  if (name == "." || name == "..") return "'.' and '..' are no names";
  if (name.size() > kTopicNameBytesMax) {
    return fmt::format("it has {} characters, the most is {}", name.size(), kTopicNameBytesMax);
  }
  if (!std::all_of(name.begin(), name.end(), is_topic_character)) {
    return "letters, digits, '.', '_' and '-' of ASCII are allowed, nothing else";
  }
  return "";
}

}  // namespace yeoul
