#include "yeoul/net/tls_session.h"

#include <arpa/inet.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/net/tls_context_impl.h"

namespace yeoul {
namespace {

/// Some TLS records at once; one holds 16 KB at most.
constexpr size_t kInputBytes = size_t{128} << 10;

bool is_address(const std::string& host) {
  unsigned char address[16];
  return inet_pton(AF_INET, host.c_str(), address) == 1 || inet_pton(AF_INET6, host.c_str(), address) == 1;
}

std::string name_text(const X509_NAME* name) {
  const BioOwner bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253);
  const char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return std::string(text, static_cast<size_t>(std::max(size, 0L)));
}

std::string time_text(const ASN1_TIME* time) {
  const BioOwner bio(BIO_new(BIO_s_mem()));
  ASN1_TIME_print(bio.get(), time);
  const char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return std::string(text, static_cast<size_t>(std::max(size, 0L)));
}

/// The hosts that a certificate is for.
std::string hosts_of(X509* certificate) {
  std::string out;
  const auto add = [&](const std::string& host) {
    if (!out.empty()) out += ", ";
    out += host;
  };
  auto* names = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i);
    if (name->type == GEN_DNS) {
      add({reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
           static_cast<size_t>(ASN1_STRING_length(name->d.dNSName))});
    } else if (name->type == GEN_IPADD) {
      char text[INET6_ADDRSTRLEN] = {};
      const int family = ASN1_STRING_length(name->d.iPAddress) == 4 ? AF_INET : AF_INET6;
      if (inet_ntop(family, ASN1_STRING_get0_data(name->d.iPAddress), text, sizeof text) != nullptr) add(text);
    }
  }
  GENERAL_NAMES_free(names);
  return out.empty() ? name_text(X509_get_subject_name(certificate)) : out;
}

/// Why a certificate of the server's chain does not hold.
std::string verify_text(int result, X509* certificate, const std::string& host) {
  switch (result) {
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return fmt::format("its certificate was issued by '{}', which is not trusted",
                         name_text(X509_get_issuer_name(certificate)));
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return fmt::format("the certificate '{}' has expired on {}", name_text(X509_get_subject_name(certificate)),
                         time_text(X509_get0_notAfter(certificate)));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return fmt::format("the certificate '{}' is not valid before {}", name_text(X509_get_subject_name(certificate)),
                         time_text(X509_get0_notBefore(certificate)));
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fmt::format("its certificate is not for the host '{}', but for {}", host, hosts_of(certificate));
    default:
      return fmt::format("its certificate does not hold: {}", X509_verify_cert_error_string(result));
  }
}

/// What an alert of the server means for the user; empty: OpenSSL's words must do.
std::string alert_text(int reason, bool has_identity) {
  switch (reason) {
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return "it wants a client certificate, and none was shown";
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      if (reason == SSL_R_SSLV3_ALERT_BAD_CERTIFICATE && has_identity)
        return "it does not accept the client certificate";
      if (reason == SSL_R_SSLV3_ALERT_BAD_CERTIFICATE) return "it wants a client certificate, and none was shown";
      return "it agrees to no protocol or cipher suite of ours, or wants a client certificate";
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
      return "it does not trust the client certificate";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return "the client certificate has expired";
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return "it agrees to no TLS protocol of ours";
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
      return "it does not speak TLS on this port";
    default:
      return "";
  }
}

}  // namespace

struct TlsSession::Impl {
  std::shared_ptr<const TlsContext> context;
  std::string host;
  std::unique_ptr<SSL, OpensslDeleter<SSL_free>> ssl;
  std::vector<char> in = std::vector<char>(kInputBytes);
  size_t in_begin = 0;
  size_t in_end = 0;
  bool in_ended = false;
  std::string out;
  size_t out_sent = 0;
  bool open = false;
  bool drained = false;  ///< OpenSSL has nothing to give until more comes

  IoResult result_of(int returned);
  std::string verify_failure;  ///< why the server's certificate does not hold
};

namespace {

// OpenSSL's side of the filter: a BIO over the buffers of a session, and what it calls.

int read_bytes(BIO* bio, char* to, int size) {
  auto& impl = *static_cast<TlsSession::Impl*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const size_t count = std::min(static_cast<size_t>(std::max(size, 0)), impl.in_end - impl.in_begin);
  if (count == 0) {
    if (impl.in_ended) return 0;
    BIO_set_retry_read(bio);
    return -1;
  }
  std::memcpy(to, impl.in.data() + impl.in_begin, count);
  impl.in_begin += count;
  return static_cast<int>(count);
}

int write_bytes(BIO* bio, const char* from, int size) {
  auto& impl = *static_cast<TlsSession::Impl*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  impl.out.append(from, static_cast<size_t>(std::max(size, 0)));
  return size;
}

int note_failure(int holds, X509_STORE_CTX* store) {
  X509* certificate = X509_STORE_CTX_get_current_cert(store);
  if (holds == 1 || certificate == nullptr) return holds;
  const auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto& impl = *static_cast<TlsSession::Impl*>(SSL_get_app_data(ssl));
  impl.verify_failure = verify_text(X509_STORE_CTX_get_error(store), certificate, impl.host);
  return holds;
}

long control(BIO* bio, int command, long, void*) {
  const auto& impl = *static_cast<TlsSession::Impl*>(BIO_get_data(bio));
  if (command == BIO_CTRL_EOF) return impl.in_ended && impl.in_begin == impl.in_end ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* filter_method() {
  static const std::unique_ptr<BIO_METHOD, OpensslDeleter<BIO_meth_free>> method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "yeoul");
    BIO_meth_set_read(made, read_bytes);
    BIO_meth_set_write(made, write_bytes);
    BIO_meth_set_ctrl(made, control);
    return std::unique_ptr<BIO_METHOD, OpensslDeleter<BIO_meth_free>>(made);
  }();
  return method.get();
}

}  // namespace

