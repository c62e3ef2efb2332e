#include "yeoul/connectors/kafka/kafka_table_factory.h"

#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/connectors/kafka/kafka_row_source.h"
#include "yeoul/connectors/kafka/record_decoder.h"

namespace yeoul {
namespace {

std::string_view value_format_key(const TableContext& context) {
  return context.options.contains("value.format") ? "value.format" : "format";
}
std::string_view value_format_prefix(const TableContext& context) {
  return context.options.contains("value.format") ? "value." : "";
}

/// The mode of a key format must be insert-only: a key changes nothing.
template <class Format>
void check_key_format(const TableContext& context, const Format& format) {
  if (format == nullptr || format->changelog_mode().is_insert_only()) return;
  throw user_error(2014, "table '{}': option 'key.format' = '{}': a changelog format cannot be the format of keys",
                   context.name, context.options.at("key.format"));
}

/// The columns at the given positions, under the names that a format sees.
Schema columns_of(const Schema& physical, const std::vector<int>& positions) {
  std::vector<RowField> fields;
  for (const int column : positions) fields.push_back(physical[static_cast<size_t>(column)]);
  return Schema(std::move(fields));
}
Schema key_columns_of(const Schema& physical, const KafkaTableLayout& layout) {
  std::vector<RowField> fields;
  for (const int column : layout.key_columns) {
    fields.push_back({layout.key_name(physical, column), physical[static_cast<size_t>(column)].type});
  }
  return Schema(std::move(fields));
}

/// Runs a check of what formats can do with their columns. @throws its error, naming the table
template <class Check>
void check_columns(const Options& options, std::string_view key, const Check& check) {
  try {
    check();
  } catch (Error& error) {
    error.add_context(fmt::format("{}: option '{}'", options.owner(), key));
    throw;
  }
}

/// Of a table whose format carries inserts only: its rows cannot replace one another.
void refuse_primary_key(const TableContext& context, const Options& options) {
  if (context.primary_key.empty()) return;
  throw user_error(2014,
                   "{}: a PRIMARY KEY needs a value format that carries changes; for rows that replace one another by "
                   "key use 'connector' = 'upsert-kafka'",
                   options.owner());
}

class KafkaTableSource : public TableSource {
 public:
  KafkaTableSource(const TableContext& context, KafkaTableKind kind)
      : name_(context.name), physical_(context.physical), upsert_(kind == KafkaTableKind::kUpsertKafka) {
    const Options options = kafka_table_options(context, kind);
    layout_ = kafka_table_layout(context, kind, options);
    config_ = kafka_source_config(context, kind, options);
    parallelism_ = kafka_parallelism(options, "scan.parallelism");
    value_format_ = create_decoding_format(context, value_format_key(context), value_format_prefix(context));
    key_format_ = create_decoding_format(context, "key.format", "key.");
    check_key_format(context, key_format_);
    const bool changelog = !value_format_->changelog_mode().is_insert_only();
    if (upsert_ && changelog) {
      throw user_error(2014,
                       "{}: option 'value.format': only an insert-only format fits, since upsert-kafka makes the "
                       "changelog itself",
                       options.owner());
    }
    if (!upsert_ && !changelog) refuse_primary_key(context, options);
    check_columns(options, value_format_key(context),
                  [&] { value_format_->create_decoder(columns_of(physical_, layout_.value_columns)); });
    if (!key_format_) return;
    check_columns(options, "key.format", [&] { key_format_->create_decoder(key_columns_of(physical_, layout_)); });
  }

  ChangelogMode changelog_mode() const override {
    if (!upsert_) return value_format_->changelog_mode();
    return ChangelogMode().with(RowKind::kUpdateAfter).with(RowKind::kDelete);
  }
  bool is_upsert() const override { return upsert_; }
  std::vector<MetadataColumn> metadata() const override { return kafka_metadata_columns(false); }
  bool bounded() const override { return config_->is_bounded(); }
  std::optional<int> parallelism() const override { return parallelism_; }

  std::shared_ptr<const Source> create_source(const ScanRequest& request) const override {
    auto plan = std::make_shared<DecodingPlan>();
    plan->table = name_;
    plan->upsert = upsert_;
    plan->keys_are_output = upsert_ || !layout_.value_has_key_columns;
    plan->skip_bad_records = config_->skip_bad_records;
    plan->value_format = value_format_;
    std::vector<RowField> values;
    std::vector<RowField> keys;
    for (const int column : request.columns) {
      const RowField& field = physical_[static_cast<size_t>(column)];
      const bool is_key =
          std::find(layout_.key_columns.begin(), layout_.key_columns.end(), column) != layout_.key_columns.end();
      if (is_key) keys.push_back({layout_.key_name(physical_, column), field.type});
      // A tombstone has its key columns in the key alone; elsewhere the value's content wins (KS-O28), but the key must
      // be one all the same (KS-O27).
      if (is_key && plan->keys_are_output) {
        plan->outputs.push_back({DecodingPlan::From::kKey, keys.size() - 1});
      } else {
        plan->outputs.push_back({DecodingPlan::From::kValue, values.size()});
        values.push_back(field);
      }
    }
    plan->key_format = key_format_;
    plan->value_columns = Schema(std::move(values));
    plan->key_columns = Schema(std::move(keys));
    for (const std::string& key : request.metadata) {
      const std::optional<KafkaMetadata> metadata = kafka_metadata_of(key);
      YEOUL_CHECK(metadata.has_value(), "metadata key '{}' was not offered", key);
      plan->outputs.push_back({DecodingPlan::From::kMetadata, plan->metadata.size()});
      plan->metadata.push_back(*metadata);
    }
    return std::make_shared<KafkaRowSource>(config_, std::move(plan));
  }

