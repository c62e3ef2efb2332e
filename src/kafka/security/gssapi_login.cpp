#include "yeoul/kafka/security/gssapi_login.h"

#include <gssapi/gssapi.h>
#include <gssapi/gssapi_ext.h>
#include <krb5.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/net/dynamic_library.h"

namespace yeoul {
namespace {

constexpr OM_uint32 kContextFlags = GSS_C_MUTUAL_FLAG | GSS_C_INTEG_FLAG | GSS_C_SEQUENCE_FLAG;
/// The answer to the layers a broker offers: none, and so no message size.
constexpr std::string_view kNoLayer("\1\0\0\0", 4);
constexpr size_t kLayerOfferBytes = 4;
/// 1.2.840.113554.1.2.2, Kerberos 5; and the name types that gssapi.h declares as variables of the library.
constexpr char kKerberosOid[] = "\x2a\x86\x48\x86\xf7\x12\x01\x02\x02";
constexpr char kUserNameOid[] = "\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x01";
constexpr char kServiceNameOid[] = "\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04";

template <size_t size>
gss_OID_desc oid_of(const char (&bytes)[size]) {
  return {size - 1, const_cast<char*>(bytes)};
}

/// The functions of MIT Kerberos that are used. Nothing links to it, so that it need not be on a machine that logs in
/// in other ways.
struct GssLibrary {
  decltype(&gss_import_name) import_name = nullptr;
  decltype(&gss_release_name) release_name = nullptr;
  decltype(&gss_acquire_cred_from) acquire_cred_from = nullptr;
  decltype(&gss_release_cred) release_cred = nullptr;
  decltype(&gss_init_sec_context) init_sec_context = nullptr;
  decltype(&gss_delete_sec_context) delete_sec_context = nullptr;
  decltype(&gss_wrap) wrap = nullptr;
  decltype(&gss_unwrap) unwrap = nullptr;
  decltype(&gss_release_buffer) release_buffer = nullptr;
  decltype(&gss_display_status) display_status = nullptr;
  bool is_loaded = false;
};

const GssLibrary& gss_library() {
  static const GssLibrary library = [] {
    GssLibrary gss;
    DynamicLibrary krb5("libgssapi_krb5.so.2");
    krb5.find(gss.import_name, "gss_import_name");
    krb5.find(gss.release_name, "gss_release_name");
    krb5.find(gss.acquire_cred_from, "gss_acquire_cred_from");
    krb5.find(gss.release_cred, "gss_release_cred");
    krb5.find(gss.init_sec_context, "gss_init_sec_context");
    krb5.find(gss.delete_sec_context, "gss_delete_sec_context");
    krb5.find(gss.wrap, "gss_wrap");
    krb5.find(gss.unwrap, "gss_unwrap");
    krb5.find(gss.release_buffer, "gss_release_buffer");
    krb5.find(gss.display_status, "gss_display_status");
    gss.is_loaded = krb5.is_complete();
    return gss;
  }();
  return library;
}

gss_buffer_desc buffer_of(std::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())};
}

std::string take_buffer(gss_buffer_desc& buffer) {
  std::string out(static_cast<const char*>(buffer.value), buffer.length);
  OM_uint32 minor = 0;
  gss_library().release_buffer(&minor, &buffer);
  return out;
}

/// A failure in the library's words: what of GSS-API's, then of Kerberos'.
std::string status_text(OM_uint32 major, OM_uint32 minor) {
  std::string out;
  const auto add = [&](OM_uint32 code, int type) {
    gss_OID_desc kerberos = oid_of(kKerberosOid);
    OM_uint32 more = 0;
    do {
      OM_uint32 ignored = 0;
      gss_buffer_desc text = GSS_C_EMPTY_BUFFER;
      if (gss_library().display_status(&ignored, code, type, &kerberos, &more, &text) != GSS_S_COMPLETE) return;
      if (!out.empty()) out += ": ";
      out += take_buffer(text);
    } while (more != 0);
  };
  add(major, GSS_C_GSS_CODE);
  if (minor != 0) add(minor, GSS_C_MECH_CODE);
  return out;
}

