#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/net/key_store.h"

namespace yeoul {

/// How to speak TLS as a client. Suites and protocols under Java's names: "TLSv1.3", "TLS_AES_128_GCM_SHA256".
struct TlsSettings {
  std::optional<std::vector<std::string>> trusted;  ///< certificates (DER); none: the authorities of the system
  std::optional<KeyStore::Identity> identity;       ///< shown to a server that asks for a certificate
  bool check_host = true;                           ///< whether the certificate must be for the host connected to
  std::vector<std::string> protocols = {"TLSv1.2", "TLSv1.3"};
  std::vector<std::string> cipher_suites;  ///< none: OpenSSL's choice
};

/// What the TLS sessions of one client share. Thread-safe.
class TlsContext {
 public:
  struct Impl;

  /// @throws user error 2010 for a protocol or suite that there is not, 2017 for a certificate or key that does not fit
  explicit TlsContext(const TlsSettings& settings);
  ~TlsContext();

  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Whether there is a TLS protocol of this name: "TLSv1.2".
bool is_tls_protocol(const std::string& name);

}  // namespace yeoul
