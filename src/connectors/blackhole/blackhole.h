#pragma once

#include <memory>

#include "yeoul/connectors/api/table_factory.h"

namespace yeoul {

/// The connector 'blackhole': a sink that counts rows and drops them.
std::unique_ptr<TableFactory> make_blackhole_connector();

}  // namespace yeoul
