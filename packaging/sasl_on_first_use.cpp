// The few functions of Cyrus SASL that librdkafka calls for SASL/GSSAPI (Kerberos). Nothing of it is linked in: the
// machine's own libsasl2, which finds its plugins and Kerberos by itself, is opened when a client first asks for it.
// PLAIN, SCRAM and OAUTHBEARER never come here.
#include <dlfcn.h>

namespace {

constexpr int kOk = 0;
constexpr int kNoMechanism = -4;
constexpr const char* kMissing =
    "SASL/GSSAPI needs libsasl2.so.2, which is not on this machine: install libsasl2-2 and "
    "libsasl2-modules-gssapi-mit";

void* open_library() {
  void* library = ::dlopen("libsasl2.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const auto init = reinterpret_cast<int (*)(const void*)>(::dlsym(library, "sasl_client_init"));
  return init != nullptr && init(nullptr) == kOk ? library : nullptr;
}

/// The function of that name; null where the library is not there.
template <class Function>
Function* find(Function*, const char* name) {
  static void* const library = open_library();
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(library, name));
}

}  // namespace

struct sasl_conn;
struct sasl_callback;
struct sasl_interact;

extern "C" {

int sasl_client_init(const sasl_callback*) {
  return kOk;  // librdkafka calls it for every client, whatever the mechanism
}

int sasl_client_new(const char* service, const char* server, const char* local, const char* remote,
                    const sasl_callback* callbacks, unsigned flags, sasl_conn** connection) {
  const auto function = find(&sasl_client_new, "sasl_client_new");
  return function ? function(service, server, local, remote, callbacks, flags, connection) : kNoMechanism;
}

int sasl_client_start(sasl_conn* connection, const char* mechanisms, sasl_interact** prompts, const char** out,
                      unsigned* out_size, const char** mechanism) {
  const auto function = find(&sasl_client_start, "sasl_client_start");
  return function ? function(connection, mechanisms, prompts, out, out_size, mechanism) : kNoMechanism;
}

int sasl_client_step(sasl_conn* connection, const char* in, unsigned in_size, sasl_interact** prompts, const char** out,
                     unsigned* out_size) {
  const auto function = find(&sasl_client_step, "sasl_client_step");
  return function ? function(connection, in, in_size, prompts, out, out_size) : kNoMechanism;
}

void sasl_dispose(sasl_conn** connection) {
  if (const auto function = find(&sasl_dispose, "sasl_dispose")) function(connection);
}

const char* sasl_errdetail(sasl_conn* connection) {
  const auto function = find(&sasl_errdetail, "sasl_errdetail");
  return function ? function(connection) : kMissing;
}

const char* sasl_errstring(int error, const char* languages, const char** language) {
  const auto function = find(&sasl_errstring, "sasl_errstring");
  return function ? function(error, languages, language) : kMissing;
}

int sasl_getprop(sasl_conn* connection, int property, const void** value) {
  const auto function = find(&sasl_getprop, "sasl_getprop");
  return function ? function(connection, property, value) : kNoMechanism;
}

int sasl_listmech(sasl_conn* connection, const char* user, const char* prefix, const char* separator,
                  const char* suffix, const char** result, unsigned* size, int* count) {
  const auto function = find(&sasl_listmech, "sasl_listmech");
  return function ? function(connection, user, prefix, separator, suffix, result, size, count) : kNoMechanism;
}

}  // extern "C"
