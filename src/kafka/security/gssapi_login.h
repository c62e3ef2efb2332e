#pragma once

#include <memory>
#include <string>

#include "yeoul/kafka/security/sasl_client.h"

namespace yeoul {

struct KerberosSettings {
  std::string service_name;  ///< the broker's principal is <service name>/<host>
  std::string principal;     ///< whose ticket is used; empty: the cache's or key table's first
  std::string key_table;     ///< empty: tickets come from a cache, as kinit fills it
  std::string ticket_cache;  ///< empty: the default one
  std::string krb5_conf;     ///< where Kerberos is configured; empty: as the machine and KRB5_CONFIG have it
};

/// GSSAPI (RFC 4752) by MIT Kerberos, whose library is opened at the first login: all that it does counts as blocking
/// work, since it may ask a KDC. Its time-outs end it (krb5.conf); it cannot be stopped before. That no KDC can be
/// reached counts as no refusal. @throws user error 2014 where the process uses another krb5.conf already
std::shared_ptr<const SaslMechanism> make_gssapi_login(KerberosSettings settings);

}  // namespace yeoul
