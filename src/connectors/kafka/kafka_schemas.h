#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/formats/api/format.h"
#include "yeoul/kafka/client/consumer.h"

namespace yeoul {

/// A record as read from Kafka, for deserializers that look at more than its value. Views are valid during the call.
struct KafkaConsumerRecord {
  std::string_view topic;
  int32_t partition = 0;
  int64_t offset = 0;
  int64_t timestamp_ms = -1;  ///< -1: none
  TimestampType timestamp_type = TimestampType::kNone;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const FetchedHeader> headers;
};

/// UTF-8 texts, as they are.
struct SimpleStringSchema {
  using Type = std::string;
  std::string deserialize(std::string_view message) const { return std::string(message); }
  std::string_view serialize(const std::string& value) const { return value; }
};

/// Numbers as Kafka's own serializers write them (Short, Integer, Long, Float, Double): big-endian.
template <class T>
struct KafkaNumberSchema {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) >= 2, "Yeoul: numbers of 2, 4 or 8 bytes");
  using Type = T;

  T deserialize(std::string_view message) const {
    if (message.size() != sizeof(T)) {
      throw user_error(3001, "the value has {} bytes, not the {} of the number expected", message.size(), sizeof(T));
    }
    char bytes[sizeof(T)];
    for (size_t i = 0; i < sizeof(T); ++i) bytes[i] = message[sizeof(T) - 1 - i];
    return std::bit_cast<T>(bytes);
  }
  std::string serialize(T value) const {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    return {bytes.rbegin(), bytes.rend()};
  }
};

/// True for schemas with `void deserialize(std::string_view, std::vector<T>& out) const`, which append any number of
/// records.
template <class S, class T>
concept DeserializesInto =
    requires(const S& schema, std::string_view message, std::vector<T>& out) { schema.deserialize(message, out); };

/// True for those that also take a Message: they read it where it stands, some bytes behind its end too.
template <class S, class T>
concept DeserializesInPlace =
    requires(const S& schema, const Message& message, std::vector<T>& out) { schema.deserialize(message, out); };

/// True for schemas that append any number of records, and for schemas with `T deserialize(std::string_view) const`, or
/// one that gives an optional: nothing, no record.
template <class S, class T>
concept DeserializationSchemaFor = DeserializesInto<S, T> || requires(const S& schema, std::string_view message) {
  { schema.deserialize(message) } -> std::convertible_to<std::optional<T>>;
};

/// True for those that want to see null values, too: `deserialize(std::optional<std::string_view>) const`. The others
/// are not asked about them: such records are passed over.
template <class S>
concept DeserializesNull =
    requires(const S& schema, std::optional<std::string_view> message) { schema.deserialize(message); };

/// True for schemas with `void deserialize(const KafkaConsumerRecord&, std::vector<T>& out) const`.
template <class S, class T>
concept KafkaRecordDeserializationSchemaFor = requires(const S& schema, const KafkaConsumerRecord& record,
                                                       std::vector<T>& out) { schema.deserialize(record, out); };

/// What a serialization schema may give: text, or text or nothing, which is a null key or value.
template <class R>
inline constexpr bool kIsSerialized =
    std::is_convertible_v<R, std::string_view> || std::is_convertible_v<R, std::optional<std::string>>;

/// True for schemas with `serialize(const T&) const`, and functions, that give text or a std::optional of it.
template <class S, class T>
concept SerializationSchemaFor = requires(const S& schema, const T& value) {
  requires kIsSerialized<decltype(schema.serialize(value))>;
} || requires(const S& schema, const T& value) { requires kIsSerialized<decltype(schema(value))>; };

/// True for those that also write a whole batch: `serialize(std::span<const T>, EncodedRows& out) const` appends one
/// row for each.
template <class S, class T>
concept SerializesBatch =
    requires(const S& schema, std::span<const T> values, EncodedRows& out) { schema.serialize(values, out); };

template <class S, class T>
decltype(auto) call_serialize(const S& schema, const T& value) {
  if constexpr (std::is_invocable_v<const S&, const T&>) {
    return schema(value);
  } else {
    return schema.serialize(value);
  }
}

}  // namespace yeoul
