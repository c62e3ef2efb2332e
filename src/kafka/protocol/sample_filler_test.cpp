#include "yeoul/kafka/protocol/sample_filler_test.h"

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/fetch_messages.h"
#include "yeoul/kafka/protocol/group_messages.h"
#include "yeoul/kafka/protocol/metadata_messages.h"
#include "yeoul/kafka/protocol/produce_messages.h"
#include "yeoul/kafka/protocol/session_messages.h"
#include "yeoul/kafka/protocol/topic_messages.h"
#include "yeoul/kafka/protocol/transaction_messages.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

template <class Request>
std::shared_ptr<void> make_either(bool request) {
  if (request) return std::make_shared<Request>();
  return std::make_shared<typename Request::Response>();
}

/// One valid batch: Kafka's JSON converters refuse bytes that are none.
constexpr unsigned char kBatch[] = {0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x39, 0xff, 0xff,
                                    0xff, 0xff, 2,    0x6f, 0x6e, 0x8c, 0x52, 0,    0,    0,    0,    0,    0,    0,
                                    0,    0,    0,    0,    0,    0,    1,    0,    0,    0,    0,    0,    0,    0,
                                    1,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                    0xff, 0,    0,    0,    1,    0x0e, 0,    0,    0,    1,    2,    'v',  0};

std::string_view sample_records() {
  return {reinterpret_cast<const char*>(kBatch), sizeof kBatch};
}

std::string base64(std::string_view bytes, bool url) {
  const std::string_view digits = url ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                                      : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) bits = bits << 8 | (i + j < bytes.size() ? static_cast<uint8_t>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) {
      if (i + j <= bytes.size()) {
        out += digits[bits >> (18 - 6 * j) & 63];
      } else if (!url) {
        out += '=';
      }
    }
  }
  return out;
}

std::string json_of(FieldType type, const void* value) {
  const auto quoted = [](std::string_view text) { return fmt::format("\"{}\"", text); };
  switch (type) {
    case FieldType::kBool:
      return *static_cast<const bool*>(value) ? "true" : "false";
    case FieldType::kInt8:
      return std::to_string(*static_cast<const int8_t*>(value));
    case FieldType::kInt16:
      return std::to_string(*static_cast<const int16_t*>(value));
    case FieldType::kInt32:
      return std::to_string(*static_cast<const int32_t*>(value));
    case FieldType::kInt64:
      return std::to_string(*static_cast<const int64_t*>(value));
    case FieldType::kString:
      return quoted(*static_cast<const std::string*>(value));
    case FieldType::kBytes:
      return quoted(base64(static_cast<const ByteString*>(value)->value, false));
    case FieldType::kNullableString: {
      const auto& text = *static_cast<const std::optional<std::string>*>(value);
      return text ? quoted(*text) : "null";
    }
    case FieldType::kRecords: {
      const std::string_view bytes = *static_cast<const std::string_view*>(value);
      return bytes.data() == nullptr ? "null" : quoted(base64(bytes, false));
    }
    default: {
      char bytes[16];
      store_big_endian(bytes, static_cast<const Uuid*>(value)->high);
      store_big_endian(bytes + 8, static_cast<const Uuid*>(value)->low);
      return quoted(base64({bytes, 16}, true));
    }
  }
}

}  // namespace

std::shared_ptr<void> make_message(const Api& api, bool request) {
  switch (api.key) {
    case ApiKey::kProduce:
      return make_either<ProduceRequest>(request);
    case ApiKey::kFetch:
      return make_either<FetchRequest>(request);
    case ApiKey::kListOffsets:
      return make_either<ListOffsetsRequest>(request);
    case ApiKey::kMetadata:
      return make_either<MetadataRequest>(request);
    case ApiKey::kOffsetCommit:
      return make_either<OffsetCommitRequest>(request);
    case ApiKey::kOffsetFetch:
      return make_either<OffsetFetchRequest>(request);
    case ApiKey::kFindCoordinator:
      return make_either<FindCoordinatorRequest>(request);
    case ApiKey::kSaslHandshake:
      return make_either<SaslHandshakeRequest>(request);
    case ApiKey::kApiVersions:
      return make_either<ApiVersionsRequest>(request);
    case ApiKey::kCreateTopics:
      return make_either<CreateTopicsRequest>(request);
    case ApiKey::kDeleteTopics:
      return make_either<DeleteTopicsRequest>(request);
    case ApiKey::kInitProducerId:
      return make_either<InitProducerIdRequest>(request);
    case ApiKey::kOffsetForLeaderEpoch:
      return make_either<OffsetForLeaderEpochRequest>(request);
    case ApiKey::kAddPartitionsToTxn:
      return make_either<AddPartitionsToTxnRequest>(request);
    case ApiKey::kEndTxn:
      return make_either<EndTxnRequest>(request);
    case ApiKey::kDescribeConfigs:
      return make_either<DescribeConfigsRequest>(request);
    case ApiKey::kSaslAuthenticate:
      return make_either<SaslAuthenticateRequest>(request);
    case ApiKey::kDescribeCluster:
      return make_either<DescribeClusterRequest>(request);
    case ApiKey::kDescribeTransactions:
      return make_either<DescribeTransactionsRequest>(request);
    case ApiKey::kListTransactions:
      return make_either<ListTransactionsRequest>(request);
  }
  return nullptr;
}

