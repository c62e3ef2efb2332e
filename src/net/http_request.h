#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace yeoul {

struct HttpRequest {
  std::string url;  ///< http or https
  std::string body;
  std::vector<std::string> headers;  ///< "Accept: application/json"
  std::string trusted_pem;           ///< certificates to trust; empty: the authorities of the system
  int64_t connect_timeout_ms = 10'000;
  int64_t timeout_ms = 30'000;
};

struct HttpAnswer {
  long status = 0;
  std::string body;  ///< of 1 MB at most
};

/// Sends a POST and waits for the answer, by libcurl: it speaks TLS, and through proxies as the environment says.
/// Blocks; ends within a second when stopped. @throws external error 4505 with the URL and the reason; user error
/// 4506 where trying again is of no use: the URL, or certificates that do not fit
HttpAnswer http_post(const HttpRequest& request, std::stop_token stop);

}  // namespace yeoul
