#include "yeoul/formats/debezium_json/debezium_json_format.h"

#include <optional>
#include <utility>

#include "yeoul/formats/json/json_format.h"

namespace yeoul {
namespace {

/// Flink's options: those of JSON, but without those of its decoder that events, which are read as trees of nodes, have
/// no use for.
std::vector<OptionSpec> option_specs() {
  std::vector<OptionSpec> specs = {
      {.key = "schema-include",
       .type = OptionType::kBoolean,
       .fallback = "false",
       .help = "Whether messages carry their schema, so that the event lies in the field 'payload'."}};
  for (const OptionSpec& spec : json_format_option_specs()) {
    if (spec.key != "fail-on-missing-field" && spec.key != "decode.json-parser.enabled") specs.push_back(spec);
  }
  return specs;
}

/// The JSON options among them; the others keep JSON's defaults. Events are read as trees of nodes, as Flink does.
JsonFormatOptions json_options(const Options& options) {
  OptionMap values = options.values();
  values.erase("schema-include");
  values.emplace("decode.json-parser.enabled", "false");
  return JsonFormatOptions::read(Options(options.owner(), json_format_option_specs(), std::move(values)));
}

constexpr size_t kBefore = 0;
constexpr size_t kAfter = 1;
constexpr size_t kOp = 2;

/// (before, after, op), each part with the columns of `row`.
Schema event_schema(const Schema& row) {
  const LogicalType part = LogicalType::row(row.fields());
  return Schema({{"before", part}, {"after", part}, {"op", LogicalType::string()}});
}

/// The kinds of the rows that one event gives: of its before, of its after.
struct EventRows {
  std::optional<RowKind> before;
  std::optional<RowKind> after;
};

class DebeziumJsonDecoder final : public Decoder {
 public:
  DebeziumJsonDecoder(const JsonFormatOptions& options, bool schema_include, const Schema& wanted)
      : ignore_errors_(options.ignore_parse_errors),
        message_(schema_include ? Schema({{"payload", LogicalType::row(event_schema(wanted).fields())}})
                                : event_schema(wanted)),
        json_(make_json_decoder(options, message_)) {}

  void decode(std::span<const Message> messages, DecodedRows& out) override {
    DecodedRows events;
    for (const RowField& field : message_.fields()) events.columns.emplace_back(field.type);
    json_->decode(messages, events);
    out.num_ignored += events.num_ignored;
    std::vector<ColumnPtr> parts;
    for (ColumnBuilder& builder : events.columns) parts.push_back(builder.finish());
    payload_ = parts.size() == 1 ? parts[0] : nullptr;
    if (payload_) parts = payload_->children();
    before_ = parts[kBefore];
    after_ = parts[kAfter];
    op_ = parts[kOp];
    auto error = events.errors.begin();
    for (size_t event = 0; event < events.num_rows(); ++event) {
      const uint32_t message = events.message_of_row[event];
      for (; error != events.errors.end() && error->message < message; ++error) out.errors.push_back(std::move(*error));
      append_event(messages[message], message, event, out);
    }
    out.errors.insert(out.errors.end(), std::move_iterator(error), std::move_iterator(events.errors.end()));
  }

 private:
  void append_event(const Message& message, uint32_t number, size_t event, DecodedRows& out) {
    EventRows rows;
    DecodeError error{.message = number, .field = {}, .reason = {}};
    if (!read_event(message, event, rows, error)) {
      if (ignore_errors_) {
        ++out.num_ignored;
      } else {
        out.errors.push_back(std::move(error));
      }
      return;
    }
    if (rows.before) append_row(*before_, event, *rows.before, number, out);
    if (rows.after) append_row(*after_, event, *rows.after, number, out);
  }

  static void append_row(const Column& part, size_t event, RowKind kind, uint32_t number, DecodedRows& out) {
    for (size_t i = 0; i < out.columns.size(); ++i) out.columns[i].append_from(part.child(i), event);
    out.kinds.push_back(kind);
    out.message_of_row.push_back(number);
  }

