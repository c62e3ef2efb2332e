#include "yeoul/net/key_store.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/net/certificates_test.h"

namespace yeoul {
namespace {

constexpr const char* kPassword = "p\xC3\xA4ss-word";  // not ASCII, as Java allows

std::string failure(KeyStoreType type, const std::string& bytes, const StoreAccess& access) {
  try {
    read_key_store(type, bytes, access);
    return "none";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 2017);
    for (const char* secret : {"secret", kPassword}) EXPECT_EQ(error.message().find(secret), std::string::npos);
    return error.message();
  }
}

/// Writes the format that read_jks() reads.
class JksWriter {
 public:
  explicit JksWriter(std::string password, uint32_t version = 2) : secret_(utf16(password)), version_(version) {}

  void add_certificate(const std::string& alias, const std::string& der) {
    head(2, alias);
    certificate(der);
  }
  void add_key(const std::string& alias, const KeyStore::Identity& identity) {
    head(1, alias);
    block(protect(identity.key));
    number(identity.chain.size(), 4);
    for (const std::string& der : identity.chain) certificate(der);
  }
  std::string finish() const {
    std::string out;
    put(out, 0xFEEDFEED, 4);
    put(out, version_, 4);
    put(out, count_, 4);
    out += body_;
    return out + sha1(secret_ + "Mighty Aphrodite" + out);
  }

 private:
  static std::string utf16(const std::string& utf8) {  // of up to two bytes a character
    std::string out;
    for (size_t i = 0; i < utf8.size(); ++i) {
      uint32_t code = static_cast<unsigned char>(utf8[i]);
      if (code >= 0xC0) code = (code & 0x1F) << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3F);
      put(out, code, 2);
    }
    return out;
  }
  static std::string sha1(const std::string& bytes) {
    unsigned char digest[20];
    EVP_Digest(bytes.data(), bytes.size(), digest, nullptr, EVP_sha1(), nullptr);
    return {reinterpret_cast<char*>(digest), sizeof digest};
  }
  static void put(std::string& out, uint64_t value, int size) {
    for (int i = size - 1; i >= 0; --i) out.push_back(static_cast<char>(value >> (8 * i)));
  }
  void number(uint64_t value, int size) { put(body_, value, size); }
  void block(const std::string& bytes) {
    number(bytes.size(), 4);
    body_ += bytes;
  }
  void text(const std::string& bytes) {
    number(bytes.size(), 2);
    body_ += bytes;
  }
  void head(uint32_t kind, const std::string& alias) {
    ++count_;
    number(kind, 4);
    text(alias);
    number(1'700'000'000'000, 8);
  }
  void certificate(const std::string& der) {
    if (version_ == 2) text("X.509");
    block(der);
  }
  std::string protect(const std::string& key) const {
    std::string salt = "twenty bytes of salt";
    std::string sealed = salt;
    for (size_t i = 0; i < key.size(); ++i) {
      if (i % 20 == 0) salt = sha1(secret_ + salt);
      sealed.push_back(static_cast<char>(key[i] ^ salt[i % 20]));
    }
    sealed += sha1(secret_ + key);
    const EncryptedKeyOwner out(X509_SIG_new());
    X509_ALGOR* algorithm = nullptr;
    ASN1_OCTET_STRING* bytes = nullptr;
    X509_SIG_getm(out.get(), &algorithm, &bytes);
    X509_ALGOR_set0(algorithm, OBJ_txt2obj("1.3.6.1.4.1.42.2.17.1.1", 1), V_ASN1_NULL, nullptr);
    ASN1_OCTET_STRING_set(bytes, reinterpret_cast<const unsigned char*>(sealed.data()),
                          static_cast<int>(sealed.size()));
    return to_der(out.get(), i2d_X509_SIG);
  }

  std::string secret_;
  uint32_t version_;
  uint32_t count_ = 0;
  std::string body_;
};

class KeyStoreTest : public testing::Test {
 protected:
  std::string pkcs12(const std::string& password, bool with_key) const {
    STACK_OF(X509)* others = sk_X509_new_null();
    sk_X509_push(others, authority_.certificate());
    const Pkcs12Owner made(PKCS12_create(password.c_str(), "client", with_key ? client_.key() : nullptr,
                                         with_key ? client_.certificate() : nullptr, others, 0, 0, 0, 0, 0));
    sk_X509_free(others);
    return to_der(made.get(), i2d_PKCS12);
  }
  std::string jks(uint32_t version = 2) const {
    JksWriter writer(kPassword, version);
    writer.add_certificate("ca", authority_.der());
    KeyStore::Identity identity = client_.identity();
    identity.chain.push_back(authority_.der());
    writer.add_key("client", identity);
    return writer.finish();
  }
  void check_both(const KeyStore& store) const {
    ASSERT_EQ(store.identities.size(), 1u);
    EXPECT_EQ(store.identities[0].key, client_.identity().key);
    ASSERT_EQ(store.identities[0].chain.size(), 2u);
    EXPECT_EQ(store.identities[0].chain[0], client_.der());
    EXPECT_EQ(store.identities[0].chain[1], authority_.der());
    EXPECT_NE(std::find(store.trusted.begin(), store.trusted.end(), authority_.der()), store.trusted.end());
  }

