#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yeoul {

/// One value of a JSON text, as a tree.
struct JsonNode {
  enum class Kind : uint8_t { kNull, kTrue, kFalse, kInteger, kFraction, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::string text;                ///< of a string without escapes; of a number as Java's BigDecimal writes it
  std::vector<std::string> names;  ///< of an object's fields, in the text's order; of equal names the last value counts
  std::vector<JsonNode> children;  ///< elements, or the fields' values

  bool is_scalar() const { return kind < Kind::kArray && kind != Kind::kNull; }
  const JsonNode* field(std::string_view name) const;
  /// The value of a field, new or emptied.
  JsonNode& add_field(std::string name);
};

/// Parses the first value of the text, as Jackson does; what follows it is not looked at. False where it is no JSON.
bool parse_json(std::string_view text, JsonNode& out, std::string& error);

/// The node as Flink's SQL functions write it: no blanks, fields sorted by name.
void append_json(const JsonNode& node, std::string& out);
/// The string in quotes with JSON's escapes; other characters stay as they are.
void append_json_text(std::string_view text, std::string& out);
/// A number as java.math.BigDecimal.toString writes it ("0.10", "1E+400").
std::string big_decimal_text(std::string_view number);
/// Reads what stands between a JSON string's quotes. False at a broken escape.
bool append_unescaped(std::string_view raw, std::string& out);

}  // namespace yeoul
