#pragma once

#include <string>
#include <string_view>

#include "yeoul/runtime/checkpoint.h"

namespace yeoul {

/// The bytes of a `_metadata` file: magic "YEOULCKP", version, payload, checksum (D13).
std::string encode_checkpoint(const Checkpoint& checkpoint);
/// Reads them. @param path  for messages. @throws external error 6002 when damaged, user error 6004 when newer.
Checkpoint decode_checkpoint(std::string_view bytes, const std::string& path);

}  // namespace yeoul
