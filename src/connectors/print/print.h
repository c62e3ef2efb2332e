#pragma once

#include <memory>

#include "yeoul/connectors/api/table_factory.h"

namespace yeoul {

/// The connector 'print': a sink that writes each row as a line to standard output or standard error, as Flink's does.
std::unique_ptr<TableFactory> make_print_connector();

}  // namespace yeoul
