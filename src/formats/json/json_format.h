#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/formats/api/format.h"
#include "yeoul/formats/json/json_values.h"

namespace yeoul {

/// What becomes of a map entry whose key is NULL: json.map-null-key.mode.
enum class MapNullKeyMode : uint8_t { kFail, kDrop, kLiteral };

/// The options of Flink's JSON format, read.
struct JsonFormatOptions {
  bool fail_on_missing_field = false;
  bool ignore_parse_errors = false;
  TimestampStandard timestamp_standard = TimestampStandard::kSql;
  MapNullKeyMode map_null_key_mode = MapNullKeyMode::kFail;
  std::string map_null_key_literal = "null";
  bool encode_decimal_as_plain_number = false;
  bool encode_ignore_null_fields = false;
  /// decode.json-parser.enabled. False: what a tree of nodes gives where it differs (equal keys: the last wins;
  /// fractions read as strings are doubles' text).
  bool decode_json_parser_enabled = true;

  /// @throws user error 2013 where options contradict each other.
  static JsonFormatOptions read(const Options& options);
};

/// Rows of `options` for a format that embeds JSON; see JsonFormatOptions.
std::span<const OptionSpec> json_format_option_specs();

/// @throws user error 2014 for a type that JSON cannot hold, naming the column.
std::unique_ptr<Decoder> make_json_decoder(const JsonFormatOptions& options, const Schema& wanted);
std::unique_ptr<Encoder> make_json_encoder(const JsonFormatOptions& options, const Schema& row);

/// The types within a type, as JSON nests them: of a map its keys and values, of an array its elements, of a row its
/// fields.
/// @throws user error 2014 for a type that has no form in JSON, naming the column.
std::vector<RowField> json_children(const LogicalType& type, std::string_view column);

/// The format 'json'.
std::unique_ptr<FormatFactory> make_json_format();

}  // namespace yeoul
