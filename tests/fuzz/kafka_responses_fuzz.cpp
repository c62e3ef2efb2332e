// Any bytes as a message of any API, request or response, in any version: refused with an Error, or read. What is read
// is written and read again to the same bytes.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/api.h"
#include "yeoul/kafka/protocol/fetch_messages.h"
#include "yeoul/kafka/protocol/group_messages.h"
#include "yeoul/kafka/protocol/metadata_messages.h"
#include "yeoul/kafka/protocol/produce_messages.h"
#include "yeoul/kafka/protocol/session_messages.h"
#include "yeoul/kafka/protocol/topic_messages.h"
#include "yeoul/kafka/protocol/transaction_messages.h"

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

template <class Request>
void run(bool request, uint8_t number, std::string_view bytes) {
  const Api& api = api_of(Request::kApi);
  const int num_versions = api.versions.last - api.versions.first + 1;
  const WireVersion version = api.wire_version(static_cast<int16_t>(api.versions.first + number % num_versions));
  if (request) {
    Request first, second;
    read_and_write(Request::table(), &first, &second, version, bytes);
  } else {
    typename Request::Response first, second;
    read_and_write(Request::Response::table(), &first, &second, version, bytes);
  }
}

using Run = void (*)(bool, uint8_t, std::string_view);
constexpr Run kRuns[] = {
    run<ProduceRequest>,
    run<FetchRequest>,
    run<ListOffsetsRequest>,
    run<MetadataRequest>,
    run<OffsetCommitRequest>,
    run<OffsetFetchRequest>,
    run<FindCoordinatorRequest>,
    run<SaslHandshakeRequest>,
    run<ApiVersionsRequest>,
    run<CreateTopicsRequest>,
    run<DeleteTopicsRequest>,
    run<InitProducerIdRequest>,
    run<OffsetForLeaderEpochRequest>,
    run<AddPartitionsToTxnRequest>,
    run<EndTxnRequest>,
    run<DescribeConfigsRequest>,
    run<SaslAuthenticateRequest>,
    run<DescribeClusterRequest>,
    run<DescribeTransactionsRequest>,
    run<ListTransactionsRequest>,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  kRuns[data[0] % std::size(kRuns)]((data[0] & 0x80) != 0, data[1], bytes);
  return 0;
}
