#include "yeoul/net/system_authorities.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace yeoul {
namespace {

constexpr const char* kFolders[] = {"/etc/ssl/certs", "/etc/pki/tls/certs"};
constexpr const char* kFiles[] = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch
    "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora, RHEL 8
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // RHEL 9 and newer
    "/etc/ssl/ca-bundle.pem",                             // SUSE
    "/etc/ssl/cert.pem",                                  // Alpine
};

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool has_hashed_certificates(const char* folder) {
  std::error_code failure;
  for (std::filesystem::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    if (at->path().extension() == ".0") return true;
  }
  return false;
}

}  // namespace

SystemAuthorities system_authorities() {
  SystemAuthorities found{from_environment("SSL_CERT_FILE"), from_environment("SSL_CERT_DIR")};
  if (!found.file.empty() || !found.folder.empty()) return found;
  // From a folder, what is needed is read when it is; a file has 140 certificates, which cost 50 ms to read.
  for (const char* folder : kFolders) {
    if (has_hashed_certificates(folder)) return {"", folder};
  }
  for (const char* file : kFiles) {
    if (::access(file, R_OK) == 0) return {file, ""};
  }
  return {};
}

}  // namespace yeoul
