#include "yeoul/kafka/security/scram_login.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/kafka/security/base64.h"

namespace yeoul {
namespace {

/// As Kafka's: fewer rounds are too easy to guess through, more would keep the loop from its work for a second.
constexpr int kIterationsMin = 4096;
constexpr int kIterationsMax = 1'000'000;
constexpr size_t kNonceBytes = 24;
/// "n,,", the head without channel binding, in base64.
constexpr std::string_view kBinding = "biws";

const EVP_MD* digest_of(ScramHash hash) {
  return hash == ScramHash::kSha256 ? EVP_sha256() : EVP_sha512();
}

std::string hmac(ScramHash hash, std::string_view key, std::string_view message) {
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(digest_of(hash), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(message.data()), message.size(), out, &size);
  return {reinterpret_cast<const char*>(out), size};
}

std::string hashed(ScramHash hash, std::string_view bytes) {
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), out, &size, digest_of(hash), nullptr);
  return {reinterpret_cast<const char*>(out), size};
}

std::string salted(ScramHash hash, const std::string& password, const std::string& salt, int iterations) {
  std::string out(static_cast<size_t>(EVP_MD_get_size(digest_of(hash))), '\0');
  PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()),
                    reinterpret_cast<const unsigned char*>(salt.data()), static_cast<int>(salt.size()), iterations,
                    digest_of(hash), static_cast<int>(out.size()), reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

std::string random_nonce() {
  std::string bytes(kNonceBytes, '\0');
  YEOUL_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) == 1,
              "OpenSSL has no random bytes");
  return base64_url(bytes);
}

/// A user name as it stands in a message.
std::string escaped_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '=') {
      out += "=3D";
    } else if (c == ',') {
      out += "=2C";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

/// The value of an attribute of a message "r=…,s=…,i=…".
std::optional<std::string_view> attribute(std::string_view message, char name) {
  while (!message.empty()) {
    const std::string_view part = message.substr(0, message.find(','));
    if (part.size() >= 2 && part[0] == name && part[1] == '=') return part.substr(2);
    message.remove_prefix(std::min(part.size() + 1, message.size()));
  }
  return std::nullopt;
}

SaslStep failed(std::string reason) {
  return {.failure = std::move(reason), .refused = true};
}

class ScramClient : public SaslClient {
 public:
  explicit ScramClient(const ScramCredentials& credentials)
      : credentials_(credentials), nonce_(credentials.nonce ? credentials.nonce() : random_nonce()) {}

  SaslStep step(std::string_view challenge) override {
    switch (stage_++) {
      case 0:
        first_ = fmt::format("n={},r={}{}", escaped_name(credentials_.user), nonce_,
                             credentials_.is_delegation_token ? ",tokenauth=true" : "");
        return {.bytes = "n,," + first_};
      case 1:
        return prove(challenge);
      case 2:
        return check(challenge);
      default:
        return failed("it goes on after the end of SCRAM");
    }
  }

 private:
  SaslStep prove(std::string_view challenge) {
    const auto nonce = attribute(challenge, 'r');
    const auto salt = base64_decoded(attribute(challenge, 's').value_or(""));
    const std::string_view rounds = attribute(challenge, 'i').value_or("");
    int iterations = 0;
    const auto [end, error] = std::from_chars(rounds.data(), rounds.data() + rounds.size(), iterations);
    if (!nonce || !salt || salt->empty() || error != std::errc() || end != rounds.data() + rounds.size()) {
      return failed("its SCRAM challenge makes no sense");
    }
    if (!nonce->starts_with(nonce_) || nonce->size() == nonce_.size()) {
      return failed("its SCRAM challenge answers another login");
    }
    if (iterations < kIterationsMin || iterations > kIterationsMax) {
      return failed(fmt::format("it wants {} SCRAM iterations; between {} and {} are safe", iterations, kIterationsMin,
                                kIterationsMax));
    }
    const ScramHash hash = credentials_.hash;
    const std::string password = salted(hash, credentials_.password, *salt, iterations);
    const std::string without_proof = fmt::format("c={},r={}", kBinding, *nonce);
    const std::string message = fmt::format("{},{},{}", first_, challenge, without_proof);
    const std::string client_key = hmac(hash, password, "Client Key");
    std::string proof = hmac(hash, hashed(hash, client_key), message);
    for (size_t i = 0; i < proof.size(); ++i) proof[i] = static_cast<char>(proof[i] ^ client_key[i]);
    expected_ = hmac(hash, hmac(hash, password, "Server Key"), message);
    return {.bytes = fmt::format("{},p={}", without_proof, base64(proof))};
  }

  SaslStep check(std::string_view challenge) {
    if (const auto error = attribute(challenge, 'e')) {
      return failed(fmt::format("it refused the user name or the password: {}", *error));
    }
    const auto signature = base64_decoded(attribute(challenge, 'v').value_or(""));
    if (!signature || signature->size() != expected_.size() ||
        CRYPTO_memcmp(signature->data(), expected_.data(), expected_.size()) != 0) {
      return failed("it could not prove that it knows the password: it is not the broker it claims to be");
    }
    return {.done = true};
  }

  ScramCredentials credentials_;
  std::string nonce_;
  int stage_ = 0;
  std::string first_;
  std::string expected_;
};

class ScramLogin : public SaslMechanism {
 public:
  explicit ScramLogin(ScramCredentials credentials) : credentials_(std::move(credentials)) {}

  std::string_view name() const override {
    return credentials_.hash == ScramHash::kSha256 ? "SCRAM-SHA-256" : "SCRAM-SHA-512";
  }
  std::unique_ptr<SaslClient> start(const std::string&) const override {
    return std::make_unique<ScramClient>(credentials_);
  }

 private:
  ScramCredentials credentials_;
};

}  // namespace

std::shared_ptr<const SaslMechanism> make_scram_login(ScramCredentials credentials) {
  return std::make_shared<ScramLogin>(std::move(credentials));
}

}  // namespace yeoul
