#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pkcs12.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>

// OpenSSL's objects with owners, for the .cpp files of this module only.

namespace yeoul {

template <auto free_function>
struct OpensslDeleter {
  template <class T>
  void operator()(T* object) const {
    free_function(object);
  }
};

using BioOwner = std::unique_ptr<BIO, OpensslDeleter<BIO_free_all>>;
using CertificateOwner = std::unique_ptr<X509, OpensslDeleter<X509_free>>;
using KeyOwner = std::unique_ptr<EVP_PKEY, OpensslDeleter<EVP_PKEY_free>>;
using Pkcs12Owner = std::unique_ptr<PKCS12, OpensslDeleter<PKCS12_free>>;
using EncryptedKeyOwner = std::unique_ptr<X509_SIG, OpensslDeleter<X509_SIG_free>>;
using PlainKeyOwner = std::unique_ptr<PKCS8_PRIV_KEY_INFO, OpensslDeleter<PKCS8_PRIV_KEY_INFO_free>>;

/// The DER bytes of an object, by its i2d function.
template <class T, class Encode>
std::string to_der(T* object, Encode encode) {
  const int size = encode(object, nullptr);
  if (size <= 0) return "";
  std::string out(static_cast<size_t>(size), '\0');
  auto* at = reinterpret_cast<unsigned char*>(out.data());
  encode(object, &at);
  return out;
}

inline CertificateOwner certificate_of(std::string_view der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  return CertificateOwner(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
}

inline KeyOwner key_of(std::string_view der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  return KeyOwner(d2i_AutoPrivateKey(nullptr, &at, static_cast<long>(der.size())));
}

/// The reason of the newest of OpenSSL's queued errors, and clears the queue; empty: there is none.
inline std::string take_openssl_error() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "" : reason;
}

}  // namespace yeoul
