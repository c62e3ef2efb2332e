#include "yeoul/kafka/security/plain_login.h"

#include <utility>

namespace yeoul {
namespace {

class PlainClient : public SaslClient {
 public:
  explicit PlainClient(std::string message) : message_(std::move(message)) {}

  SaslStep step(std::string_view) override {
    if (sent_) return {.done = true};
    sent_ = true;
    return {.bytes = message_};
  }

 private:
  std::string message_;
  bool sent_ = false;
};

class PlainLogin : public SaslMechanism {
 public:
  PlainLogin(std::string user, std::string password) : user_(std::move(user)), password_(std::move(password)) {}

  std::string_view name() const override { return "PLAIN"; }
  std::unique_ptr<SaslClient> start(const std::string&) const override {
    std::string message;
    message.push_back('\0');
    message += user_;
    message.push_back('\0');
    message += password_;
    return std::make_unique<PlainClient>(std::move(message));
  }

 private:
  std::string user_;
  std::string password_;
};

}  // namespace

std::shared_ptr<const SaslMechanism> make_plain_login(std::string user, std::string password) {
  return std::make_shared<PlainLogin>(std::move(user), std::move(password));
}

}  // namespace yeoul
