#include "yeoul/kafka/client/topic_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "yeoul/common/error.h"

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

void check_topic_name(std::string_view where, std::string_view name) {
  if (const std::string fault = topic_name_fault(name); !fault.empty()) {
    throw user_error(2010, "{}: '{}' is no name of a topic: {}", where, name, fault);
  }
}

}  // namespace yeoul