  bool read_event(const Message& message, size_t event, EventRows& rows, DecodeError& error) const {
    const auto fail = [&error](const char* field, std::string reason) {
      error.field = field;
      error.reason = std::move(reason);
      return false;
    };
    const std::string_view text = message.view();
    const size_t first = text.find_first_of("{[");
    if (text[first] == '[') {
      error.byte = static_cast<int64_t>(first);
      return fail("", "a change event is one JSON object, and this is an array");
    }
    if (payload_ && payload_->is_null(event)) {
      return fail("payload", "the field is missing, but 'debezium-json.schema-include' is true");
    }
    if (op_->is_null(event)) {
      return fail("op", payload_ || text.find("\"payload\"") == std::string_view::npos
                            ? "the field is missing: this is no change event"
                            : "the field is missing; where messages carry their schema, set "
                              "'debezium-json.schema-include' to 'true'");
    }
    const std::string_view op = op_->string_at(event);
    if (op == "c" || op == "r") {
      rows.after = RowKind::kInsert;
    } else if (op == "u") {
      rows = {RowKind::kUpdateBefore, RowKind::kUpdateAfter};
    } else if (op == "d") {
      rows.before = RowKind::kDelete;
    } else {
      return fail("op", fmt::format("unknown \"op\" value \"{}\"; known are c, r, u and d", op));
    }
    if (rows.before && before_->is_null(event)) {
      return fail("before", fmt::format("the \"before\" field of {} message is null; with Debezium's Postgres "
                                        "connector, set the table's REPLICA IDENTITY to FULL",
                                        op == "u" ? "an UPDATE" : "a DELETE"));
    }
    if (rows.after && after_->is_null(event)) return fail("after", "the \"after\" field is null");
    return true;
  }

  const bool ignore_errors_;
  const Schema message_;
  std::unique_ptr<Decoder> json_;
  // Of the call at hand:
  ColumnPtr payload_;  ///< null without schema-include
  ColumnPtr before_;
  ColumnPtr after_;
  ColumnPtr op_;
};

class DebeziumJsonEncoder final : public Encoder {
 public:
  DebeziumJsonEncoder(const JsonFormatOptions& options, const Schema& row)
      : event_(event_schema(row)), json_(make_json_encoder(options, event_)) {}

  void encode(const RowBatch& batch, std::span<const int> columns, EncodedRows& out) override {
    auto before = std::make_shared<Column>(event_[kBefore].type, batch.num_rows);
    auto after = std::make_shared<Column>(event_[kAfter].type, batch.num_rows);
    for (const int column : columns) {
      before->mutable_children().push_back(batch.columns[static_cast<size_t>(column)]);
      after->mutable_children().push_back(batch.columns[static_cast<size_t>(column)]);
    }
    ColumnBuilder op(event_[kOp].type);
    for (size_t row = 0; row < batch.num_rows; ++row) {
      const bool retracts = is_retraction(batch.kind(row));
      (retracts ? *after : *before).set_null(row);
      op.append_string(retracts ? "d" : "c");
    }
    static constexpr int kColumns[] = {0, 1, 2};
    json_->encode(RowBatch({std::move(before), std::move(after), op.finish()}, batch.num_rows), kColumns, out);
  }

 private:
  const Schema event_;
  std::unique_ptr<Encoder> json_;
};

class DebeziumJsonDecodingFormat final : public DecodingFormat {
 public:
  DebeziumJsonDecodingFormat(JsonFormatOptions options, bool schema_include)
      : options_(std::move(options)), schema_include_(schema_include) {}
  ChangelogMode changelog_mode() const override { return ChangelogMode::all(); }
  std::unique_ptr<Decoder> create_decoder(const Schema& wanted) const override {
    return std::make_unique<DebeziumJsonDecoder>(options_, schema_include_, wanted);
  }

 private:
  JsonFormatOptions options_;
  bool schema_include_;
};

class DebeziumJsonEncodingFormat final : public EncodingFormat {
 public:
  explicit DebeziumJsonEncodingFormat(JsonFormatOptions options) : options_(std::move(options)) {}
  ChangelogMode changelog_mode() const override { return ChangelogMode::all(); }
  std::unique_ptr<Encoder> create_encoder(const Schema& row) const override {
    return std::make_unique<DebeziumJsonEncoder>(options_, row);
  }

 private:
  JsonFormatOptions options_;
};

class DebeziumJsonFormatFactory final : public FormatFactory {
 public:
  std::string_view identifier() const override { return "debezium-json"; }
  std::span<const OptionSpec> options() const override { return options_; }
  std::unique_ptr<DecodingFormat> create_decoding(const Options& options, const FormatContext&) const override {
    return std::make_unique<DebeziumJsonDecodingFormat>(json_options(options), options.boolean("schema-include"));
  }
  std::unique_ptr<EncodingFormat> create_encoding(const Options& options, const FormatContext&) const override {
    if (options.boolean("schema-include")) {
      throw user_error(2013, "{}: 'debezium-json.schema-include' cannot be true for writing; remove it",
                       options.owner());
    }
    return std::make_unique<DebeziumJsonEncodingFormat>(json_options(options));
  }

 private:
  std::vector<OptionSpec> options_ = option_specs();
};

}  // namespace

std::unique_ptr<FormatFactory> make_debezium_json_format() {
  return std::make_unique<DebeziumJsonFormatFactory>();
}

}  // namespace yeoul
