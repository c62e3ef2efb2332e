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

/// The code point at `at`, which moves behind it; above 0xff where it is no character of Latin-1 or no UTF-8.
uint32_t next_code_point(const std::string& text, size_t& at) {
  const auto byte = static_cast<unsigned char>(text[at++]);
  if (byte < 0x80) return byte;
  uint32_t code = byte & 0x1f;
  if (byte < 0xc0 || byte >= 0xe0) code = 0x100;
  for (; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; ++at) {
    code = std::min<uint32_t>(code << 6 | (static_cast<unsigned char>(text[at]) & 0x3f), 0x3ffff);
  }
  return code;
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

KafkaEncoding kafka_encoding_of(const std::map<std::string, std::string>& configuration, std::string_view kind,
                                bool key) {
  for (const std::string& option :
       {fmt::format("{}.{}.encoding", key ? "key" : "value", kind), fmt::format("{}.encoding", kind)}) {
    const auto it = configuration.find(option);
    if (it == configuration.end()) continue;
    const std::string name = lower_case(it->second);
    if (name == "utf-8" || name == "utf8") return KafkaEncoding::kUtf8;
    if (name == "iso-8859-1" || name == "iso8859_1" || name == "latin1") return KafkaEncoding::kLatin1;
    if (name == "us-ascii" || name == "ascii") return KafkaEncoding::kAscii;
    throw user_error(2010, "'{}' = '{}' is not known: UTF-8, ISO-8859-1 and US-ASCII are", option, it->second);
  }
  return KafkaEncoding::kUtf8;
}

std::string encode_text(const std::string& text, KafkaEncoding encoding) {
  if (encoding == KafkaEncoding::kUtf8) return text;
  const uint32_t last = encoding == KafkaEncoding::kLatin1 ? 0xff : 0x7f;
  std::string bytes;
  for (size_t at = 0; at < text.size();) {
    const uint32_t code = next_code_point(text, at);
    bytes += code <= last ? static_cast<char>(code) : '?';  // as Java's encoders
  }
  return bytes;
}

std::string decode_text(std::string_view bytes, KafkaEncoding encoding) {
  if (encoding == KafkaEncoding::kUtf8) return std::string(bytes);
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else if (encoding == KafkaEncoding::kAscii) {
      text += "\xef\xbf\xbd";  // U+FFFD, as Java's decoder
    } else {
      text += static_cast<char>(0xc0 | byte >> 6);
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
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
