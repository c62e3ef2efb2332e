#include "yeoul/kafka/client/engine_properties.h"

#include "yeoul/common/java_options.h"

namespace yeoul {
namespace {

constexpr std::string_view kJavaOptions = "env.java.opts";

bool is_java_property(std::string_view name) {
  return name == "java.security.auth.login.config" || name == "java.security.krb5.conf";
}

}  // namespace

bool is_engine_property(std::string_view name) {
  return name.starts_with("security.kerberos.") || is_java_property(name);
}

OptionMap engine_properties(const OptionMap& session) {
  OptionMap out;
  for (const auto& [name, value] : session) {
    if (is_engine_property(name)) out[name] = value;
  }
  for (const auto& [name, value] : session) {
    if (!name.starts_with(kJavaOptions)) continue;
    const JavaOptions options = parse_java_options(value);
    for (const auto& [property, text] : options.properties) {
      // -Djava.security.auth.login.config==FILE: that file alone.
      if (is_java_property(property)) out.try_emplace(property, text.substr(text.starts_with('=') ? 1 : 0));
    }
  }
  return out;
}

}  // namespace yeoul
