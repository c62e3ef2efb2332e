#pragma once

#include <string_view>

#include "yeoul/net/key_store.h"

namespace yeoul {

/// Whether the bytes begin as Java's own key stores do.
bool is_jks(std::string_view bytes);

/// Reads a key store in Java's JKS format (versions 1 and 2): entries in order, each private key under Sun's key
/// protection, a keyed SHA-1 digest over all at the end. The digest is checked where a password is given.
/// @throws user error 2017
KeyStore read_jks(std::string_view bytes, const StoreAccess& access);

}  // namespace yeoul
