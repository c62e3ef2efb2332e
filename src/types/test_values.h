#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "yeoul/types/value.h"

namespace yeoul {

/// Values and bytes for tests.
inline Value list_value(ValueList values) {
  return Value(std::make_shared<ValueList>(std::move(values)));
}
inline Value text_value(std::string_view bytes) {
  return Value(std::string(bytes));
}
inline std::string hex_text(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

}  // namespace yeoul
