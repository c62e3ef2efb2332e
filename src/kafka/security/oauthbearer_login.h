#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "yeoul/common/clock.h"
#include "yeoul/kafka/security/sasl_client.h"

namespace yeoul {

struct BearerToken {
  std::string token;
  int64_t expires_at_ms = INT64_MAX;  ///< since 1970; INT64_MAX: not known
};

/// Where tokens come from. Thread-safe.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  virtual bool blocks() const = 0;
  /// @throws Error saying why there is none; of the user's family where asking again is of no use
  virtual BearerToken fetch(std::stop_token stop) const = 0;
};

using SaslExtensions = std::map<std::string, std::string, std::less<>>;

/// How long a source that gave no token is left alone: twice as long each time, up to a limit.
struct TokenRetry {
  int64_t backoff_ms = 100;         ///< sasl.login.retry.backoff.ms
  int64_t backoff_max_ms = 10'000;  ///< sasl.login.retry.backoff.max.ms
};

/// OAUTHBEARER (RFC 7628, KIP-255, KIP-768): logs in with a token, which all logins share until most of its life is
/// over. Without one a login fails, and counts as refused only where asking again is of no use.
std::shared_ptr<const SaslMechanism> make_oauthbearer_login(std::shared_ptr<const TokenSource> source,
                                                            SaslExtensions extensions, TokenRetry retry = {},
                                                            Clock& clock = system_clock());

/// What an unsecured token says (RFC 7515 with "alg":"none"): for tests and brokers that trust their network.
struct UnsecuredClaims {
  std::map<std::string, std::string> texts;  ///< "sub" must be there
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<std::string>> lists;
  int64_t lifetime_s = 3600;
};
std::shared_ptr<const TokenSource> make_unsecured_tokens(UnsecuredClaims claims, Clock& clock = system_clock());

/// The client credentials grant of OAuth 2.0 (RFC 6749, 4.4).
struct ClientCredentials {
  std::string url;  ///< of the token endpoint: http or https, or a file with a token in it
  std::string client_id;
  std::string client_secret;
  std::string scope;
  std::string trusted_pem;  ///< certificates to trust; empty: the authorities of the system
  bool encode_header = false;
  int64_t connect_timeout_ms = 10'000;
  int64_t read_timeout_ms = 30'000;
};
std::shared_ptr<const TokenSource> make_oidc_tokens(ClientCredentials credentials, Clock& clock = system_clock());

}  // namespace yeoul
