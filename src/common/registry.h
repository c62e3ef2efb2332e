#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/options.h"

namespace yeoul {

/// The implementation that a registry's map holds under a name.
/// @param to_come  names that Flink has and Yeoul not yet
/// @throws user error `code` "no <kind> '<name>'", with the nearest name and all that there are
template <class Map>
const auto& find_registered(const Map& implementations, int code, std::string_view kind, std::string_view name,
                            std::span<const std::string_view> to_come = {}) {
  if (const auto it = implementations.find(name); it != implementations.end()) return *it->second;
  std::vector<std::string> names;
  std::string known;
  for (const auto& [registered, implementation] : implementations) {
    names.push_back(registered);
    known += (known.empty() ? "" : ", ") + registered;
  }
  if (std::find(to_come.begin(), to_come.end(), name) != to_come.end()) {
    throw user_error(code, "Flink's {} '{}' is not supported yet; available: {}", kind, name, known);
  }
  const std::string near = nearest_name(name, names);
  throw user_error(code, "no {} '{}'{}; available: {}", kind, name,
                   near.empty() ? "" : fmt::format("; did you mean '{}'?", near), known);
}

}  // namespace yeoul