/// The library looks where KRB5_CONFIG says, in the whole process. It is changed once at most, when the first client is
/// described, since others may be reading the environment later.
void use_krb5_conf(const std::string& path) {
  static std::mutex mutex;
  static std::string in_use;
  const std::lock_guard lock(mutex);
  if (path == in_use) return;
  if (!in_use.empty()) {
    throw user_error(2014, "'{}' cannot be used: '{}' is in use, and a process has one krb5.conf", path, in_use);
  }
  in_use = path;
  ::setenv("KRB5_CONFIG", path.c_str(), 1);
}

/// Whether a KDC could not be asked: the same may go well later.
bool is_passing_failure(OM_uint32 minor) {
  const auto code = static_cast<krb5_error_code>(minor);
  return code == KRB5_KDC_UNREACH || code == KRB5_REALM_CANT_RESOLVE;
}

/// One login's conversation. Used by one piece of work at a time.
class GssConversation {
 public:
  GssConversation(const KerberosSettings& settings, std::string cache, const std::string& host)
      : settings_(settings), cache_(std::move(cache)), service_(fmt::format("{}@{}", settings.service_name, host)) {}

  ~GssConversation() {
    const GssLibrary& gss = gss_library();
    OM_uint32 minor = 0;
    if (context_ != GSS_C_NO_CONTEXT) gss.delete_sec_context(&minor, &context_, GSS_C_NO_BUFFER);
    if (credential_ != GSS_C_NO_CREDENTIAL) gss.release_cred(&minor, &credential_);
    if (target_ != GSS_C_NO_NAME) gss.release_name(&minor, &target_);
  }
  GssConversation(const GssConversation&) = delete;
  GssConversation& operator=(const GssConversation&) = delete;

  SaslStep answer(const std::string& challenge) {
    const GssLibrary& gss = gss_library();
    if (!gss.is_loaded) {
      return failed("MIT Kerberos (libgssapi_krb5.so.2) is not on this machine; install it (Debian: libgssapi-krb5-2)");
    }
    if (target_ == GSS_C_NO_NAME) {
      if (std::optional<SaslStep> failure = prepare()) return *std::move(failure);
    }
    return is_established_ ? agree_on_no_layer(challenge) : establish(challenge);
  }

 private:
  static SaslStep failed(std::string reason) { return {.failure = std::move(reason), .refused = true}; }
  /// Of a call to the library.
  static SaslStep failed(std::string_view what, OM_uint32 major, OM_uint32 minor) {
    return {.failure = fmt::format("{}: {}", what, status_text(major, minor)), .refused = !is_passing_failure(minor)};
  }

  std::string whose_ticket() const {
    return fmt::format("no ticket for {} from {}",
                       settings_.principal.empty() ? "anybody" : fmt::format("'{}'", settings_.principal),
                       settings_.key_table.empty() ? "the ticket cache" : fmt::format("'{}'", settings_.key_table));
  }

  std::optional<SaslStep> prepare() {
    const GssLibrary& gss = gss_library();
    OM_uint32 minor = 0;
    gss_name_t self = GSS_C_NO_NAME;
    gss_OID_desc user_name = oid_of(kUserNameOid);
    if (!settings_.principal.empty()) {
      gss_buffer_desc name = buffer_of(settings_.principal);
      const OM_uint32 major = gss.import_name(&minor, &name, &user_name, &self);
      if (GSS_ERROR(major)) return failed(fmt::format("principal '{}'", settings_.principal), major, minor);
    }
    std::vector<gss_key_value_element_desc> elements;
    const std::string key_table = "FILE:" + settings_.key_table;
    if (!settings_.key_table.empty()) {
      elements.push_back({"client_keytab", key_table.c_str()});
      elements.push_back({"ccache", cache_.c_str()});
    } else if (!settings_.ticket_cache.empty()) {
      elements.push_back({"ccache", settings_.ticket_cache.c_str()});
    }
    const gss_key_value_set_desc store{static_cast<OM_uint32>(elements.size()), elements.data()};
    gss_OID_desc kerberos = oid_of(kKerberosOid);
    gss_OID_set_desc mechanisms{1, &kerberos};
    const OM_uint32 major = gss.acquire_cred_from(&minor, self, GSS_C_INDEFINITE, &mechanisms, GSS_C_INITIATE,
                                                  elements.empty() ? nullptr : &store, &credential_, nullptr, nullptr);
    OM_uint32 ignored = 0;
    if (self != GSS_C_NO_NAME) gss.release_name(&ignored, &self);
    if (GSS_ERROR(major)) return failed(whose_ticket(), major, minor);
    gss_buffer_desc service = buffer_of(service_);
    gss_OID_desc service_name = oid_of(kServiceNameOid);
    const OM_uint32 imported = gss.import_name(&minor, &service, &service_name, &target_);
    if (GSS_ERROR(imported)) return failed(service_, imported, minor);
    return std::nullopt;
  }

