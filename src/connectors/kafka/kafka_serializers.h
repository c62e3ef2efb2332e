#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "yeoul/common/charset.h"
#include "yeoul/common/error.h"
#include "yeoul/connectors/kafka/kafka_schemas.h"

namespace yeoul {

/// What Kafka's own serializers and deserializers write and read; programs name them by their Java classes.
enum class KafkaSerde : uint8_t {
  kString,
  kBytes,  ///< ByteArray, ByteBuffer, Bytes
  kShort,
  kInteger,
  kLong,
  kFloat,
  kDouble,
  kUuid,
  kVoid,
  kBoolean
};

/// @param class_name  bare, or with its package, shaded or not  @param kind  "Serializer" or "Deserializer"
/// @throws user error 2010 for a class that is none of Kafka's
KafkaSerde kafka_serde_of(std::string_view class_name, std::string_view kind);
/// '<kind>.encoding', or '<key|value>.<kind>.encoding' before it; UTF-8 without. @throws user error 2010
Charset kafka_encoding_of(const std::map<std::string, std::string>& configuration, std::string_view kind, bool key);
/// "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", in lower case. @throws user error 3001 for what is no UUID
std::string checked_uuid(std::string_view text);
/// @throws user error 2014: the class writes or reads another type than the stream has
[[noreturn]] void throw_wrong_serde(std::string_view class_name, KafkaSerde serde);

/// Whether a class of Kafka's writes and reads values of T.
template <class T>
constexpr bool serde_fits(KafkaSerde serde) {
  if (serde == KafkaSerde::kVoid) return true;
  if constexpr (std::is_same_v<T, std::string>) {
    return serde == KafkaSerde::kString || serde == KafkaSerde::kBytes || serde == KafkaSerde::kUuid;
  } else if constexpr (std::is_same_v<T, std::vector<uint8_t>>) {
    return serde == KafkaSerde::kBytes;
  } else if constexpr (std::is_same_v<T, bool>) {
    return serde == KafkaSerde::kBoolean;
  } else if constexpr (std::is_floating_point_v<T>) {
    return serde == (sizeof(T) == 4 ? KafkaSerde::kFloat : KafkaSerde::kDouble);
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    return (sizeof(T) == 2 && serde == KafkaSerde::kShort) || (sizeof(T) == 4 && serde == KafkaSerde::kInteger) ||
           (sizeof(T) == 8 && serde == KafkaSerde::kLong);
  } else {
    return false;
  }
}

/// Writes as one of Kafka's serializers does (KD-120).
template <class T>
class KafkaClassSerializer {
 public:
  KafkaClassSerializer(std::string_view class_name, const std::map<std::string, std::string>& configuration, bool key)
      : serde_(kafka_serde_of(class_name, "Serializer")),
        encoding_(kafka_encoding_of(configuration, "serializer", key)) {
    if (!serde_fits<T>(serde_)) throw_wrong_serde(class_name, serde_);
  }

  std::optional<std::string> serialize(const T& value) const {
    if (serde_ == KafkaSerde::kVoid) return std::nullopt;
    if constexpr (std::is_same_v<T, std::string>) {
      if (serde_ == KafkaSerde::kUuid) return checked_uuid(value);
      if (serde_ != KafkaSerde::kString) return value;
      std::string bytes;
      append_encoded(value, encoding_, bytes);
      return bytes;
    } else if constexpr (std::is_same_v<T, std::vector<uint8_t>>) {
      return std::string(value.begin(), value.end());
    } else if constexpr (std::is_same_v<T, bool>) {
      return std::string(1, value ? '\1' : '\0');
    } else if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 2) {
      return KafkaNumberSchema<T>().serialize(value);
    } else {
      return std::nullopt;  // refused above
    }
  }

 private:
  KafkaSerde serde_;
  Charset encoding_;
};

/// Reads as one of Kafka's deserializers does (KD-024): a schema for values.
template <class T>
class KafkaClassDeserializer {
 public:
  explicit KafkaClassDeserializer(std::string_view class_name,
                                  const std::map<std::string, std::string>& configuration = {})
      : serde_(kafka_serde_of(class_name, "Deserializer")),
        encoding_(kafka_encoding_of(configuration, "deserializer", false)) {
    if (!serde_fits<T>(serde_)) throw_wrong_serde(class_name, serde_);
  }

  std::optional<T> deserialize(std::string_view message) const {
    if (serde_ == KafkaSerde::kVoid) return std::nullopt;
    if constexpr (std::is_same_v<T, std::string>) {
      if (serde_ == KafkaSerde::kUuid) return checked_uuid(message);
      std::string text;
      append_decoded(message, serde_ == KafkaSerde::kString ? encoding_ : Charset::kUtf8, text);
      return text;
    } else if constexpr (std::is_same_v<T, std::vector<uint8_t>>) {
      return std::vector<uint8_t>(message.begin(), message.end());
    } else if constexpr (std::is_same_v<T, bool>) {
      if (message != std::string_view("\0", 1) && message != "\1") {
        throw user_error(3001, "the value is no boolean, which is one byte of 0 or 1");
      }
      return message[0] == '\1';
    } else if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 2) {
      return KafkaNumberSchema<T>().deserialize(message);
    } else {
      return std::nullopt;  // refused above
    }
  }

 private:
  KafkaSerde serde_;
  Charset encoding_;
};

/// Lets a schema for values alone see whole records; records without a value give nothing.
template <class S, class T>
class ValueOnlySchema {
 public:
  explicit ValueOnlySchema(S schema) : schema_(std::move(schema)) {}
  void deserialize(const KafkaConsumerRecord& record, std::vector<T>& out) const {
    if (!record.value) return;
    if (std::optional<T> value = schema_.deserialize(*record.value)) out.push_back(std::move(*value));
  }

 private:
  S schema_;
};

/// Ready deserializers for KafkaSourceBuilder::set_deserializer().
template <class T>
struct KafkaRecordDeserializationSchema {
  /// One of Kafka's own deserializers by the name of its Java class.
  /// @throws user error 2010 for another class, 2014 for one that reads another type than T
  static auto value_only(std::string_view class_name, const std::map<std::string, std::string>& configuration = {}) {
    return ValueOnlySchema<KafkaClassDeserializer<T>, T>(KafkaClassDeserializer<T>(class_name, configuration));
  }
  /// A schema for values.
  template <class S>
    requires DeserializationSchemaFor<S, T>
  static auto value_only(S schema) {
    return ValueOnlySchema<S, T>(std::move(schema));
  }
};

}  // namespace yeoul
