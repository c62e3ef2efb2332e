#pragma once

#include <string_view>

#include "yeoul/common/options.h"

namespace yeoul {

/// Whether this is an option of Flink's or of a JVM's that says how Kafka's clients log in where their own properties
/// do not: `security.kerberos.…`, `java.security.auth.login.config` and `java.security.krb5.conf`.
bool is_engine_property(std::string_view name);

/// What the options of a session say of all its Kafka clients, to be given to them like properties of their own (KD-137
/// to KD-142): those named above, also where they stand in `env.java.opts` and its kin.
OptionMap engine_properties(const OptionMap& session);

}  // namespace yeoul
