#include "yeoul/kafka/security/oauthbearer_login.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

/// As Java's `sasl.login.refresh.window.factor`: a new token is fetched when so much of the old one's life is over.
constexpr double kLifeInUse = 0.8;
constexpr char kSeparator = '\x01';

/// What a token may consist of (RFC 6750), so that it cannot say anything else.
bool is_token(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-._~+/=").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

/// The token that all logins share.
class TokenCache {
 public:
  TokenCache(std::shared_ptr<const TokenSource> source, Clock& clock) : source_(std::move(source)), clock_(clock) {}

  bool blocks() const { return source_->blocks(); }

  /// The token, if it is young enough.
  std::optional<std::string> fresh() const {
    const std::lock_guard lock(mutex_);
    if (token_.token.empty() || clock_.wall_ms() >= replace_at_ms_) return std::nullopt;
    return token_.token;
  }
  /// A token that still holds, though a new one could not be had.
  std::optional<std::string> valid() const {
    const std::lock_guard lock(mutex_);
    if (token_.token.empty() || clock_.wall_ms() >= token_.expires_at_ms) return std::nullopt;
    return token_.token;
  }
  std::string failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

  /// Fetches a token unless another login has just done so.
  void refresh(std::stop_token stop) {
    const std::lock_guard one_at_a_time(fetching_);
    if (fresh()) return;
    BearerToken fetched;
    std::string failure;
    const int64_t now_ms = clock_.wall_ms();
    try {
      fetched = source_->fetch(stop);
      if (!is_token(fetched.token)) failure = "the token has characters that no token may have";
    } catch (const Error& error) {
      failure = error.message();
    }
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    if (!failure.empty()) return;
    token_ = std::move(fetched);
    replace_at_ms_ =
        token_.expires_at_ms == INT64_MAX
            ? now_ms  // who knows how long it holds
            : now_ms + static_cast<int64_t>(static_cast<double>(token_.expires_at_ms - now_ms) * kLifeInUse);
  }

 private:
  std::shared_ptr<const TokenSource> source_;
  Clock& clock_;
  std::mutex fetching_;
  mutable std::mutex mutex_;
  BearerToken token_;
  int64_t replace_at_ms_ = 0;
  std::string failure_;
};

class OauthbearerClient : public SaslClient {
 public:
  OauthbearerClient(std::shared_ptr<TokenCache> cache, const SaslExtensions& extensions)
      : cache_(std::move(cache)), extensions_(extensions) {}

  SaslStep step(std::string_view challenge) override {
    if (!sent_) return send_token();
    if (challenge.empty() && refusal_.empty()) return {.done = true};
    if (!refusal_.empty()) return {.failure = "it refused the token: " + refusal_, .refused = true};
    // The broker says why in JSON, and wants an empty message before it refuses.
    refusal_ = challenge;
    return {.bytes = std::string(1, kSeparator)};
  }

 private:
  SaslStep send_token() {
    std::optional<std::string> token = cache_->fresh();
    if (!token && !asked_) {
      asked_ = true;
      if (cache_->blocks()) return {.work = [cache = cache_](std::stop_token stop) { cache->refresh(stop); }};
      cache_->refresh({});
      token = cache_->fresh();
    }
    if (!token) token = cache_->valid();
    if (!token) return {.failure = cache_->failure(), .refused = true};
    sent_ = true;
    std::string message = fmt::format("n,,{}auth=Bearer {}{}", kSeparator, *token, kSeparator);
    for (const auto& [name, value] : extensions_) message += fmt::format("{}={}{}", name, value, kSeparator);
    message.push_back(kSeparator);
    return {.bytes = std::move(message)};
  }

  std::shared_ptr<TokenCache> cache_;
  const SaslExtensions extensions_;
  bool asked_ = false;
  bool sent_ = false;
  std::string refusal_;
};

class OauthbearerLogin : public SaslMechanism {
 public:
  OauthbearerLogin(std::shared_ptr<const TokenSource> source, SaslExtensions extensions, Clock& clock)
      : cache_(std::make_shared<TokenCache>(std::move(source), clock)), extensions_(std::move(extensions)) {}

  std::string_view name() const override { return "OAUTHBEARER"; }
  std::unique_ptr<SaslClient> start(const std::string&) const override {
    return std::make_unique<OauthbearerClient>(cache_, extensions_);
  }

 private:
  std::shared_ptr<TokenCache> cache_;
  SaslExtensions extensions_;
};

}  // namespace

std::shared_ptr<const SaslMechanism> make_oauthbearer_login(std::shared_ptr<const TokenSource> source,
                                                            SaslExtensions extensions, Clock& clock) {
  return std::make_shared<OauthbearerLogin>(std::move(source), std::move(extensions), clock);
}

}  // namespace yeoul
