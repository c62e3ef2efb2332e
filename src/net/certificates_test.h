#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "yeoul/net/key_store.h"
#include "yeoul/net/openssl_types.h"

namespace yeoul {

/// What a certificate of the tests says.
struct CertificateRequest {
  std::string common_name = "test";
  std::string hosts = "DNS:localhost,IP:127.0.0.1";  ///< OpenSSL's subjectAltName; empty: none
  int valid_from_s = -60;
  int valid_to_s = 3600;
  bool is_authority = false;
};

/// A new key with a certificate, signed by an issuer or by itself.
class TestCertificate {
 public:
  explicit TestCertificate(const CertificateRequest& request, const TestCertificate* issuer = nullptr);

  X509* certificate() const { return certificate_.get(); }
  EVP_PKEY* key() const { return key_.get(); }
  std::string der() const;
  KeyStore::Identity identity() const;
  std::string certificate_pem() const;
  /// PKCS#8; encrypted where there is a password.
  std::string key_pem(const std::string& password = "") const;

 private:
  KeyOwner key_;
  CertificateOwner certificate_;
};

}  // namespace yeoul
