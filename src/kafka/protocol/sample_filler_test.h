#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "yeoul/kafka/protocol/api.h"

namespace yeoul {

/// How a sample message is filled.
enum class SampleKind { kFull, kSparse };

/// A message of any API by its table, with values that follow from nothing but the table: full ones have every field
/// set and two elements in each array, sparse ones have nulls and empty arrays where they may.
class SampleMessage {
 public:
  SampleMessage(const Api& api, bool request, int16_t version, SampleKind kind);

  const StructTable& table() const { return *table_; }
  const void* object() const { return object_.get(); }
  /// As Kafka's own JSON converters read it.
  std::string json() const;

 private:
  void fill(const StructTable& table, void* object);
  void fill_scalar(FieldType type, bool may_be_null, void* value);
  void print(const StructTable& table, const void* object, std::string& out) const;

  const StructTable* table_;
  int16_t version_;
  SampleKind kind_;
  int64_t next_ = 1;
  std::shared_ptr<void> object_;
};

/// A new object that a table describes, with its defaults.
std::shared_ptr<void> make_message(const Api& api, bool request);

}  // namespace yeoul
