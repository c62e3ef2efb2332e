#include "yeoul/net/http_request.h"

#include <curl/curl.h>

#include <memory>

#include "yeoul/common/error.h"
#include "yeoul/net/dynamic_library.h"
#include "yeoul/net/system_authorities.h"

namespace yeoul {
namespace {

constexpr size_t kAnswerBytesMax = size_t{1} << 20;

/// The functions of libcurl that are used. The library brings thirty others with it, so a program that is dynamically
/// linked opens it at its first request only.
struct CurlLibrary {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
  bool is_loaded = false;
};

#ifdef YEOUL_STATIC_CURL

void load(CurlLibrary& curl) {
  curl = {curl_global_init,  curl_easy_init,     curl_easy_setopt,  curl_easy_perform,   curl_easy_getinfo,
          curl_easy_cleanup, curl_easy_strerror, curl_slist_append, curl_slist_free_all, true};
}

#else

void load(CurlLibrary& curl) {
  DynamicLibrary library("libcurl.so.4");
  library.find(curl.global_init, "curl_global_init");
  library.find(curl.easy_init, "curl_easy_init");
  library.find(curl.easy_setopt, "curl_easy_setopt");
  library.find(curl.easy_perform, "curl_easy_perform");
  library.find(curl.easy_getinfo, "curl_easy_getinfo");
  library.find(curl.easy_cleanup, "curl_easy_cleanup");
  library.find(curl.easy_strerror, "curl_easy_strerror");
  library.find(curl.slist_append, "curl_slist_append");
  library.find(curl.slist_free_all, "curl_slist_free_all");
  curl.is_loaded = library.is_complete();
}

#endif

const CurlLibrary& curl_library() {
  static const CurlLibrary library = [] {
    CurlLibrary loaded;
    load(loaded);
    if (loaded.is_loaded) loaded.global_init(CURL_GLOBAL_DEFAULT);
    return loaded;
  }();
  return library;
}

size_t take_body(const char* bytes, size_t size, size_t count, void* to) {
  auto& body = *static_cast<std::string*>(to);
  if (body.size() + size * count > kAnswerBytesMax) return 0;
  body.append(bytes, size * count);
  return size * count;
}

/// What the user has to mend; else a network or a server has failed.
bool is_users(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
      return true;
    default:
      return false;
  }
}

int is_stopped(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<std::stop_token*>(stop)->stop_requested() ? 1 : 0;
}

}  // namespace

HttpAnswer http_post(const HttpRequest& request, std::stop_token stop) {
  const CurlLibrary& curl = curl_library();
  if (!curl.is_loaded) {
    throw user_error(4506, "{}: libcurl.so.4 is not on this machine; install it (Debian: libcurl4)", request.url);
  }
  const std::unique_ptr<CURL, decltype(curl.easy_cleanup)> handle(curl.easy_init(), curl.easy_cleanup);
  YEOUL_CHECK(handle != nullptr, "libcurl makes no handle");
  curl_slist* list = nullptr;
  for (const std::string& header : request.headers) list = curl.slist_append(list, header.c_str());
  const std::unique_ptr<curl_slist, decltype(curl.slist_free_all)> headers(list, curl.slist_free_all);
  HttpAnswer answer;
  char reason[CURL_ERROR_SIZE] = {};
  const auto set = [&](CURLoption option, auto value) { curl.easy_setopt(handle.get(), option, value); };
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_POSTFIELDS, request.body.data());
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout_ms));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout_ms));
  set(CURLOPT_ERRORBUFFER, reason);
  set(CURLOPT_WRITEFUNCTION, take_body);
  set(CURLOPT_WRITEDATA, &answer.body);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, is_stopped);
  set(CURLOPT_XFERINFODATA, &stop);
  curl_blob trusted{const_cast<char*>(request.trusted_pem.data()), request.trusted_pem.size(), CURL_BLOB_COPY};
  const SystemAuthorities authorities = system_authorities();
  if (!request.trusted_pem.empty()) {
    set(CURLOPT_CAINFO_BLOB, &trusted);
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  } else {
    if (!authorities.file.empty()) set(CURLOPT_CAINFO, authorities.file.c_str());
    if (!authorities.folder.empty()) set(CURLOPT_CAPATH, authorities.folder.c_str());
  }
  const CURLcode code = curl.easy_perform(handle.get());
  if (code != CURLE_OK) {
    const std::string failure =
        fmt::format("{}: {}", request.url, reason[0] != '\0' ? reason : curl.easy_strerror(code));
    if (is_users(code)) throw user_error(4506, "{}", failure);
    throw external_error(4505, "{}", failure);
  }
  curl.easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

}  // namespace yeoul
