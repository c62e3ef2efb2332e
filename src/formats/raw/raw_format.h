#pragma once

#include <memory>

#include "yeoul/formats/api/format.h"

namespace yeoul {

/// The format 'raw': the bytes of a message are the one column of the table.
std::unique_ptr<FormatFactory> make_raw_format();

}  // namespace yeoul
