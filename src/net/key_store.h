#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yeoul {

/// What a key or trust store holds: private keys with their certificates, and certificates to trust. All in DER.
struct KeyStore {
  struct Identity {
    std::string key;
    std::vector<std::string> chain;  ///< its own certificate first
  };
  std::vector<Identity> identities;
  std::vector<std::string> trusted;
};

enum class KeyStoreType { kPem, kPkcs12, kJks };

/// What the bytes look like; nothing where they look like none of the three.
std::optional<KeyStoreType> detect_key_store(std::string_view bytes);

/// How a store is opened. Java asks for no password where only certificates are read: their integrity is not checked
/// then.
struct StoreAccess {
  std::optional<std::string> password;
  std::optional<std::string> key_password;  ///< of its private key; none: the store's
  bool with_keys = true;                    ///< false: certificates only, private keys stay closed
};

/// Reads a store: PEM as text (RFC 7468; line breaks may be spaces), PKCS#12 (RFC 7292), or Java's own JKS. Of PEM, a
/// key without certificates is no error here.
/// @throws user error 2017 saying what is wrong with it, never with a password
KeyStore read_key_store(KeyStoreType type, std::string_view bytes, const StoreAccess& access);

}  // namespace yeoul
