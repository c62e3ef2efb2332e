#include "yeoul/connectors/kafka/kafka_serializers.h"

#include <algorithm>
#include <iterator>

#include "yeoul/common/ascii.h"

namespace yeoul {
namespace {

struct SerdeClass {
  std::string_view name;
  KafkaSerde serde;
  std::string_view cpp;  ///< the C++ type
};
constexpr SerdeClass kClasses[] = {
    {"String", KafkaSerde::kString, "std::string"},
    {"ByteArray", KafkaSerde::kBytes, "std::string or std::vector<uint8_t>"},
    {"ByteBuffer", KafkaSerde::kBytes, "std::string or std::vector<uint8_t>"},
    {"Bytes", KafkaSerde::kBytes, "std::string or std::vector<uint8_t>"},
    {"Short", KafkaSerde::kShort, "int16_t"},
    {"Integer", KafkaSerde::kInteger, "int32_t"},
    {"Long", KafkaSerde::kLong, "int64_t"},
    {"Float", KafkaSerde::kFloat, "float"},
    {"Double", KafkaSerde::kDouble, "double"},
    {"UUID", KafkaSerde::kUuid, "std::string"},
    {"Void", KafkaSerde::kVoid, "any type"},
    {"Boolean", KafkaSerde::kBoolean, "bool"},
};
constexpr std::string_view kPackage = "org.apache.kafka.common.serialization.";
constexpr std::string_view kShaded = "org.apache.flink.kafka.shaded.";
constexpr size_t kUuidLength = 36;

bool is_uuid(std::string_view text) {
  if (text.size() != kUuidLength) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : hex_digit(text[i]) < 0) return false;
  }
  return true;
}

}  // namespace

KafkaSerde kafka_serde_of(std::string_view class_name, std::string_view kind) {
  std::string_view name = class_name;
  if (name.starts_with(kShaded)) name.remove_prefix(kShaded.size());
  if (name.starts_with(kPackage)) name.remove_prefix(kPackage.size());
  if (name.ends_with(kind)) {
    name.remove_suffix(kind.size());
    const auto known = std::find_if(std::begin(kClasses), std::end(kClasses),
                                    [&](const SerdeClass& candidate) { return candidate.name == name; });
    if (known != std::end(kClasses)) return known->serde;
  }
  std::string names;
  for (const SerdeClass& known : kClasses) names += fmt::format("{}{}{}", names.empty() ? "" : ", ", known.name, kind);
  throw user_error(2010,
                   "'{}' is none of Kafka's own classes ({}); other Java classes cannot be loaded: write a schema in "
                   "C++ instead",
                   class_name, names);
}

Charset kafka_encoding_of(const std::map<std::string, std::string>& configuration, std::string_view kind, bool key) {
  for (const std::string& option :
       {fmt::format("{}.{}.encoding", key ? "key" : "value", kind), fmt::format("{}.encoding", kind)}) {
    const auto it = configuration.find(option);
    if (it == configuration.end()) continue;
    if (const auto charset = find_charset(it->second)) return *charset;
    throw user_error(2010, "'{}' = '{}' is not known: UTF-8, ISO-8859-1 and US-ASCII are", option, it->second);
  }
  return Charset::kUtf8;
}

std::string checked_uuid(std::string_view text) {
  if (!is_uuid(text)) throw user_error(3001, "'{}' is no UUID such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6", text);
  return lower_case(text);
}

void throw_wrong_serde(std::string_view class_name, KafkaSerde serde) {
  const auto known = std::find_if(std::begin(kClasses), std::end(kClasses),
                                  [&](const SerdeClass& candidate) { return candidate.serde == serde; });
  throw user_error(2014, "'{}' is for {}, and the records of the stream are of another type", class_name, known->cpp);
}

}  // namespace yeoul
