#pragma once

#include <map>
#include <memory>
#include <string>

#include "yeoul/connectors/api/table_factory.h"
#include "yeoul/formats/api/format.h"
#include "yeoul/state/api/keyed_state.h"

namespace yeoul {

/// Add every connector, format and state backend that is part of the program.
void register_connectors(ConnectorRegistry& registry);
void register_formats(FormatRegistry& registry);
void register_state_backends(std::map<std::string, std::unique_ptr<StateBackendFactory>, std::less<>>& registry);

}  // namespace yeoul