TlsSession::TlsSession(std::shared_ptr<const TlsContext> context, const std::string& host)
    : impl_(std::make_unique<Impl>()) {
  impl_->context = std::move(context);
  impl_->host = host;
  impl_->ssl.reset(SSL_new(impl_->context->impl().context.get()));
  SSL* ssl = impl_->ssl.get();
  BIO* bio = ssl == nullptr ? nullptr : BIO_new(filter_method());
  YEOUL_CHECK(bio != nullptr, "OpenSSL makes no session: {}", take_openssl_error());
  BIO_set_data(bio, impl_.get());
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  SSL_set_connect_state(ssl);
  SSL_set_app_data(ssl, impl_.get());
  SSL_set_verify(ssl, SSL_VERIFY_PEER, note_failure);
  if (!is_address(host)) SSL_set_tlsext_host_name(ssl, host.c_str());
  if (impl_->context->impl().check_host) {
    X509_VERIFY_PARAM* check = SSL_get0_param(ssl);
    X509_VERIFY_PARAM_set_hostflags(check, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (is_address(host)) {
      X509_VERIFY_PARAM_set1_ip_asc(check, host.c_str());
    } else {
      X509_VERIFY_PARAM_set1_host(check, host.c_str(), host.size());
    }
  }
  ERR_clear_error();
}

TlsSession::~TlsSession() = default;

std::span<char> TlsSession::input() {
  if (impl_->in_begin == impl_->in_end) impl_->in_begin = impl_->in_end = 0;
  return std::span(impl_->in).subspan(impl_->in_end);
}

void TlsSession::received(size_t bytes) {
  impl_->in_end += bytes;
  impl_->drained = false;
}

void TlsSession::ended() {
  impl_->in_ended = true;
}

bool TlsSession::has_input() const {
  return impl_->in_begin < impl_->in_end || (!impl_->drained && SSL_has_pending(impl_->ssl.get()) == 1);
}

std::string_view TlsSession::output() const {
  return std::string_view(impl_->out).substr(impl_->out_sent);
}

void TlsSession::sent(size_t bytes) {
  impl_->out_sent += bytes;
  if (impl_->out_sent == impl_->out.size()) {
    impl_->out.clear();
    impl_->out_sent = 0;
  }
}

IoResult TlsSession::Impl::result_of(int returned) {
  const int error = SSL_get_error(ssl.get(), returned);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return {IoResult::Status::kWouldBlock};
  if (error == SSL_ERROR_ZERO_RETURN) return {IoResult::Status::kClosed};
  const unsigned long code = ERR_peek_last_error();
  const int reason = ERR_GET_REASON(code);
  const std::string words = take_openssl_error();
  if (in_ended && (code == 0 || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING)) {
    if (open) return {IoResult::Status::kClosed};
    return {IoResult::Status::kFailed, 0,
            "it closed the connection during the TLS handshake; does 'security.protocol' fit its listener?"};
  }
  if (!verify_failure.empty()) return {IoResult::Status::kFailed, 0, verify_failure, true};
  const std::string meaning = alert_text(reason, context->impl().has_identity);
  return {IoResult::Status::kFailed, 0,
          meaning.empty() ? fmt::format("TLS failed: {}", words) : fmt::format("{} (TLS: {})", meaning, words),
          !open || !meaning.empty()};
}

IoResult TlsSession::handshake() {
  if (impl_->open) return {IoResult::Status::kDone};
  ERR_clear_error();
  const int returned = SSL_do_handshake(impl_->ssl.get());
  if (returned != 1) {
    const IoResult result = impl_->result_of(returned);
    if (result.status != IoResult::Status::kClosed) return result;
    return {IoResult::Status::kFailed, 0, "it ended the TLS handshake"};
  }
  impl_->open = true;
  return {IoResult::Status::kDone};
}

IoResult TlsSession::read(char* to, size_t size) {
  ERR_clear_error();
  size_t count = 0;
  const int returned = SSL_read_ex(impl_->ssl.get(), to, size, &count);
  impl_->drained = returned != 1;
  if (returned != 1) return impl_->result_of(returned);
  return {IoResult::Status::kDone, count};
}

IoResult TlsSession::write(std::string_view bytes) {
  ERR_clear_error();
  size_t count = 0;
  const int returned = SSL_write_ex(impl_->ssl.get(), bytes.data(), bytes.size(), &count);
  if (returned != 1) return impl_->result_of(returned);
  return {IoResult::Status::kDone, count};
}

}  // namespace yeoul
