#include "yeoul/net/jks_reader.h"

#include <openssl/crypto.h>
#include <openssl/objects.h>
#include <openssl/sha.h>

#include <array>
#include <string>

#include "yeoul/common/error.h"
#include "yeoul/common/utf8.h"
#include "yeoul/net/openssl_types.h"

namespace yeoul {
namespace {

constexpr uint32_t kMagic = 0xFEEDFEED;
constexpr uint32_t kKeyEntry = 1;
constexpr uint32_t kCertificateEntry = 2;
/// What Java puts between the password and the store under the digest.
constexpr std::string_view kDigestPhrase = "Mighty Aphrodite";
constexpr std::string_view kSunKeyProtection = "1.3.6.1.4.1.42.2.17.1.1";

using Sha1 = std::array<unsigned char, SHA_DIGEST_LENGTH>;

Sha1 sha1(std::string_view first, std::string_view second) {
  Sha1 out{};
  const std::unique_ptr<EVP_MD_CTX, OpensslDeleter<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
  EVP_DigestInit_ex(context.get(), EVP_sha1(), nullptr);
  EVP_DigestUpdate(context.get(), first.data(), first.size());
  EVP_DigestUpdate(context.get(), second.data(), second.size());
  EVP_DigestFinal_ex(context.get(), out.data(), nullptr);
  return out;
}

std::string_view view_of(const Sha1& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

bool equal(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

/// A password as Java's characters, high byte first.
std::string utf16(std::string_view utf8) {
  std::string out;
  const auto put = [&](uint32_t unit) {
    out.push_back(static_cast<char>(unit >> 8));
    out.push_back(static_cast<char>(unit));
  };
  for (size_t at = 0; at < utf8.size();) {
    const uint32_t code = utf8_next(utf8, at);
    if (code < 0x10000) {
      put(code);
    } else {
      put(0xD800 + ((code - 0x10000) >> 10));
      put(0xDC00 + ((code - 0x10000) & 0x3FF));
    }
  }
  return out;
}

class JksReader {
 public:
  explicit JksReader(std::string_view bytes) : rest_(bytes) {}

  uint32_t number(size_t size) {
    uint32_t value = 0;
    for (const char c : take(size)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  std::string_view take(size_t size) {
    if (size > rest_.size()) throw user_error(2017, "the JKS store ends too early; it is damaged");
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  std::string_view text() { return take(number(2)); }
  std::string_view block() { return take(number(4)); }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::string read_certificate(JksReader& reader, uint32_t version) {
  if (version == 2) {
    const std::string_view type = reader.text();
    if (type != "X.509") throw user_error(2017, "the JKS store has a certificate that is not X.509");
  }
  return std::string(reader.block());
}

/// Undoes Sun's key protection: the key is mixed with SHA-1 of the password and the 20 bytes before, the first of which
/// stand in front; a digest of password and key stands at the end.
std::string unprotect(std::string_view protected_key, const std::string& password) {
  if (protected_key.size() < 2 * SHA_DIGEST_LENGTH) throw user_error(2017, "its private key is damaged");
  const std::string secret = utf16(password);
  const std::string_view mixed = protected_key.substr(SHA_DIGEST_LENGTH, protected_key.size() - 2 * SHA_DIGEST_LENGTH);
  Sha1 stream{};
  std::string_view before = protected_key.substr(0, SHA_DIGEST_LENGTH);
  std::string key;
  key.reserve(mixed.size());
  for (size_t at = 0; at < mixed.size(); ++at) {
    if (at % SHA_DIGEST_LENGTH == 0) {
      stream = sha1(secret, before);
      before = view_of(stream);
    }
    key.push_back(static_cast<char>(mixed[at] ^ stream[at % SHA_DIGEST_LENGTH]));
  }
  if (!equal(view_of(sha1(secret, key)), protected_key.substr(protected_key.size() - SHA_DIGEST_LENGTH))) {
    throw user_error(2017, "the password does not open its private key");
  }
  return key;
}

std::string read_key(std::string_view encoded, const StoreAccess& access) {
  const auto* at = reinterpret_cast<const unsigned char*>(encoded.data());
  const EncryptedKeyOwner sealed(d2i_X509_SIG(nullptr, &at, static_cast<long>(encoded.size())));
  ERR_clear_error();
  if (sealed == nullptr) throw user_error(2017, "its private key is damaged");
  const X509_ALGOR* algorithm = nullptr;
  const ASN1_OCTET_STRING* bytes = nullptr;
  X509_SIG_get0(sealed.get(), &algorithm, &bytes);
  char name[80] = {};
  OBJ_obj2txt(name, sizeof name, algorithm->algorithm, 1);
  if (name != kSunKeyProtection) throw user_error(2017, "its private key is protected in an unknown way ({})", name);
  const std::optional<std::string>& password = access.key_password ? access.key_password : access.password;
  if (!password) throw user_error(2017, "its private key needs a password, and none is given");
  std::string der = unprotect(
      {reinterpret_cast<const char*>(ASN1_STRING_get0_data(bytes)), static_cast<size_t>(ASN1_STRING_length(bytes))},
      *password);
  if (key_of(der) == nullptr) {
    ERR_clear_error();
    throw user_error(2017, "its private key is of an unknown kind, or damaged");
  }
  return der;
}

}  // namespace

bool is_jks(std::string_view bytes) {
  return bytes.size() >= 4 && JksReader(bytes).number(4) == kMagic;
}

KeyStore read_jks(std::string_view bytes, const StoreAccess& access) {
  if (!is_jks(bytes)) throw user_error(2017, "it is no JKS store");
  if (bytes.size() < SHA_DIGEST_LENGTH) throw user_error(2017, "the JKS store ends too early; it is damaged");
  const std::string_view body = bytes.substr(0, bytes.size() - SHA_DIGEST_LENGTH);
  if (access.password) {
    const Sha1 digest = sha1(utf16(*access.password) + std::string(kDigestPhrase), body);
    if (!equal(view_of(digest), bytes.substr(body.size()))) {
      throw user_error(2017, "the password is wrong, or the store is damaged");
    }
  }
  JksReader reader(body);
  reader.number(4);
  const uint32_t version = reader.number(4);
  if (version != 1 && version != 2) throw user_error(2017, "JKS stores of version {} are not known", version);
  KeyStore store;
  for (uint32_t left = reader.number(4); left > 0; --left) {
    const uint32_t kind = reader.number(4);
    reader.text();   // alias
    reader.take(8);  // when it was made
    if (kind == kCertificateEntry) {
      store.trusted.push_back(read_certificate(reader, version));
    } else if (kind == kKeyEntry) {
      const std::string_view key = reader.block();
      KeyStore::Identity identity;
      for (uint32_t i = reader.number(4); i > 0; --i) identity.chain.push_back(read_certificate(reader, version));
      // Java trusts the certificate of a key as well.
      if (!identity.chain.empty()) store.trusted.push_back(identity.chain.front());
      if (!access.with_keys) continue;
      identity.key = read_key(key, access);
      store.identities.push_back(std::move(identity));
    } else {
      throw user_error(2017, "the JKS store has an entry of unknown kind {}; it is damaged", kind);
    }
  }
  if (!reader.at_end()) throw user_error(2017, "the JKS store has bytes after its last entry; it is damaged");
  return store;
}

}  // namespace yeoul
