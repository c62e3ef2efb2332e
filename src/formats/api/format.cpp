#include "yeoul/formats/api/format.h"

#include "yeoul/common/registry.h"

namespace yeoul {

const FormatFactory& FormatRegistry::find(std::string_view identifier) const {
  return find_registered(factories_, 2020, "format", identifier);
}

}  // namespace yeoul