 private:
  std::string name_;
  Schema physical_;
  bool upsert_;
  KafkaTableLayout layout_;
  std::shared_ptr<const KafkaSourceConfig> config_;
  std::optional<int> parallelism_;
  std::shared_ptr<const DecodingFormat> value_format_;
  std::shared_ptr<const DecodingFormat> key_format_;
};

class KafkaTableSink : public TableSink {
 public:
  KafkaTableSink(const TableContext& context, KafkaTableKind kind)
      : physical_(context.physical), upsert_(kind == KafkaTableKind::kUpsertKafka) {
    const Options options = kafka_table_options(context, kind);
    layout_ = kafka_table_layout(context, kind, options);
    config_ = kafka_sink_config(context, kind, options);
    parallelism_ = kafka_parallelism(options, "sink.parallelism");
    config_.value_format = create_encoding_format(context, value_format_key(context), value_format_prefix(context));
    config_.key_format = create_encoding_format(context, "key.format", "key.");
    check_key_format(context, config_.key_format);
    if (upsert_ && !config_.value_format->changelog_mode().is_insert_only()) {
      throw user_error(2014,
                       "{}: option 'value.format': only an insert-only format fits, since upsert-kafka writes "
                       "deletes as null values",
                       options.owner());
    }
    if (!upsert_ && config_.value_format->changelog_mode().is_insert_only()) refuse_primary_key(context, options);
    config_.value_schema = columns_of(physical_, layout_.value_columns);
    config_.key_schema = key_columns_of(physical_, layout_);
    check_columns(options, value_format_key(context),
                  [&] { config_.value_format->create_encoder(config_.value_schema); });
    if (config_.key_format) {
      check_columns(options, "key.format", [&] { config_.key_format->create_encoder(config_.key_schema); });
    }
    config_.value_columns = layout_.value_columns;
    config_.key_columns = layout_.key_columns;
  }

  ChangelogMode accepted_mode(ChangelogMode query) const override {
    (void)query;
    return upsert_ ? ChangelogMode::upsert() : config_.value_format->changelog_mode();
  }
  std::vector<MetadataColumn> metadata() const override { return kafka_metadata_columns(config_.topics.size() > 1); }
  std::optional<int> parallelism() const override { return parallelism_; }

  std::shared_ptr<const Sink> create_sink(const std::vector<std::string>& metadata) const override {
    auto config = std::make_shared<KafkaSinkConfig>(config_);
    int column = static_cast<int>(physical_.size());
    for (const std::string& key : metadata) {
      const std::optional<KafkaMetadata> known = kafka_metadata_of(key);
      if (known == KafkaMetadata::kTopic) config->topic_column = column;
      if (known == KafkaMetadata::kTimestamp) config->timestamp_column = column;
      if (known == KafkaMetadata::kHeaders) config->headers_column = column;
      ++column;
    }
    if (config->topics.size() > 1 && !config->topic_column) {
      throw user_error(2014,
                       "{}: option 'topic' lists several topics, so the table needs a column `topic` STRING "
                       "METADATA that says where each row goes",
                       config->owner());
    }
    return std::make_shared<KafkaRowSink>(std::move(config));
  }

 private:
  Schema physical_;
  bool upsert_;
  KafkaTableLayout layout_;
  KafkaSinkConfig config_;
  std::optional<int> parallelism_;
};

}  // namespace

std::unique_ptr<TableSource> KafkaTableFactory::create_table_source(const TableContext& context) const {
  return std::make_unique<KafkaTableSource>(context, KafkaTableKind::kKafka);
}
std::unique_ptr<TableSink> KafkaTableFactory::create_table_sink(const TableContext& context) const {
  return std::make_unique<KafkaTableSink>(context, KafkaTableKind::kKafka);
}
std::unique_ptr<TableSource> UpsertKafkaTableFactory::create_table_source(const TableContext& context) const {
  return std::make_unique<KafkaTableSource>(context, KafkaTableKind::kUpsertKafka);
}
std::unique_ptr<TableSink> UpsertKafkaTableFactory::create_table_sink(const TableContext& context) const {
  return std::make_unique<KafkaTableSink>(context, KafkaTableKind::kUpsertKafka);
}

}  // namespace yeoul
