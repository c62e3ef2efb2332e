#pragma once

#include <functional>
#include <memory>
#include <string>

#include "yeoul/kafka/security/sasl_client.h"

namespace yeoul {

enum class ScramHash { kSha256, kSha512 };

struct ScramCredentials {
  ScramHash hash = ScramHash::kSha256;
  std::string user;
  std::string password;
  bool is_delegation_token = false;         ///< Kafka's `tokenauth`: user is the token's id, password its HMAC
  std::function<std::string()> nonce = {};  ///< for tests; none: random
};

/// SCRAM-SHA-256 and SCRAM-SHA-512 (RFC 5802, 7677): the password never leaves the client, and the broker proves that
/// it knows it, too.
std::shared_ptr<const SaslMechanism> make_scram_login(ScramCredentials credentials);

}  // namespace yeoul
