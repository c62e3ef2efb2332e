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
constexpr int64_t kNanosPerMs = 1'000'000;
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
  TokenCache(std::shared_ptr<const TokenSource> source, TokenRetry retry, Clock& clock)
      : source_(std::move(source)), retry_(retry), clock_(clock) {}

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
  /// Why there is no token.
  SaslStep failure() const {
    const std::lock_guard lock(mutex_);
    return {.failure = failure_, .refused = refused_};
  }

  /// Fetches a token, unless another login has just done so, or has just failed to.
  void refresh(std::stop_token stop) {
    const std::lock_guard one_at_a_time(fetching_);
    if (fresh() || is_left_alone()) return;
    const int64_t now_ms = clock_.wall_ms();
    try {
      BearerToken fetched = source_->fetch(stop);
      if (!is_token(fetched.token)) throw user_error(4506, "the token has characters that no token may have");
      take(std::move(fetched), now_ms);
    } catch (const Error& error) {
      const std::lock_guard lock(mutex_);
      failure_ = error.message();
      refused_ = error.family() == ErrorFamily::kUser;
      pause_ms_ = std::min(pause_ms_ == 0 ? retry_.backoff_ms : pause_ms_ * 2, retry_.backoff_max_ms);
      ask_at_ns_ = clock_.steady_ns() + pause_ms_ * kNanosPerMs;
    }
  }

 private:
  bool is_left_alone() const {
    const std::lock_guard lock(mutex_);
    return pause_ms_ != 0 && clock_.steady_ns() < ask_at_ns_;
  }

  void take(BearerToken fetched, int64_t now_ms) {
    const std::lock_guard lock(mutex_);
    pause_ms_ = 0;
    token_ = std::move(fetched);
    replace_at_ms_ =
        token_.expires_at_ms == INT64_MAX
            ? now_ms  // who knows how long it holds
            : now_ms + static_cast<int64_t>(static_cast<double>(token_.expires_at_ms - now_ms) * kLifeInUse);
  }

  std::shared_ptr<const TokenSource> source_;
  const TokenRetry retry_;
  Clock& clock_;
  std::mutex fetching_;
  mutable std::mutex mutex_;
  BearerToken token_;
  int64_t replace_at_ms_ = 0;
  std::string failure_;
  bool refused_ = false;
  int64_t pause_ms_ = 0;  ///< after the last failure; 0: there was none since a token came
  int64_t ask_at_ns_ = 0;
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
    if (!token) return cache_->failure();
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
  OauthbearerLogin(std::shared_ptr<const TokenSource> source, SaslExtensions extensions, TokenRetry retry, Clock& clock)
      : cache_(std::make_shared<TokenCache>(std::move(source), retry, clock)), extensions_(std::move(extensions)) {}

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
                                                            SaslExtensions extensions, TokenRetry retry, Clock& clock) {
  return std::make_shared<OauthbearerLogin>(std::move(source), std::move(extensions), retry, clock);
}

}  // namespace yeoul
