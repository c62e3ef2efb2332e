#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/protocol/struct_table.h"

namespace yeoul {

/// One version of an API, as it is written on the wire.
struct WireVersion {
  int16_t number;
  bool flexible;  ///< compact lengths and tagged fields (KIP-482)
};

/// Records that stay where they are: they belong in front of byte `at` of what was encoded without them.
struct Insert {
  size_t at;
  std::string_view bytes;
};

/// Appends a structure. @throws internal error 9000 for a value that the version cannot carry.
/// @param inserts  if not null, gets the records, which `out` then lacks
void encode_struct(const StructTable& table, const void* object, WireVersion version, std::string& out,
                   std::vector<Insert>* inserts = nullptr);

/// Reads a structure into an object that has its defaults. Records stay views into `bytes`. Lengths are believed only
/// as far as `bytes` goes, and nothing is allocated ahead of what they hold.
/// @throws external error 4010 naming the field that is wrong, or for bytes left over
void decode_struct(const StructTable& table, void* object, WireVersion version, std::string_view bytes);

/// One line for logs: `{MaxWaitMs: 500, Topics: [{Topic: "t", …}]}`. Records show as a length, secrets not at all.
std::string print_struct(const StructTable& table, const void* object, WireVersion version);

}  // namespace yeoul
