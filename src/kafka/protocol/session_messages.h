#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/protocol/api_key.h"
#include "yeoul/kafka/protocol/struct_table.h"

// What opens a connection: the versions a broker serves, and logging in. Structures and fields bear the names of the
// protocol's own definitions.

namespace yeoul {

struct ApiVersionsResponse;
struct SaslHandshakeResponse;
struct SaslAuthenticateResponse;

struct ApiVersionsRequest {
  using Response = ApiVersionsResponse;
  static constexpr ApiKey kApi = ApiKey::kApiVersions;
  std::string client_software_name;
  std::string client_software_version;
  static const StructTable& table();
};

struct ApiVersionsResponse {
  struct ApiVersion {
    int16_t api_key = 0;
    int16_t min_version = 0;
    int16_t max_version = 0;
    static const StructTable& table();
  };
  struct SupportedFeatureKey {
    std::string name;
    int16_t min_version = 0;
    int16_t max_version = 0;
    static const StructTable& table();
  };
  struct FinalizedFeatureKey {
    std::string name;
    int16_t max_version_level = 0;
    int16_t min_version_level = 0;
    static const StructTable& table();
  };
  int16_t error_code = 0;
  std::vector<ApiVersion> api_keys;
  int32_t throttle_time_ms = 0;
  std::vector<SupportedFeatureKey> supported_features;
  int64_t finalized_features_epoch = -1;
  std::vector<FinalizedFeatureKey> finalized_features;
  static const StructTable& table();
};

struct SaslHandshakeRequest {
  using Response = SaslHandshakeResponse;
  static constexpr ApiKey kApi = ApiKey::kSaslHandshake;
  std::string mechanism;
  static const StructTable& table();
};

struct SaslHandshakeResponse {
  int16_t error_code = 0;
  std::vector<std::string> mechanisms;
  static const StructTable& table();
};

struct SaslAuthenticateRequest {
  using Response = SaslAuthenticateResponse;
  static constexpr ApiKey kApi = ApiKey::kSaslAuthenticate;
  ByteString auth_bytes;
  static const StructTable& table();
};

struct SaslAuthenticateResponse {
  int16_t error_code = 0;
  std::optional<std::string> error_message;
  ByteString auth_bytes;
  int64_t session_lifetime_ms = 0;
  static const StructTable& table();
};

}  // namespace yeoul
