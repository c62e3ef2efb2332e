// libFuzzer target: whatever the bytes of a key store, a login configuration or a certificate in PEM are, they are read
// or refused as a user error. The first byte chooses which.
#include <cstdint>
#include <string>
#include <string_view>

#include "yeoul/common/error.h"
#include "yeoul/kafka/security/jaas_config.h"
#include "yeoul/net/key_store.h"

namespace {

void read(uint8_t kind, std::string_view bytes) {
  using yeoul::KeyStoreType;
  const yeoul::StoreAccess access{.password = "password"};
  switch (kind % 5) {
    case 0:
      yeoul::read_key_store(KeyStoreType::kPem, bytes, access);
      return;
    case 1:
      yeoul::read_key_store(KeyStoreType::kPkcs12, bytes, access);
      return;
    case 2:
      yeoul::read_key_store(KeyStoreType::kJks, bytes, access);
      return;
    case 3:  // past the digest, which no fuzzer finds
      yeoul::read_key_store(KeyStoreType::kJks, bytes, {.key_password = "password"});
      return;
    default:
      yeoul::parse_jaas_config(bytes);
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  try {
    read(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const yeoul::Error& error) {
    if (error.family() != yeoul::ErrorFamily::kUser) __builtin_trap();
  }
  return 0;
}
