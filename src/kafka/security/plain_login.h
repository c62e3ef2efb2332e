#pragma once

#include <memory>
#include <string>

#include "yeoul/kafka/security/sasl_client.h"

namespace yeoul {

/// PLAIN (RFC 4616): user name and password as they are; for connections with TLS.
std::shared_ptr<const SaslMechanism> make_plain_login(std::string user, std::string password);

}  // namespace yeoul
