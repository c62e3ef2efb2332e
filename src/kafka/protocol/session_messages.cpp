#include "yeoul/kafka/protocol/session_messages.h"

namespace yeoul {

const StructTable& ApiVersionsRequest::table() {
  using T = ApiVersionsRequest;
  static constexpr Field kFields[] = {
      field<&T::client_software_name>("ClientSoftwareName", since(3)).ignorable(),
      field<&T::client_software_version>("ClientSoftwareVersion", since(3)).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("ApiVersionsRequest", kFields);
  return kTable;
}

const StructTable& ApiVersionsResponse::ApiVersion::table() {
  using T = ApiVersionsResponse::ApiVersion;
  static constexpr Field kFields[] = {
      field<&T::api_key>("ApiKey", always()),
      field<&T::min_version>("MinVersion", always()),
      field<&T::max_version>("MaxVersion", always()),
  };
  static const StructTable kTable = struct_table<T>("ApiVersion", kFields);
  return kTable;
}

const StructTable& ApiVersionsResponse::SupportedFeatureKey::table() {
  using T = ApiVersionsResponse::SupportedFeatureKey;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::min_version>("MinVersion", always()),
      field<&T::max_version>("MaxVersion", always()),
  };
  static const StructTable kTable = struct_table<T>("SupportedFeatureKey", kFields);
  return kTable;
}

const StructTable& ApiVersionsResponse::FinalizedFeatureKey::table() {
  using T = ApiVersionsResponse::FinalizedFeatureKey;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::max_version_level>("MaxVersionLevel", always()),
      field<&T::min_version_level>("MinVersionLevel", always()),
  };
  static const StructTable kTable = struct_table<T>("FinalizedFeatureKey", kFields);
  return kTable;
}

const StructTable& ApiVersionsResponse::table() {
  using T = ApiVersionsResponse;
  static constexpr Field kFields[] = {
      field<&T::error_code>("ErrorCode", always()),
      field<&T::api_keys>("ApiKeys", always()),
      field<&T::throttle_time_ms>("ThrottleTimeMs", since(1)).ignorable(),
      field<&T::supported_features>("SupportedFeatures", since(3)).tagged(0).ignorable(),
      field<&T::finalized_features_epoch>("FinalizedFeaturesEpoch", since(3)).tagged(1).ignorable(),
      field<&T::finalized_features>("FinalizedFeatures", since(3)).tagged(2).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("ApiVersionsResponse", kFields);
  return kTable;
}

const StructTable& SaslHandshakeRequest::table() {
  using T = SaslHandshakeRequest;
  static constexpr Field kFields[] = {
      field<&T::mechanism>("Mechanism", always()),
  };
  static const StructTable kTable = struct_table<T>("SaslHandshakeRequest", kFields);
  return kTable;
}

const StructTable& SaslHandshakeResponse::table() {
  using T = SaslHandshakeResponse;
  static constexpr Field kFields[] = {
      field<&T::error_code>("ErrorCode", always()),
      field<&T::mechanisms>("Mechanisms", always()),
  };
  static const StructTable kTable = struct_table<T>("SaslHandshakeResponse", kFields);
  return kTable;
}

const StructTable& SaslAuthenticateRequest::table() {
  using T = SaslAuthenticateRequest;
  static constexpr Field kFields[] = {
      field<&T::auth_bytes>("AuthBytes", always()),
  };
  static const StructTable kTable = struct_table<T>("SaslAuthenticateRequest", kFields);
  return kTable;
}

const StructTable& SaslAuthenticateResponse::table() {
  using T = SaslAuthenticateResponse;
  static constexpr Field kFields[] = {
      field<&T::error_code>("ErrorCode", always()),
      field<&T::error_message>("ErrorMessage", always()),
      field<&T::auth_bytes>("AuthBytes", always()),
      field<&T::session_lifetime_ms>("SessionLifetimeMs", since(1)).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("SaslAuthenticateResponse", kFields);
  return kTable;
}

}  // namespace yeoul