SampleMessage::SampleMessage(const Api& api, bool request, int16_t version, SampleKind kind)
    : table_(request ? &api.request() : &api.response()),
      version_(version),
      kind_(kind),
      object_(make_message(api, request)) {
  fill(*table_, object_.get());
}

void SampleMessage::fill(const StructTable& table, void* object) {
  for (const Field& field : table.fields) {
    if (!field.versions.contains(version_)) continue;
    void* value = field.member(object);
    if (field.type == FieldType::kStruct) {
      fill(field.table(), value);
    } else if (field.type == FieldType::kArray) {
      const ArrayAccess& access = *field.array;
      if (kind_ == SampleKind::kSparse && access.nullable) continue;
      access.clear(value);
      for (int i = 0; i < (kind_ == SampleKind::kFull ? 2 : 0); ++i) {
        void* element = access.append(value);
        if (access.element == FieldType::kStruct) {
          fill(access.element_table(), element);
        } else {
          fill_scalar(access.element, false, element);
        }
      }
    } else if (kind_ == SampleKind::kFull || field.tag < 0) {
      fill_scalar(field.type, kind_ == SampleKind::kSparse && version_ >= field.nullable_from, value);
    }
  }
}

void SampleMessage::fill_scalar(FieldType type, bool may_be_null, void* value) {
  const int64_t number = next_++;
  switch (type) {
    case FieldType::kBool:
      *static_cast<bool*>(value) = true;
      break;
    case FieldType::kInt8:
      *static_cast<int8_t*>(value) = static_cast<int8_t>(number & 1);
      break;
    case FieldType::kInt16:
      *static_cast<int16_t*>(value) = static_cast<int16_t>(300 + number);
      break;
    case FieldType::kInt32:
      *static_cast<int32_t*>(value) = static_cast<int32_t>(70'000 + number);
      break;
    case FieldType::kInt64:
      *static_cast<int64_t*>(value) = 5'000'000'000 + number;
      break;
    case FieldType::kUuid:
      *static_cast<Uuid*>(value) = {0x0123456789abcdef, static_cast<uint64_t>(number)};
      break;
    case FieldType::kString:
      *static_cast<std::string*>(value) = "text-" + std::to_string(number);
      break;
    case FieldType::kBytes:
      static_cast<ByteString*>(value)->value = std::string(130, 'b');
      break;
    case FieldType::kNullableString: {
      auto& text = *static_cast<std::optional<std::string>*>(value);
      text = std::string(120, 'n') + std::to_string(number);
      if (may_be_null) text.reset();
      break;
    }
    default:
      *static_cast<std::string_view*>(value) = may_be_null ? std::string_view() : sample_records();
  }
}

std::string SampleMessage::json() const {
  std::string out;
  print(*table_, object_.get(), out);
  return out;
}

void SampleMessage::print(const StructTable& table, const void* object, std::string& out) const {
  out += '{';
  for (const Field& field : table.fields) {
    if (!field.versions.contains(version_)) continue;
    if (out.back() != '{') out += ',';
    std::string name(field.name);
    name[0] = static_cast<char>(std::tolower(name[0]));
    out += fmt::format("\"{}\":", name);
    const void* value = field.in(object);
    if (field.type == FieldType::kStruct) {
      print(field.table(), value, out);
    } else if (field.type == FieldType::kArray) {
      const int64_t size = field.array->size(value);
      out += size < 0 ? "null" : "[";
      for (int64_t i = 0; i < size; ++i) {
        if (i > 0) out += ',';
        const void* element = field.array->at(value, static_cast<size_t>(i));
        if (field.array->element == FieldType::kStruct) {
          print(field.array->element_table(), element, out);
        } else {
          out += json_of(field.array->element, element);
        }
      }
      if (size >= 0) out += ']';
    } else {
      out += json_of(field.type, value);
    }
  }
  out += '}';
}

}  // namespace yeoul
