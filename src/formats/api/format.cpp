#include "yeoul/formats/api/format.h"

namespace yeoul {

const FormatFactory& FormatRegistry::find(std::string_view identifier) const {
  if (const auto it = factories_.find(identifier); it != factories_.end()) return *it->second;
  std::vector<std::string> names;
  std::string known;
  for (const auto& [name, factory] : factories_) {
    names.push_back(name);
    known += (known.empty() ? "" : ", ") + name;
  }
  const std::string near = nearest_name(identifier, names);
  throw user_error(2020, "no format '{}'{}; available: {}", identifier,
                   near.empty() ? "" : fmt::format("; did you mean '{}'?", near), known);
}

}  // namespace yeoul
