#pragma once

#include <memory>

#include "yeoul/connectors/api/table_factory.h"

namespace yeoul {

/// The connector 'filesystem': lines of local files as records. Reads a file or a folder, once or watching it for new
/// files; writes part files that appear whole, when the checkpoint that holds them completes.
std::unique_ptr<TableFactory> make_filesystem_connector();

}  // namespace yeoul
