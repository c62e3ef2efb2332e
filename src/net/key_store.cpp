#include "yeoul/net/key_store.h"

#include <openssl/pem.h>
#include <openssl/provider.h>

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/net/jks_reader.h"
#include "yeoul/net/openssl_types.h"

namespace yeoul {
namespace {

constexpr std::string_view kPemBegin = "-----BEGIN ";
constexpr std::string_view kPemEnd = "-----END ";
constexpr std::string_view kPemDashes = "-----";
constexpr size_t kPemColumns = 64;
/// ASN.1's SEQUENCE, which a PKCS#12 file is.
constexpr char kDerSequence = 0x30;

/// Gives OpenSSL the password of a key, or none; it must never ask a terminal.
int give_password(char* to, int size, int, void* from) {
  const auto* password = static_cast<const std::optional<std::string>*>(from);
  if (!password->has_value() || (*password)->size() > static_cast<size_t>(size)) return -1;
  std::copy((*password)->begin(), (*password)->end(), to);
  return static_cast<int>((*password)->size());
}

struct PemBlock {
  std::string label;
  std::string text;  ///< with line breaks where OpenSSL wants them
};

/// The lines of a block again, whatever white space stands between them now.
std::string with_lines(std::string_view body) {
  std::string digits;
  for (const char c : body) {
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') digits.push_back(c);
  }
  std::string out;
  for (size_t at = 0; at < digits.size(); at += kPemColumns) {
    out += digits.substr(at, kPemColumns);
    out.push_back('\n');
  }
  return out;
}

std::vector<PemBlock> pem_blocks(std::string_view text) {
  std::vector<PemBlock> blocks;
  for (size_t at = text.find(kPemBegin); at != std::string_view::npos; at = text.find(kPemBegin, at)) {
    const size_t label_begin = at + kPemBegin.size();
    const size_t label_end = text.find(kPemDashes, label_begin);
    if (label_end == std::string_view::npos) throw user_error(2017, "its PEM text ends within a BEGIN line");
    const std::string label(text.substr(label_begin, label_end - label_begin));
    const size_t body_begin = label_end + kPemDashes.size();
    const size_t end = text.find(fmt::format("{}{}{}", kPemEnd, label, kPemDashes), body_begin);
    if (end == std::string_view::npos) throw user_error(2017, "its PEM text has no END line for '{}'", label);
    const std::string_view body = text.substr(body_begin, end - body_begin);
    // Old encrypted keys have headers, which need the lines they have.
    std::string lines = body.find(':') == std::string_view::npos ? with_lines(body) : std::string(body);
    lines.erase(0, std::min(lines.find_first_not_of("\r\n"), lines.size()));
    if (!lines.ends_with('\n')) lines.push_back('\n');
    blocks.push_back(
        {label, fmt::format("{}{}{}\n{}{}{}{}\n", kPemBegin, label, kPemDashes, lines, kPemEnd, label, kPemDashes)});
    at = end;
  }
  return blocks;
}

std::string read_pem_key(const PemBlock& block, const std::optional<std::string>& password) {
  const BioOwner bio(BIO_new_mem_buf(block.text.data(), static_cast<int>(block.text.size())));
  auto given = password;
  const KeyOwner key(PEM_read_bio_PrivateKey(bio.get(), nullptr, give_password, &given));
  const std::string reason = take_openssl_error();
  if (key == nullptr) {
    const bool encrypted = block.label == "ENCRYPTED PRIVATE KEY" || block.text.find("ENCRYPTED") != std::string::npos;
    if (encrypted && !password) throw user_error(2017, "its private key is encrypted, and no password is given for it");
    if (encrypted) throw user_error(2017, "the password does not open its private key");
    throw user_error(2017, "its private key cannot be read: {}", reason);
  }
  return to_der(key.get(), i2d_PrivateKey);
}

std::string read_pem_certificate(const PemBlock& block) {
  const BioOwner bio(BIO_new_mem_buf(block.text.data(), static_cast<int>(block.text.size())));
  const CertificateOwner certificate(PEM_read_bio_X509_AUX(bio.get(), nullptr, nullptr, nullptr));
  const std::string reason = take_openssl_error();
  if (certificate == nullptr) throw user_error(2017, "one of its certificates cannot be read: {}", reason);
  return to_der(certificate.get(), i2d_X509);
}

KeyStore read_pem(std::string_view text, const StoreAccess& access) {
  KeyStore store;
  std::vector<std::string> keys;
  for (const PemBlock& block : pem_blocks(text)) {
    if (block.label.ends_with("PRIVATE KEY")) {
      if (access.with_keys) keys.push_back(read_pem_key(block, access.key_password));
    } else if (block.label.ends_with("CERTIFICATE")) {
      store.trusted.push_back(read_pem_certificate(block));
    }
  }
  if (keys.empty() && store.trusted.empty()) {
    throw user_error(2017, "it holds no PEM certificate and no private key");
  }
  for (std::string& key : keys) store.identities.push_back({std::move(key), store.trusted});
  return store;
}

/// Java before 16 encrypted with RC2, which OpenSSL keeps in a provider of its own.
bool load_old_ciphers() {
  static const OSSL_PROVIDER* const provider = OSSL_PROVIDER_try_load(nullptr, "legacy", 1);
  return provider != nullptr;
}

bool verify_mac(PKCS12* store, const std::optional<std::string>& password) {
  if (PKCS12_mac_present(store) == 0) return true;
  return PKCS12_verify_mac(store, password ? password->c_str() : nullptr,
                           password ? static_cast<int>(password->size()) : 0) == 1;
}

KeyStore read_pkcs12(std::string_view bytes, const StoreAccess& access) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const Pkcs12Owner store(d2i_PKCS12(nullptr, &at, static_cast<long>(bytes.size())));
  ERR_clear_error();
  if (store == nullptr) throw user_error(2017, "it is no PKCS#12 store, or damaged");
  const std::optional<std::string> password = access.password;
  if (!verify_mac(store.get(), password)) {
    ERR_clear_error();
    if (!password) throw user_error(2017, "it needs a password, and none is given");
    throw user_error(2017, "the password is wrong, or the store is damaged");
  }
  EVP_PKEY* key = nullptr;
  X509* own = nullptr;
  STACK_OF(X509)* others = nullptr;
  const char* secret = password ? password->c_str() : nullptr;
  bool parsed = PKCS12_parse(store.get(), secret, &key, &own, &others) == 1;
  std::string reason = take_openssl_error();
  if (!parsed && load_old_ciphers()) {
    parsed = PKCS12_parse(store.get(), secret, &key, &own, &others) == 1;
    reason = take_openssl_error();
  }
  if (!parsed) {
    throw user_error(2017,
                     "its contents cannot be decrypted: {}; stores of Java before 16 use RC2: write it anew with "
                     "keytool -importkeystore of a newer Java, or as PEM",
                     reason);
  }
  const KeyOwner key_owner(key);
  const CertificateOwner own_owner(own);
  const std::unique_ptr<STACK_OF(X509), void (*)(STACK_OF(X509)*)> others_owner(
      others, [](STACK_OF(X509) * stack) { sk_X509_pop_free(stack, X509_free); });
  KeyStore out;
  for (int i = 0; i < sk_X509_num(others); ++i) out.trusted.push_back(to_der(sk_X509_value(others, i), i2d_X509));
  if (key != nullptr && access.with_keys) {
    KeyStore::Identity& identity = out.identities.emplace_back();
    identity.key = to_der(key, i2d_PrivateKey);
    if (own != nullptr) identity.chain.push_back(to_der(own, i2d_X509));
    // What else is there are the issuers; those that are none are left out by TLS.
    identity.chain.insert(identity.chain.end(), out.trusted.begin(), out.trusted.end());
  }
  if (own != nullptr) out.trusted.push_back(to_der(own, i2d_X509));
  return out;
}

}  // namespace

std::optional<KeyStoreType> detect_key_store(std::string_view bytes) {
  if (is_jks(bytes)) return KeyStoreType::kJks;
  if (bytes.find(kPemBegin) != std::string_view::npos) return KeyStoreType::kPem;
  if (!bytes.empty() && bytes.front() == kDerSequence) return KeyStoreType::kPkcs12;
  return std::nullopt;
}

KeyStore read_key_store(KeyStoreType type, std::string_view bytes, const StoreAccess& access) {
  switch (type) {
    case KeyStoreType::kPem:
      return read_pem(bytes, access);
    case KeyStoreType::kPkcs12:
      return read_pkcs12(bytes, access);
    case KeyStoreType::kJks:
      return read_jks(bytes, access);
  }
  return {};
}

}  // namespace yeoul
