#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/options.h"

namespace yeoul {

/// The implementation that a registry's map holds under a name.
/// @throws user error `code` "no <kind> '<name>'", with the nearest name and all that there are
template <class Map>
const auto& find_registered(const Map& implementations, int code, std::string_view kind, std::string_view name) {
  if (const auto it = implementations.find(name); it != implementations.end()) return *it->second;
  std::vector<std::string> names;
  std::string known;
  for (const auto& [registered, implementation] : implementations) {
    names.push_back(registered);
    known += (known.empty() ? "" : ", ") + registered;
  }
  const std::string near = nearest_name(name, names);
  throw user_error(code, "no {} '{}'{}; available: {}", kind, name,
                   near.empty() ? "" : fmt::format("; did you mean '{}'?", near), known);
}

}  // namespace yeoul