  SaslStep establish(const std::string& challenge) {
    OM_uint32 minor = 0;
    gss_buffer_desc in = buffer_of(challenge);
    gss_buffer_desc out = GSS_C_EMPTY_BUFFER;
    gss_OID_desc kerberos = oid_of(kKerberosOid);
    const OM_uint32 major = gss_library().init_sec_context(
        &minor, credential_, &context_, target_, &kerberos, kContextFlags, GSS_C_INDEFINITE, GSS_C_NO_CHANNEL_BINDINGS,
        challenge.empty() ? GSS_C_NO_BUFFER : &in, nullptr, &out, nullptr, nullptr);
    if (GSS_ERROR(major)) return failed(service_, major, minor);
    is_established_ = major == GSS_S_COMPLETE;
    return {.bytes = take_buffer(out)};
  }

  SaslStep agree_on_no_layer(const std::string& challenge) {
    if (is_agreed_) return {.done = true};
    const GssLibrary& gss = gss_library();
    OM_uint32 minor = 0;
    gss_buffer_desc in = buffer_of(challenge);
    gss_buffer_desc out = GSS_C_EMPTY_BUFFER;
    OM_uint32 major = gss.unwrap(&minor, context_, &in, &out, nullptr, nullptr);
    if (GSS_ERROR(major)) return failed(service_, major, minor);
    const std::string offer = take_buffer(out);
    if (offer.size() != kLayerOfferBytes || (offer[0] & kNoLayer[0]) == 0) {
      return failed("it wants to protect messages by Kerberos, which Kafka does not");
    }
    in = buffer_of(kNoLayer);
    major = gss.wrap(&minor, context_, 0, GSS_C_QOP_DEFAULT, &in, nullptr, &out);
    if (GSS_ERROR(major)) return failed(service_, major, minor);
    is_agreed_ = true;
    return {.bytes = take_buffer(out)};
  }

  KerberosSettings settings_;
  std::string cache_;
  std::string service_;
  gss_name_t target_ = GSS_C_NO_NAME;
  gss_cred_id_t credential_ = GSS_C_NO_CREDENTIAL;
  gss_ctx_id_t context_ = GSS_C_NO_CONTEXT;
  bool is_established_ = false;
  bool is_agreed_ = false;
};

class GssapiClient : public SaslClient {
 public:
  GssapiClient(const KerberosSettings& settings, const std::string& cache, const std::string& host)
      : shared_(std::make_shared<Shared>(settings, cache, host)) {}

  SaslStep step(std::string_view challenge) override {
    if (working_) {
      working_ = false;
      return std::move(shared_->result);
    }
    working_ = true;
    return {.work = [shared = shared_, bytes = std::string(challenge)](std::stop_token) {
      shared->result = shared->conversation.answer(bytes);
    }};
  }

 private:
  struct Shared {
    Shared(const KerberosSettings& settings, const std::string& cache, const std::string& host)
        : conversation(settings, cache, host) {}
    GssConversation conversation;
    SaslStep result;
  };

  std::shared_ptr<Shared> shared_;
  bool working_ = false;
};

class GssapiLogin : public SaslMechanism {
 public:
  explicit GssapiLogin(KerberosSettings settings) : settings_(std::move(settings)) {
    static std::atomic<int> next = 0;
    cache_ = fmt::format("MEMORY:yeoul-{}", ++next);
  }

  std::string_view name() const override { return "GSSAPI"; }
  std::unique_ptr<SaslClient> start(const std::string& host) const override {
    return std::make_unique<GssapiClient>(settings_, cache_, host);
  }

 private:
  KerberosSettings settings_;
  std::string cache_;  ///< where tickets from the key table are kept for all logins
};

}  // namespace

std::shared_ptr<const SaslMechanism> make_gssapi_login(KerberosSettings settings) {
  if (!settings.krb5_conf.empty()) use_krb5_conf(settings.krb5_conf);
  return std::make_shared<GssapiLogin>(std::move(settings));
}

}  // namespace yeoul
