#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace yeoul {

/// What `sasl.jaas.config` says: one login module with its options.
struct JaasConfig {
  std::string module;  ///< the class, as written
  std::map<std::string, std::string, std::less<>> options;

  /// Whether the module is Kafka's or Java's of that name, in whatever package a shaded client keeps it:
  /// "plain.PlainLoginModule".
  bool is_module(std::string_view name) const;
  /// The option's value; empty where it is not there.
  std::string option(std::string_view name) const;
};

/// Reads `<module class> <control flag> <name>=<value> … ;` as Kafka does: values bare or in quotes, with backslash
/// escapes; comments as in Java. @throws user error 2010 that says what is missing where, and never quotes a value
JaasConfig parse_jaas_config(std::string_view text);

/// The login modules of a section of a JAAS file, `<name> { <module> … }; …`; none where there is no such section.
/// @throws as above
std::vector<JaasConfig> parse_jaas_file(std::string_view text, std::string_view section);

}  // namespace yeoul