  TestCertificate authority_{{.common_name = "ca", .is_authority = true}};
  TestCertificate client_{{.common_name = "client"}, &authority_};
};

TEST_F(KeyStoreTest, ReadsPem) {
  const std::string text = "a comment\n" + client_.key_pem() + client_.certificate_pem() + authority_.certificate_pem();
  EXPECT_EQ(detect_key_store(text), KeyStoreType::kPem);
  check_both(read_key_store(KeyStoreType::kPem, text, {}));
}

TEST_F(KeyStoreTest, ReadsPemOnOneLine) {
  std::string text = client_.key_pem(kPassword) + client_.certificate_pem() + authority_.certificate_pem();
  std::replace(text.begin(), text.end(), '\n', ' ');
  check_both(read_key_store(KeyStoreType::kPem, text, {.key_password = kPassword}));
}

TEST_F(KeyStoreTest, SaysWhatIsWrongWithPem) {
  const auto fails = [](const std::string& text, const StoreAccess& access) {
    return failure(KeyStoreType::kPem, text, access);
  };
  EXPECT_EQ(fails("", {}), "it holds no PEM certificate and no private key");
  EXPECT_EQ(fails("-----BEGIN CERTIFICATE-----\nAAAA\n", {}), "its PEM text has no END line for 'CERTIFICATE'");
  EXPECT_EQ(fails("-----BEGIN CERTIFICATE", {}), "its PEM text ends within a BEGIN line");
  EXPECT_TRUE(fails("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", {})
                  .starts_with("one of its certificates cannot be read: "));
  EXPECT_EQ(fails(client_.key_pem("secret"), {}), "its private key is encrypted, and no password is given for it");
  EXPECT_EQ(fails(client_.key_pem("secret"), {.key_password = "wrong-secret"}),
            "the password does not open its private key");
}

TEST_F(KeyStoreTest, ReadsPkcs12) {
  const std::string bytes = pkcs12("secret", true);
  EXPECT_EQ(detect_key_store(bytes), KeyStoreType::kPkcs12);
  check_both(read_key_store(KeyStoreType::kPkcs12, bytes, {.password = "secret"}));
  const KeyStore trust = read_key_store(KeyStoreType::kPkcs12, pkcs12("secret", false), {.password = "secret"});
  EXPECT_TRUE(trust.identities.empty());
  EXPECT_EQ(trust.trusted, std::vector<std::string>{authority_.der()});
}

TEST_F(KeyStoreTest, SaysWhatIsWrongWithPkcs12) {
  const std::string bytes = pkcs12("secret", true);
  EXPECT_EQ(failure(KeyStoreType::kPkcs12, bytes, {.password = "wrong-secret"}),
            "the password is wrong, or the store is damaged");
  EXPECT_EQ(failure(KeyStoreType::kPkcs12, bytes, {}), "it needs a password, and none is given");
  EXPECT_EQ(failure(KeyStoreType::kPkcs12, bytes.substr(0, 100), {.password = "secret"}),
            "it is no PKCS#12 store, or damaged");
}

TEST_F(KeyStoreTest, ReadsJks) {
  for (const uint32_t version : {1u, 2u}) {
    const std::string bytes = jks(version);
    EXPECT_EQ(detect_key_store(bytes), KeyStoreType::kJks);
    check_both(read_key_store(KeyStoreType::kJks, bytes, {.password = kPassword}));
    check_both(read_key_store(KeyStoreType::kJks, bytes, {.key_password = kPassword}));
    const KeyStore trust = read_key_store(KeyStoreType::kJks, bytes, {.with_keys = false});
    EXPECT_EQ(trust.trusted, (std::vector<std::string>{authority_.der(), client_.der()}));
  }
}

TEST_F(KeyStoreTest, SaysWhatIsWrongWithJks) {
  const std::string bytes = jks();
  EXPECT_EQ(failure(KeyStoreType::kJks, bytes, {.password = "wrong-secret"}),
            "the password is wrong, or the store is damaged");
  EXPECT_EQ(failure(KeyStoreType::kJks, bytes, {.password = kPassword, .key_password = "wrong-secret"}),
            "the password does not open its private key");
  EXPECT_EQ(failure(KeyStoreType::kJks, bytes, {}), "its private key needs a password, and none is given");
  for (const size_t size : {size_t{4}, size_t{19}, size_t{40}, bytes.size() - 1}) {
    EXPECT_NE(failure(KeyStoreType::kJks, bytes.substr(0, size), {.key_password = kPassword}), "none");
  }
  std::string changed = bytes;
  changed[100] = static_cast<char>(changed[100] ^ 1);
  EXPECT_EQ(failure(KeyStoreType::kJks, changed, {.password = kPassword}),
            "the password is wrong, or the store is damaged");
}

}  // namespace
}  // namespace yeoul
