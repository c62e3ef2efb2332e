#include "yeoul/connectors/api/table_factory.h"

#include "yeoul/common/registry.h"

namespace yeoul {
namespace {

/// The checked options of one format of a table, keys without prefix.
Options format_options(const TableContext& context, const FormatFactory& factory, std::string_view prefix) {
  const std::string full = fmt::format("{}{}.", prefix, factory.identifier());
  OptionMap own;
  for (const auto& [key, text] : context.options) {
    if (key.starts_with(full)) own.emplace(key.substr(full.size()), text);
  }
  return Options(fmt::format("table '{}' (format '{}', options '{}…')", context.name, factory.identifier(), full),
                 factory.options(), std::move(own));
}

const FormatFactory* format_factory(const TableContext& context, std::string_view format_key) {
  const auto it = context.options.find(format_key);
  if (it == context.options.end()) return nullptr;
  try {
    return &context.formats->find(it->second);
  } catch (Error& error) {
    error.add_context(fmt::format("table '{}': option '{}'", context.name, format_key));
    throw;
  }
}

}  // namespace

const TableFactory& ConnectorRegistry::find(std::string_view identifier) const {
  static constexpr std::string_view kToCome[] = {
      "dynamodb",     "elasticsearch-6", "elasticsearch-7", "elasticsearch-8",
      "firehose",     "hbase-1.4",       "hbase-2.2",       "jdbc",
      "kinesis",      "mongodb",         "mysql-cdc",       "opensearch",
      "opensearch-2", "postgres-cdc",    "pulsar",          "sqs"};
  return find_registered(factories_, 2021, "connector", identifier, kToCome);
}

std::unique_ptr<DecodingFormat> create_decoding_format(const TableContext& context, std::string_view format_key,
                                                       std::string_view prefix) {
  const FormatFactory* factory = format_factory(context, format_key);
  if (factory == nullptr) return nullptr;
  return factory->create_decoding(format_options(context, *factory, prefix), {context.zone, context.name});
}

std::unique_ptr<EncodingFormat> create_encoding_format(const TableContext& context, std::string_view format_key,
                                                       std::string_view prefix) {
  const FormatFactory* factory = format_factory(context, format_key);
  if (factory == nullptr) return nullptr;
  return factory->create_encoding(format_options(context, *factory, prefix), {context.zone, context.name});
}

OptionMap without_format_options(
    const TableContext& context,
    std::span<const std::pair<std::string_view, std::string_view>> format_keys_and_prefixes) {
  OptionMap rest = context.options;
  for (const auto& [format_key, prefix] : format_keys_and_prefixes) {
    const auto it = context.options.find(format_key);
    if (it == context.options.end()) continue;
    const std::string full = fmt::format("{}{}.", prefix, it->second);
    std::erase_if(rest, [&](const auto& entry) { return entry.first.starts_with(full); });
  }
  return rest;
}

}  // namespace yeoul
