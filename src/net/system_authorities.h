#pragma once

#include <string>

namespace yeoul {

/// Where this machine keeps the certificates of the authorities that it trusts.
struct SystemAuthorities {
  std::string file;    ///< all of them, as PEM; may be empty
  std::string folder;  ///< by hashes of their names, as OpenSSL finds them; may be empty
};

/// As the environment says (SSL_CERT_FILE, SSL_CERT_DIR), else where the known systems have them.
SystemAuthorities system_authorities();

}  // namespace yeoul
