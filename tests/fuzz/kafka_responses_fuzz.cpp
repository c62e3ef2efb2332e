// Any bytes as a message of any API, request or response, in any version: refused with an Error, or read. What is read
// is written and read again to the same bytes.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/api.h"
#include "yeoul/kafka/protocol/sample_filler_test.h"

namespace {

using namespace yeoul;

void read_and_write(const StructTable& table, void* first, void* second, WireVersion version, std::string_view bytes) {
  try {
    decode_struct(table, first, version, bytes);
  } catch (const Error& error) {
    if (error.code() != 4010) std::abort();
    return;
  }
  std::string written;
  try {
    encode_struct(table, first, version, written);
  } catch (const Error&) {
    return;  // a null where this version has none: read leniently, never written
  }
  decode_struct(table, second, version, written);
  std::string again;
  encode_struct(table, second, version, again);
  if (again != written) std::abort();
  print_struct(table, second, version);
}

}  // namespace

/// The first byte says which API, and its highest bit that it is a request; the second says which version.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const bool request = (data[0] & 0x80) != 0;
  const Api& api = all_apis()[(data[0] & 0x7f) % all_apis().size()];
  const int num_versions = api.versions.last - api.versions.first + 1;
  const WireVersion version = api.wire_version(static_cast<int16_t>(api.versions.first + data[1] % num_versions));
  const std::shared_ptr<void> first = make_message(api, request);
  const std::shared_ptr<void> second = make_message(api, request);
  read_and_write(request ? api.request() : api.response(), first.get(), second.get(), version, bytes);
  return 0;
}
