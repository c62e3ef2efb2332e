#include "yeoul/net/tls_context.h"

#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/net/system_authorities.h"
#include "yeoul/net/tls_context_impl.h"

namespace yeoul {
namespace {

struct Protocol {
  std::string_view name;
  int version;
  uint64_t off;  ///< OpenSSL's option that switches it off
};

constexpr Protocol kProtocols[] = {
    {"TLSv1", TLS1_VERSION, SSL_OP_NO_TLSv1},
    {"TLSv1.1", TLS1_1_VERSION, SSL_OP_NO_TLSv1_1},
    {"TLSv1.2", TLS1_2_VERSION, SSL_OP_NO_TLSv1_2},
    {"TLSv1.3", TLS1_3_VERSION, SSL_OP_NO_TLSv1_3},
};

void set_protocols(SSL_CTX* context, const std::vector<std::string>& names) {
  uint64_t off = 0;
  int lowest = TLS1_3_VERSION;
  for (const Protocol& protocol : kProtocols) {
    if (std::find(names.begin(), names.end(), protocol.name) == names.end()) {
      off |= protocol.off;
    } else {
      lowest = std::min(lowest, protocol.version);
    }
  }
  for (const std::string& name : names) {
    if (!is_tls_protocol(name)) throw user_error(2010, "there is no TLS protocol '{}'", name);
  }
  // Debian's default forbids what was asked for here by name.
  if (lowest < TLS1_2_VERSION) SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_min_proto_version(context, lowest);
  SSL_CTX_set_options(context, off);
}

void set_cipher_suites(SSL_CTX* context, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::string of_tls13;
  std::string older;
  for (const std::string& name : names) {
    const std::string native = OPENSSL_cipher_name(name.c_str());
    if (native == "(NONE)") throw user_error(2010, "there is no cipher suite '{}'", name);
    std::string& list = native.starts_with("TLS_") ? of_tls13 : older;
    if (!list.empty()) list.push_back(':');
    list += native;
  }
  // An empty list of the older ones is none that OpenSSL takes; without suites TLS 1.2 is simply not agreed on.
  const bool set = SSL_CTX_set_ciphersuites(context, of_tls13.c_str()) == 1 &&
                   (older.empty() || SSL_CTX_set_cipher_list(context, older.c_str()) == 1);
  if (older.empty()) SSL_CTX_set_options(context, SSL_OP_NO_TLSv1_2 | SSL_OP_NO_TLSv1_1 | SSL_OP_NO_TLSv1);
  const std::string reason = take_openssl_error();
  if (!set) throw user_error(2010, "the cipher suites cannot be used: {}", reason);
}

void trust_system(SSL_CTX* context) {
  const SystemAuthorities authorities = system_authorities();
  if (!authorities.file.empty()) SSL_CTX_load_verify_file(context, authorities.file.c_str());
  if (!authorities.folder.empty()) SSL_CTX_load_verify_dir(context, authorities.folder.c_str());
  ERR_clear_error();
}

void trust(SSL_CTX* context, const std::vector<std::string>& certificates) {
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  // As Java: whatever is in the store is trusted, be it the certificate of an authority or of one server.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  for (const std::string& der : certificates) {
    const CertificateOwner certificate = certificate_of(der);
    const std::string reason = take_openssl_error();
    if (certificate == nullptr) throw user_error(2017, "a certificate to trust cannot be read: {}", reason);
    X509_STORE_add_cert(store, certificate.get());
  }
  ERR_clear_error();
}

void set_identity(SSL_CTX* context, const KeyStore::Identity& identity) {
  const KeyOwner key = key_of(identity.key);
  const CertificateOwner own = identity.chain.empty() ? nullptr : certificate_of(identity.chain.front());
  std::string reason = take_openssl_error();
  if (key == nullptr || own == nullptr)
    throw user_error(2017, "it needs a private key and its certificate: {}", reason);
  if (SSL_CTX_use_certificate(context, own.get()) != 1) {
    throw user_error(2017, "its certificate cannot be used: {}", take_openssl_error());
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    throw user_error(2017, "its private key does not belong to its certificate: {}", take_openssl_error());
  }
  for (size_t i = 1; i < identity.chain.size(); ++i) {
    const CertificateOwner issuer = certificate_of(identity.chain[i]);
    if (issuer != nullptr) SSL_CTX_add1_chain_cert(context, issuer.get());
  }
  ERR_clear_error();
}

}  // namespace

bool is_tls_protocol(const std::string& name) {
  return std::any_of(std::begin(kProtocols), std::end(kProtocols),
                     [&](const Protocol& protocol) { return protocol.name == name; });
}

TlsContext::TlsContext(const TlsSettings& settings) : impl_(std::make_unique<Impl>()) {
  impl_->context.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = impl_->context.get();
  YEOUL_CHECK(context != nullptr, "OpenSSL makes no context: {}", take_openssl_error());
  impl_->check_host = settings.check_host;
  impl_->has_identity = settings.identity.has_value();
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  set_protocols(context, settings.protocols);
  set_cipher_suites(context, settings.cipher_suites);
  if (settings.trusted) {
    trust(context, *settings.trusted);
  } else {
    trust_system(context);
  }
  if (settings.identity) set_identity(context, *settings.identity);
}

TlsContext::~TlsContext() = default;

}  // namespace yeoul
