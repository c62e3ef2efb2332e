#pragma once

#include <string>
#include <string_view>

namespace yeoul {

// Digests as raw bytes: RFC 1321, FIPS 180-4.

std::string md5(std::string_view bytes);
std::string sha1(std::string_view bytes);
/// `bits`: 224, 256, 384 or 512; empty for others.
std::string sha2(std::string_view bytes, int bits);

}  // namespace yeoul
