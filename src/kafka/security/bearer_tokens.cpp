#include <simdjson.h>

#include <utility>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/common/file_system.h"
#include "yeoul/kafka/security/base64.h"
#include "yeoul/kafka/security/oauthbearer_login.h"
#include "yeoul/net/http_request.h"

namespace yeoul {
namespace {

constexpr std::string_view kFileScheme = "file:";
constexpr int64_t kMsPerSecond = 1000;

/// Whether the same request may get another answer later: which of HTTP's errors Java's clients try again, too.
bool is_passing(long status) {
  return status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

class UnsecuredTokens : public TokenSource {
 public:
  UnsecuredTokens(UnsecuredClaims claims, Clock& clock) : claims_(std::move(claims)), clock_(clock) {}

  bool blocks() const override { return false; }
  BearerToken fetch(std::stop_token) const override {
    const int64_t now_ms = clock_.wall_ms();
    const int64_t end_ms = now_ms + claims_.lifetime_s * kMsPerSecond;
    std::string claims = fmt::format(R"({{"iat":{},"exp":{})", now_ms / kMsPerSecond, end_ms / kMsPerSecond);
    for (const auto& [name, value] : claims_.texts)
      claims += fmt::format(",{}:{}", json_string(name), json_string(value));
    for (const auto& [name, value] : claims_.numbers) claims += fmt::format(",{}:{}", json_string(name), value);
    for (const auto& [name, values] : claims_.lists) {
      std::vector<std::string> texts;
      for (const std::string& value : values) texts.push_back(json_string(value));
      claims += fmt::format(",{}:[{}]", json_string(name), fmt::join(texts, ","));
    }
    claims += "}";
    return {fmt::format("{}.{}.", base64_url(R"({"alg":"none"})"), base64_url(claims)), end_ms};
  }

 private:
  UnsecuredClaims claims_;
  Clock& clock_;
};

/// When a token ends that is a JWT, in ms since 1970; INT64_MAX where it does not say.
int64_t end_of(const std::string& token) {
  const size_t begin = token.find('.') + 1;
  const size_t end = token.find('.', begin);
  if (begin == 0 || end == std::string::npos) return INT64_MAX;
  const auto claims = base64_decoded(std::string_view(token).substr(begin, end - begin));
  simdjson::dom::parser parser;
  double seconds = 0;
  if (!claims || parser.parse(*claims)["exp"].get(seconds) != simdjson::SUCCESS) return INT64_MAX;
  return seconds > 0 && seconds < 1e13 ? static_cast<int64_t>(seconds * kMsPerSecond) : INT64_MAX;
}

std::string form_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
        std::string_view("-_.*").find(c) != std::string_view::npos) {
      out.push_back(c);
    } else if (c == ' ') {
      out.push_back('+');
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

class OidcTokens : public TokenSource {
 public:
  OidcTokens(ClientCredentials credentials, Clock& clock) : credentials_(std::move(credentials)), clock_(clock) {}

  bool blocks() const override { return true; }
  BearerToken fetch(std::stop_token stop) const override {
    if (credentials_.url.starts_with(kFileScheme)) return read_file();
    const HttpAnswer answer = http_post(request(), stop);
    simdjson::dom::parser parser;
    simdjson::dom::element json;
    const bool is_json = parser.parse(answer.body).get(json) == simdjson::SUCCESS;
    if (answer.status < 200 || answer.status > 299) {
      const std::string failure = fmt::format("the token endpoint {} answers with status {}{}", credentials_.url,
                                              answer.status, is_json ? reason_of(json) : "");
      if (is_passing(answer.status)) throw external_error(4505, "{}", failure);
      throw user_error(4506, "{}", failure);
    }
    BearerToken out;
    std::string_view token;
    if (!is_json ||
        (json["access_token"].get(token) != simdjson::SUCCESS && json["id_token"].get(token) != simdjson::SUCCESS)) {
      throw user_error(4506, "the token endpoint {} answers without 'access_token'", credentials_.url);
    }
    out.token = token;
    out.expires_at_ms = end_of(out.token);
    int64_t lifetime_s = 0;
    if (out.expires_at_ms == INT64_MAX && json["expires_in"].get(lifetime_s) == simdjson::SUCCESS && lifetime_s > 0 &&
        lifetime_s < INT32_MAX) {
      out.expires_at_ms = clock_.wall_ms() + lifetime_s * kMsPerSecond;
    }
    return out;
  }

 private:
  HttpRequest request() const {
    const bool encode = credentials_.encode_header;
    const std::string pair =
        fmt::format("{}:{}", encode ? form_encoded(credentials_.client_id) : credentials_.client_id,
                    encode ? form_encoded(credentials_.client_secret) : credentials_.client_secret);
    HttpRequest request;
    request.url = credentials_.url;
    request.headers = {"Accept: application/json", "Content-Type: application/x-www-form-urlencoded",
                       "Authorization: Basic " + base64(pair)};
    request.body = "grant_type=client_credentials";
    if (!credentials_.scope.empty()) request.body += "&scope=" + form_encoded(credentials_.scope);
    request.trusted_pem = credentials_.trusted_pem;
    request.connect_timeout_ms = credentials_.connect_timeout_ms;
    request.timeout_ms = credentials_.connect_timeout_ms + credentials_.read_timeout_ms;
    return request;
  }

  /// What the endpoint says of an error (RFC 6749, 5.2).
  static std::string reason_of(const simdjson::dom::element& json) {
    std::string out;
    for (const char* name : {"error", "error_description"}) {
      std::string_view text;
      if (json[name].get(text) == simdjson::SUCCESS) out += fmt::format("{}{}", out.empty() ? ": " : ", ", text);
    }
    return out;
  }

  BearerToken read_file() const {
    std::string path = credentials_.url.substr(kFileScheme.size());
    while (path.starts_with("//")) path.erase(0, 1);
    std::string token;
    try {
      token = local_file_system().read_file(path);
    } catch (const Error& error) {
      throw user_error(4506, "{}", error.message());
    }
    while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back())) != 0) token.pop_back();
    const int64_t end_ms = end_of(token);
    return {std::move(token), end_ms};
  }

  ClientCredentials credentials_;
  Clock& clock_;
};

}  // namespace

std::shared_ptr<const TokenSource> make_unsecured_tokens(UnsecuredClaims claims, Clock& clock) {
  return std::make_shared<UnsecuredTokens>(std::move(claims), clock);
}

std::shared_ptr<const TokenSource> make_oidc_tokens(ClientCredentials credentials, Clock& clock) {
  return std::make_shared<OidcTokens>(std::move(credentials), clock);
}

}  // namespace yeoul
