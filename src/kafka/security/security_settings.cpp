#include "yeoul/kafka/security/security_settings.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "yeoul/common/ascii.h"
#include "yeoul/common/error.h"
#include "yeoul/common/file_system.h"
#include "yeoul/common/local_path.h"
#include "yeoul/kafka/security/base64.h"
#include "yeoul/kafka/security/gssapi_login.h"
#include "yeoul/kafka/security/jaas_config.h"
#include "yeoul/kafka/security/oauthbearer_login.h"
#include "yeoul/kafka/security/plain_login.h"
#include "yeoul/kafka/security/scram_login.h"
#include "yeoul/net/key_store.h"

namespace yeoul {
namespace {

struct StoreTypeName {
  std::string_view name;
  KeyStoreType type;
};
constexpr StoreTypeName kStoreTypes[] = {
    {"jks", KeyStoreType::kJks}, {"pkcs12", KeyStoreType::kPkcs12}, {"pem", KeyStoreType::kPem}};

/// A property that names a class, and Kafka's own classes for it, which do what is done here anyway. Others cannot be
/// loaded.
struct OwnClasses {
  std::string_view property;
  std::string_view names;  ///< without their package, separated by ", "
};
constexpr OwnClasses kEngineFactories{"ssl.engine.factory.class", "DefaultSslEngineFactory"};
constexpr OwnClasses kLoginClasses{"sasl.login.class", "DefaultLogin, KerberosLogin, OAuthBearerRefreshingLogin"};
constexpr OwnClasses kClientHandlers{
    "sasl.client.callback.handler.class",
    "SaslClientCallbackHandler, KerberosClientCallbackHandler, OAuthBearerSaslClientCallbackHandler"};
/// Of mechanisms other than OAUTHBEARER.
constexpr OwnClasses kLoginHandlers{"sasl.login.callback.handler.class", "AbstractLogin$DefaultLoginCallbackHandler"};
constexpr OwnClasses kTokenHandlers{"sasl.login.callback.handler.class",
                                    "OAuthBearerLoginCallbackHandler, OAuthBearerUnsecuredLoginCallbackHandler"};

/// A mechanism and the login module that Java's clients want for it.
struct MechanismModule {
  std::string_view mechanism;
  std::string_view module;
};
constexpr MechanismModule kMechanisms[] = {
    {"GSSAPI", "security.auth.module.Krb5LoginModule"},
    {"PLAIN", "security.plain.PlainLoginModule"},
    {"SCRAM-SHA-256", "security.scram.ScramLoginModule"},
    {"SCRAM-SHA-512", "security.scram.ScramLoginModule"},
    {"OAUTHBEARER", "security.oauthbearer.OAuthBearerLoginModule"},
};

/// Options of the engine's, and of the JVM's, that stand in for what properties of the client do not say (KD-137).
constexpr std::string_view kKeyTable = "security.kerberos.login.keytab";
constexpr std::string_view kPrincipal = "security.kerberos.login.principal";
constexpr std::string_view kUseTicketCache = "security.kerberos.login.use-ticket-cache";
constexpr std::string_view kContexts = "security.kerberos.login.contexts";
constexpr std::string_view kJaasFile = "java.security.auth.login.config";
constexpr std::string_view kKrb5Conf = "java.security.krb5.conf";
constexpr std::string_view kKrb5ConfPath = "security.kerberos.krb5-conf.path";
/// The name of the login of Kafka's clients.
constexpr std::string_view kKafkaClient = "KafkaClient";
constexpr std::string_view kJaasProperty = "sasl.jaas.config";

/// A login module, and what it was read from.
struct LoginModule : JaasConfig {
  std::string_view origin;
};

/// A day; more overflows what waits.
constexpr int64_t kLongestMs = 86'400'000;

std::string pem_of(const std::vector<std::string>& certificates) {
  std::string out;
  for (const std::string& der : certificates) {
    out += fmt::format("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", base64(der));
  }
  return out;
}

std::string trimmed_text(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

class SecurityReader {
 public:
  SecurityReader(const OptionMap& properties, const std::function<std::string(std::string_view)>& label)
      : properties_(properties), label_(label) {}

  SecuritySettings read() const {
    SecuritySettings settings;
    const std::string protocol = lower_case(get("security.protocol").value_or("plaintext"));
    const bool with_tls = protocol == "ssl" || protocol == "sasl_ssl";
    const bool with_login = protocol == "sasl_plaintext" || protocol == "sasl_ssl";
    if (!with_tls && !with_login && protocol != "plaintext") {
      fail("security.protocol", "'{}' is not one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL", protocol);
    }
    check_kerberos();
    if (with_login) settings.login = read_login();
    if (with_tls) settings.tls = read_tls();
    return settings;
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(std::string_view property, fmt::format_string<Args...> format, Args&&... args) const {
    throw user_error(2010, "{}: {}", label_(property), fmt::format(format, std::forward<Args>(args)...));
  }

  /// A value that is there and not blank.
  std::optional<std::string> get(std::string_view name) const {
    const auto found = properties_.find(name);
    if (found == properties_.end()) return std::nullopt;
    std::string value = trimmed_text(found->second);
    return value.empty() ? std::nullopt : std::optional(std::move(value));
  }
  /// A password, as it is.
  std::optional<std::string> secret(std::string_view name) const {
    const auto found = properties_.find(name);
    return found == properties_.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::string> list(std::string_view name) const {
    std::vector<std::string> out;
    const std::string text = get(name).value_or("");
    for (size_t at = 0; at < text.size();) {
      const size_t comma = std::min(text.find(',', at), text.size());
      if (std::string item = trimmed_text(text.substr(at, comma - at)); !item.empty()) out.push_back(std::move(item));
      at = comma + 1;
    }
    return out;
  }

  /// Runs what may fail because of one property, and says so.
  template <class Run>
  auto about(std::string_view property, const Run& run) const {
    try {
      return run();
    } catch (Error& error) {
      error.add_context(label_(property));
      throw;
    }
  }

  static std::string read_file(const std::string& path) {
    try {
      return local_file_system().read_file(path);
    } catch (const Error& error) {
      throw user_error(2017, "{}", error.message());
    }
  }

  /// A store of "ssl.keystore" or "ssl.truststore"; nothing where none is set.
  std::optional<KeyStore> read_store(const std::string& prefix, StoreAccess access) const {
    const auto location = get(prefix + ".location");
    if (!location) return std::nullopt;
    const auto named = read_store_type(prefix);
    return about(prefix + ".location", [&] {
      const std::string bytes = read_file(*location);
      // As in Java, JKS and PKCS12 are told apart by what is there, whatever the type says.
      const auto found = detect_key_store(bytes);
      const KeyStoreType type = found && named != KeyStoreType::kPem ? *found : named.value_or(KeyStoreType::kPkcs12);
      try {
        return std::optional(read_key_store(named && !found ? *named : type, bytes, access));
      } catch (Error& error) {
        error.add_context(*location);
        throw;
      }
    });
  }

  std::optional<KeyStoreType> read_store_type(const std::string& prefix) const {
    const auto name = get(prefix + ".type");
    if (!name) return std::nullopt;
    for (const StoreTypeName& known : kStoreTypes) {
      if (equals_ignoring_case(*name, known.name)) return known.type;
    }
    fail(prefix + ".type", "'{}' is not one of JKS, PKCS12, PEM", *name);
  }

  /// @throws user error 2013 for a class that is not Kafka's own; its package may be a shaded client's
  void check_class(const OwnClasses& own) const {
    const auto value = get(own.property);
    if (!value) return;
    const size_t dot = value->rfind('.');
    const bool is_own =
        dot != std::string::npos && value->find("kafka.common.security.") != std::string::npos &&
        fmt::format(", {},", own.names).find(fmt::format(" {},", value->substr(dot + 1))) != std::string::npos;
    if (is_own) return;
    throw user_error(2013, "{}: Java classes cannot be loaded, so it can only be one of Kafka's own: {}",
                     label_(own.property), own.names);
  }

  std::shared_ptr<const TlsContext> read_tls() const {
    check_class(kEngineFactories);
    TlsSettings settings;
    settings.trusted = read_trusted();
    settings.identity = read_identity();
    const auto algorithm = properties_.find("ssl.endpoint.identification.algorithm");
    if (algorithm != properties_.end()) {
      const std::string name = lower_case(trimmed_text(algorithm->second));
      if (!name.empty() && name != "https") {
        fail(algorithm->first, "'{}' is neither https nor empty, which switches the check off", name);
      }
      settings.check_host = !name.empty();
    }
    read_protocols(settings);
    settings.cipher_suites = list("ssl.cipher.suites");
    try {
      return std::make_shared<TlsContext>(settings);
    } catch (Error& error) {
      error.add_context(label_(error.code() == 2010 ? "ssl.cipher.suites" : "ssl.keystore.location"));
      throw;
    }
  }

  void read_protocols(TlsSettings& settings) const {
    const std::string newest = get("ssl.protocol").value_or("TLSv1.3");
    if (newest != "TLS" && !is_tls_protocol(newest)) fail("ssl.protocol", "there is no TLS protocol '{}'", newest);
    const std::vector<std::string> enabled = list("ssl.enabled.protocols");
    for (const std::string& name : enabled) {
      if (!is_tls_protocol(name)) fail("ssl.enabled.protocols", "there is no TLS protocol '{}'", name);
    }
    if (!enabled.empty()) {
      settings.protocols = enabled;
    } else if (newest != "TLS" && newest != "TLSv1.3") {
      settings.protocols = {newest};
    }
  }

  std::optional<std::vector<std::string>> read_trusted() const {
    const std::string inline_name = "ssl.truststore.certificates";
    if (const auto text = get(inline_name)) {
      check_inline("ssl.truststore", inline_name);
      return about(inline_name, [&] {
        return std::optional(read_key_store(KeyStoreType::kPem, *text, {.with_keys = false}).trusted);
      });
    }
    const StoreAccess access{.password = secret("ssl.truststore.password"), .with_keys = false};
    const auto store = read_store("ssl.truststore", access);
    if (!store) return std::nullopt;
    if (store->trusted.empty()) fail("ssl.truststore.location", "the store holds no certificate to trust");
    return store->trusted;
  }

  std::optional<KeyStore::Identity> read_identity() const {
    const StoreAccess access{.password = secret("ssl.keystore.password"), .key_password = secret("ssl.key.password")};
    const auto key = get("ssl.keystore.key");
    const auto chain = get("ssl.keystore.certificate.chain");
    if (!key && !chain) {
      const auto store = read_store("ssl.keystore", access);
      if (!store) return std::nullopt;
      if (store->identities.empty()) fail("ssl.keystore.location", "the store holds no private key");
      return store->identities.front();
    }
    if (!chain) fail("ssl.keystore.certificate.chain", "it must be set where 'ssl.keystore.key' is");
    if (!key) fail("ssl.keystore.key", "it must be set where 'ssl.keystore.certificate.chain' is");
    check_inline("ssl.keystore", "ssl.keystore.key");
    KeyStore store = about("ssl.keystore.key", [&] { return read_key_store(KeyStoreType::kPem, *key, access); });
    if (store.identities.empty()) fail("ssl.keystore.key", "it holds no private key");
    KeyStore::Identity identity = std::move(store.identities.front());
    identity.chain = about("ssl.keystore.certificate.chain",
                           [&] { return read_key_store(KeyStoreType::kPem, *chain, {.with_keys = false}).trusted; });
    return identity;
  }

  /// Certificates and keys that stand in properties are PEM, and take the place of a file.
  void check_inline(const std::string& prefix, const std::string& property) const {
    const auto type = read_store_type(prefix);
    if (type && *type != KeyStoreType::kPem) fail(property, "it needs '{}.type' = 'PEM'", prefix);
    if (get(prefix + ".location")) fail(property, "it and '{}.location' exclude each other", prefix);
  }

  std::shared_ptr<const SaslMechanism> read_login() const {
    check_class(kLoginClasses);
    check_class(kClientHandlers);
    const std::string mechanism = get("sasl.mechanism").value_or("GSSAPI");
    const auto* known = std::find_if(std::begin(kMechanisms), std::end(kMechanisms),
                                     [&](const MechanismModule& row) { return row.mechanism == mechanism; });
    if (known == std::end(kMechanisms)) {
      std::vector<std::string_view> names;
      for (const MechanismModule& row : kMechanisms) names.push_back(row.mechanism);
      fail("sasl.mechanism", "'{}' is not one of {}", mechanism, fmt::join(names, ", "));
    }
    const LoginModule jaas = read_login_module(*known);
    if (!jaas.is_module(known->module)) {
      fail(jaas.origin, "the login module '{}' does not fit 'sasl.mechanism' = '{}', which wants ...{}", jaas.module,
           mechanism, known->module);
    }
    return make_login(mechanism, jaas);
  }

  /// The client's own, else that of the JVM's JAAS file, else the engine's Kerberos.
  LoginModule read_login_module(const MechanismModule& wanted) const {
    if (const auto text = get(kJaasProperty)) {
      return {about(kJaasProperty, [&] { return parse_jaas_config(*text); }), kJaasProperty};
    }
    if (const auto module = read_jaas_file(wanted)) return *module;
    if (wanted.mechanism == "GSSAPI") {
      if (const auto module = engine_kerberos()) return *module;
    }
    if (get(kJaasFile)) fail(kJaasFile, "the file has no section '{}'", kKafkaClient);
    fail(kJaasProperty, "it must be set: a login by {} needs its login module{}", wanted.mechanism,
         wanted.mechanism == "GSSAPI" ? fmt::format(", or '{}' with {}", kContexts, kKafkaClient) : "");
  }

  /// Of several modules the one that fits the mechanism.
  std::optional<LoginModule> read_jaas_file(const MechanismModule& wanted) const {
    const auto path = read_path(kJaasFile);
    if (!path) return std::nullopt;
    const std::vector<JaasConfig> modules =
        about(kJaasFile, [&] { return parse_jaas_file(read_file(*path), kKafkaClient); });
    if (modules.empty()) return std::nullopt;
    const auto fitting = std::find_if(modules.begin(), modules.end(),
                                      [&](const JaasConfig& module) { return module.is_module(wanted.module); });
    return LoginModule{fitting == modules.end() ? modules.front() : *fitting, kJaasFile};
  }

  /// What Flink makes of `security.kerberos.login.*` for the login of Kafka's clients (KD-138, KD-140, KD-141).
  std::optional<LoginModule> engine_kerberos() const {
    const std::vector<std::string> contexts = list(kContexts);
    if (std::find(contexts.begin(), contexts.end(), kKafkaClient) == contexts.end()) return std::nullopt;
    LoginModule module{{"com.sun.security.auth.module.Krb5LoginModule", {}}, kContexts};
    if (const auto table = read_path(kKeyTable)) {
      module.options = {{"useKeyTab", "true"}, {"keyTab", *table}, {"principal", *get(kPrincipal)}};
    } else if (!about(kUseTicketCache,
                      [&] { return parse_boolean(kUseTicketCache, get(kUseTicketCache).value_or("true")); })) {
      fail(kContexts, "{} has nothing to log in with: there is no '{}', and '{}' is false", kKafkaClient, kKeyTable,
           kUseTicketCache);
    }
    return module;
  }

  /// A key table and a principal come together (KD-140), used or not.
  void check_kerberos() const {
    const bool has_principal = get(kPrincipal).has_value();
    if (read_path(kKeyTable).has_value() == has_principal) return;
    const std::string_view missing = has_principal ? kKeyTable : kPrincipal;
    fail(missing, "it must be set where '{}' is", has_principal ? kPrincipal : kKeyTable);
  }

  /// The path of a file that must be there.
  std::optional<std::string> read_path(std::string_view property) const {
    const auto text = get(property);
    if (!text) return std::nullopt;
    std::string path = local_path(label_(property), *text);
    if (!local_file_system().exists(path)) throw user_error(2017, "{}: there is no file '{}'", label_(property), path);
    return path;
  }

  std::shared_ptr<const SaslMechanism> make_login(const std::string& mechanism, const LoginModule& jaas) const {
    if (mechanism == "GSSAPI") return make_kerberos(jaas);
    if (mechanism == "OAUTHBEARER") return make_oauthbearer(jaas);
    check_class(kLoginHandlers);
    for (const char* option : {"username", "password"}) {
      if (!jaas.options.contains(option)) fail(jaas.origin, "the option '{}' is missing", option);
    }
    std::string user = jaas.option("username");
    std::string password = jaas.option("password");
    if (mechanism == "PLAIN") return make_plain_login(std::move(user), std::move(password));
    return make_scram_login({.hash = mechanism == "SCRAM-SHA-256" ? ScramHash::kSha256 : ScramHash::kSha512,
                             .user = std::move(user),
                             .password = std::move(password),
                             .is_delegation_token = lower_case(jaas.option("tokenauth")) == "true"});
  }

  std::shared_ptr<const SaslMechanism> make_kerberos(const LoginModule& jaas) const {
    check_class(kLoginHandlers);
    const auto is_set = [&](std::string_view option) { return lower_case(jaas.option(option)) == "true"; };
    KerberosSettings settings;
    settings.service_name = get("sasl.kerberos.service.name").value_or(jaas.option("serviceName"));
    settings.principal = jaas.option("principal");
    settings.ticket_cache = jaas.option("ticketCache");
    if (is_set("useKeyTab")) settings.key_table = jaas.option("keyTab");
    if (settings.service_name.empty()) settings.service_name = "kafka";
    const auto krb5_conf = read_path(kKrb5Conf);
    settings.krb5_conf = krb5_conf ? *krb5_conf : read_path(kKrb5ConfPath).value_or("");
    if (!settings.key_table.empty() && !local_file_system().exists(settings.key_table)) {
      fail(jaas.origin, "there is no key table '{}'", settings.key_table);
    }
    return about(krb5_conf ? kKrb5Conf : kKrb5ConfPath, [&] { return make_gssapi_login(std::move(settings)); });
  }

  std::shared_ptr<const SaslMechanism> make_oauthbearer(const LoginModule& jaas) const {
    check_class(kTokenHandlers);
    const std::string handler = get(kTokenHandlers.property).value_or("");
    if (handler.ends_with(".OAuthBearerLoginCallbackHandler")) {
      const TokenRetry retry{.backoff_ms = milliseconds("sasl.login.retry.backoff.ms", 100, 0),
                             .backoff_max_ms = milliseconds("sasl.login.retry.backoff.max.ms", 10'000, 0)};
      return make_oauthbearer_login(make_oidc_tokens(read_oidc(jaas)), extensions_of(jaas, "extension_"), retry);
    }
    return make_oauthbearer_login(make_unsecured_tokens(read_claims(jaas)),
                                  extensions_of(jaas, "unsecuredLoginExtension_"));
  }

  static SaslExtensions extensions_of(const JaasConfig& jaas, std::string_view prefix) {
    SaslExtensions out;
    for (const auto& [name, value] : jaas.options) {
      if (name.starts_with(prefix)) out[name.substr(prefix.size())] = value;
    }
    return out;
  }

  UnsecuredClaims read_claims(const LoginModule& jaas) const {
    constexpr std::string_view kText = "unsecuredLoginStringClaim_";
    constexpr std::string_view kNumber = "unsecuredLoginNumberClaim_";
    constexpr std::string_view kList = "unsecuredLoginListClaim_";
    UnsecuredClaims claims;
    const auto number = [&](const std::string& name, const std::string& value) {
      return about(jaas.origin, [&] { return parse_double(name, value); });
    };
    for (const auto& [name, value] : jaas.options) {
      if (name.starts_with(kText)) {
        claims.texts[name.substr(kText.size())] = value;
      } else if (name.starts_with(kNumber)) {
        claims.numbers[name.substr(kNumber.size())] = number(name, value);
      } else if (name.starts_with(kList) && !value.empty()) {
        // The list's first character is what stands between its values.
        std::vector<std::string>& values = claims.lists[name.substr(kList.size())];
        for (size_t at = 1; at <= value.size();) {
          const size_t end = std::min(value.find(value[0], at), value.size());
          values.push_back(value.substr(at, end - at));
          at = end + 1;
        }
      } else if (name == "unsecuredLoginLifetimeSeconds") {
        claims.lifetime_s = static_cast<int64_t>(std::clamp(number(name, value), 1.0, 1e9));
      }
    }
    const std::string principal = jaas.option("unsecuredLoginPrincipalClaimName");
    const std::string name = principal.empty() ? "sub" : principal;
    if (!claims.texts.contains(name)) fail(jaas.origin, "the option '{}{}' is missing", kText, name);
    return claims;
  }

  ClientCredentials read_oidc(const LoginModule& jaas) const {
    ClientCredentials out;
    const auto url = get("sasl.oauthbearer.token.endpoint.url");
    if (!url) fail("sasl.oauthbearer.token.endpoint.url", "it must be set");
    out.url = *url;
    if (!out.url.starts_with("https:") && !out.url.starts_with("http:") && !out.url.starts_with("file:")) {
      fail("sasl.oauthbearer.token.endpoint.url", "'{}' is no http, https or file URL", out.url);
    }
    if (out.url.starts_with("file:")) return out;
    // Since Kafka 4.1 these are properties; before they were options of the login module.
    out.client_id = get("sasl.oauthbearer.client.credentials.client.id").value_or(jaas.option("clientId"));
    out.client_secret =
        secret("sasl.oauthbearer.client.credentials.client.secret").value_or(jaas.option("clientSecret"));
    out.scope = get("sasl.oauthbearer.scope").value_or(jaas.option("scope"));
    if (out.client_id.empty()) fail(jaas.origin, "the option 'clientId' is missing");
    if (out.client_secret.empty()) fail(jaas.origin, "the option 'clientSecret' is missing");
    out.encode_header = lower_case(get("sasl.oauthbearer.header.urlencode").value_or("false")) == "true";
    out.connect_timeout_ms = milliseconds("sasl.login.connect.timeout.ms", out.connect_timeout_ms, 1);
    out.read_timeout_ms = milliseconds("sasl.login.read.timeout.ms", out.read_timeout_ms, 1);
    // How the endpoint is trusted stands in the options, as in Java.
    OptionMap tls;
    for (const auto& [name, value] : jaas.options) tls[name] = value;
    const auto trusted = SecurityReader(tls, label_).read_trusted();
    if (trusted) out.trusted_pem = pem_of(*trusted);
    return out;
  }

  int64_t milliseconds(std::string_view property, int64_t fallback, int64_t least) const {
    const auto text = get(property);
    if (!text) return fallback;
    const int64_t value = about(property, [&] { return parse_integer(property, *text); });
    if (value < least) fail(property, "'{}' must be at least {}", *text, least);
    return std::min(value, kLongestMs);
  }

  const OptionMap& properties_;
  const std::function<std::string(std::string_view)>& label_;
};

}  // namespace

SecuritySettings make_security_settings(const OptionMap& properties,
                                        const std::function<std::string(std::string_view)>& label) {
  return SecurityReader(properties, label).read();
}

}  // namespace yeoul
