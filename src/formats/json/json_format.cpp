#include "yeoul/formats/json/json_format.h"

namespace yeoul {
namespace {

constexpr OptionSpec kOptions[] = {
    {.key = "fail-on-missing-field",
     .type = OptionType::kBoolean,
     .fallback = "false",
     .help = "Whether a record without one of the table's fields is an error."},
    {.key = "ignore-parse-errors",
     .type = OptionType::kBoolean,
     .fallback = "false",
     .help = "Whether a field that cannot be read becomes NULL, and a record that is no JSON is dropped."},
    {.key = "timestamp-format.standard",
     .type = OptionType::kEnum,
     .fallback = "SQL",
     .help = "How timestamps are written: 'SQL' or 'ISO-8601'.",
     .values = "SQL|ISO-8601"},
    {.key = "map-null-key.mode",
     .type = OptionType::kEnum,
     .fallback = "FAIL",
     .help = "What to do when a map with a NULL key is written.",
     .values = "FAIL|DROP|LITERAL"},
    {.key = "map-null-key.literal", .fallback = "null", .help = "The key written instead, with mode LITERAL."},
    {.key = "encode.decimal-as-plain-number",
     .type = OptionType::kBoolean,
     .fallback = "false",
     .help = "Whether decimals are never written in scientific notation."},
    {.key = "encode.ignore-null-fields",
     .type = OptionType::kBoolean,
     .fallback = "false",
     .help = "Whether fields that are NULL are left out."},
    {.key = "decode.json-parser.enabled",
     .type = OptionType::kBoolean,
     .fallback = "true",
     .help = "Whether records are read as a stream of tokens; else as Flink's trees of nodes read them."},
};

class JsonDecodingFormat final : public DecodingFormat {
 public:
  explicit JsonDecodingFormat(JsonFormatOptions options) : options_(std::move(options)) {}
  std::unique_ptr<Decoder> create_decoder(const Schema& wanted) const override {
    return make_json_decoder(options_, wanted);
  }

 private:
  JsonFormatOptions options_;
};

class JsonEncodingFormat final : public EncodingFormat {
 public:
  explicit JsonEncodingFormat(JsonFormatOptions options) : options_(std::move(options)) {}
  std::unique_ptr<Encoder> create_encoder(const Schema& row) const override { return make_json_encoder(options_, row); }

 private:
  JsonFormatOptions options_;
};

class JsonFormatFactory final : public FormatFactory {
 public:
  std::string_view identifier() const override { return "json"; }
  std::span<const OptionSpec> options() const override { return kOptions; }
  std::unique_ptr<DecodingFormat> create_decoding(const Options& options, const FormatContext&) const override {
    return std::make_unique<JsonDecodingFormat>(JsonFormatOptions::read(options));
  }
  std::unique_ptr<EncodingFormat> create_encoding(const Options& options, const FormatContext&) const override {
    return std::make_unique<JsonEncodingFormat>(JsonFormatOptions::read(options));
  }
};

}  // namespace

JsonFormatOptions JsonFormatOptions::read(const Options& options) {
  JsonFormatOptions read;
  read.fail_on_missing_field = options.boolean("fail-on-missing-field");
  read.ignore_parse_errors = options.boolean("ignore-parse-errors");
  if (read.fail_on_missing_field && read.ignore_parse_errors) {
    throw user_error(2013,
                     "{}: 'fail-on-missing-field' and 'ignore-parse-errors' cannot both be true; set one to false",
                     options.owner());
  }
  if (options.text("timestamp-format.standard") == "ISO-8601") read.timestamp_standard = TimestampStandard::kIso8601;
  const std::string mode = options.text("map-null-key.mode");
  read.map_null_key_mode = mode == "DROP"      ? MapNullKeyMode::kDrop
                           : mode == "LITERAL" ? MapNullKeyMode::kLiteral
                                               : MapNullKeyMode::kFail;
  read.map_null_key_literal = options.text("map-null-key.literal");
  read.encode_decimal_as_plain_number = options.boolean("encode.decimal-as-plain-number");
  read.encode_ignore_null_fields = options.boolean("encode.ignore-null-fields");
  read.decode_json_parser_enabled = options.boolean("decode.json-parser.enabled");
  return read;
}

std::vector<RowField> json_children(const LogicalType& type, std::string_view column) {
  switch (type.root()) {
    case TypeRoot::kTimestampTz:
    case TypeRoot::kRaw:
    case TypeRoot::kVariant:
    case TypeRoot::kSymbol:
      throw user_error(2014, "column '{}': format 'json' has no form for type {}", column, type.to_string());
    case TypeRoot::kMap:
    case TypeRoot::kMultiset:
      if (!type.child(0).is_string()) {
        throw user_error(2014, "column '{}': format 'json' needs string keys in a map, but the type is {}", column,
                         type.to_string());
      }
      return {{"", type.child(0)}, {"", type.is(TypeRoot::kMap) ? type.child(1) : LogicalType::integer()}};
    case TypeRoot::kArray:
      return {{"", type.child(0)}};
    case TypeRoot::kRow:
      return type.fields();
    default:
      return {};
  }
}

std::span<const OptionSpec> json_format_option_specs() {
  return kOptions;
}

std::unique_ptr<FormatFactory> make_json_format() {
  return std::make_unique<JsonFormatFactory>();
}

}  // namespace yeoul
