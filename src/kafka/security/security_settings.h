#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "yeoul/common/options.h"
#include "yeoul/kafka/security/sasl_client.h"
#include "yeoul/net/tls_context.h"

namespace yeoul {

/// How connections to brokers are secured: Java's `security.protocol` and what belongs to it.
struct SecuritySettings {
  std::shared_ptr<const TlsContext> tls;       ///< null: plain bytes
  std::shared_ptr<const SaslMechanism> login;  ///< null: none
};

/// Makes the settings out of client properties under their Java names (`security.protocol`, `ssl.*`, `sasl.*`), with
/// Java's defaults and meaning. Reads key stores. Passwords never get into a message.
/// @param label  how the user knows a property: "table 't': option 'properties.ssl.protocol'"
/// @throws user error 2010 for a value that is bad or missing, 2017 for a store that cannot be read, each naming the
///         property, 2013 for what there is not here
SecuritySettings make_security_settings(const OptionMap& properties,
                                        const std::function<std::string(std::string_view)>& label);

}  // namespace yeoul
