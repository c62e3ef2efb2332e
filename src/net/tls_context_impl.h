#pragma once

#include <openssl/ssl.h>

#include "yeoul/net/openssl_types.h"
#include "yeoul/net/tls_context.h"

namespace yeoul {

/// For the .cpp files of this module only: it shows OpenSSL.
struct TlsContext::Impl {
  std::unique_ptr<SSL_CTX, OpensslDeleter<SSL_CTX_free>> context;
  bool check_host = true;
  bool has_identity = false;
};

}  // namespace yeoul
