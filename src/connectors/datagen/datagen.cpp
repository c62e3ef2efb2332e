#include "yeoul/connectors/datagen/datagen.h"

#include "yeoul/common/hash.h"
#include "yeoul/connectors/datagen/datagen_source.h"

namespace yeoul {
namespace {

constexpr OptionSpec kOptions[] = {
    {.key = "connector", .required = true},
    {.key = "rows-per-second", .type = OptionType::kLong, .fallback = "10000", .help = "Rows a second, in all."},
    {.key = "number-of-rows", .type = OptionType::kLong, .help = "Rows in all; without it the table is endless."},
    {.key = "scan.parallelism", .type = OptionType::kInt, .help = "Parallelism of the source."},
    {.key = "fields.",
     .type = OptionType::kMap,
     .help = "fields.<column>.kind, .min, .max, .max-past, .length, .var-len, .null-rate, .start, .end"},
};

class DatagenTable final : public TableSource {
 public:
  DatagenTable(DatagenPlan plan, std::optional<int> parallelism) : plan_(std::move(plan)), parallelism_(parallelism) {}
  bool bounded() const override { return plan_.rows.has_value(); }
  std::optional<int> parallelism() const override { return parallelism_; }

  std::shared_ptr<const Source> create_source(const ScanRequest& request) const override {
    DatagenPlan plan = plan_;
    plan.fields.clear();
    for (const int column : request.columns) plan.fields.push_back(plan_.fields[static_cast<size_t>(column)]);
    if (request.limit && (!plan.rows || *request.limit < *plan.rows)) plan.rows = *request.limit;
    return std::make_shared<DatagenSource>(std::move(plan));
  }

 private:
  DatagenPlan plan_;
  std::optional<int> parallelism_;
};

class DatagenFactory final : public TableFactory {
 public:
  std::string_view identifier() const override { return "datagen"; }
  std::unique_ptr<TableSink> create_table_sink(const TableContext&) const override { return nullptr; }

  std::unique_ptr<TableSource> create_table_source(const TableContext& context) const override {
    const std::string owner = fmt::format("table '{}' (connector 'datagen')", context.name);
    const Options options(owner, kOptions, context.options);
    DatagenPlan plan{.zone = context.zone};
    try {
      read_fields(context, plan);
      plan.rows_per_second = positive(options, "rows-per-second");
      if (options.has("number-of-rows")) plan.rows = positive(options, "number-of-rows");
    } catch (Error& error) {
      error.add_context(owner);
      throw;
    }
    for (const FieldGenerator& field : plan.fields) {
      const int64_t rows = field.sequence_rows();
      if (rows >= 0) plan.rows = std::min(rows, plan.rows.value_or(rows));
    }
    std::optional<int> parallelism;
    if (options.has("scan.parallelism")) parallelism = static_cast<int>(options.integer("scan.parallelism"));
    return std::make_unique<DatagenTable>(std::move(plan), parallelism);
  }

 private:
  static int64_t positive(const Options& options, std::string_view key) {
    const int64_t value = options.integer(key);
    if (value < 1) throw user_error(2010, "option '{}': {} is not positive", key, value);
    return value;
  }

  static void read_fields(const TableContext& context, DatagenPlan& plan) {
    std::vector<std::string> known;
    const uint64_t seed = hash_bytes(context.name);
    for (size_t i = 0; i < context.physical.size(); ++i) {
      const RowField& column = context.physical[i];
      plan.fields.push_back(FieldGenerator::read(column.name, column.type, context.options,
                                                 hash_u64(seed + hash_bytes(column.name)), known));
    }
    for (const auto& [key, text] : context.options) {
      if (!key.starts_with("fields.") || std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::string near = nearest_name(key, known);
      throw user_error(2011, "unknown option '{}'{}; it names no column of the table, or nothing that its type has",
                       key, near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
    }
  }
};

}  // namespace

std::unique_ptr<TableFactory> make_datagen_connector() {
  return std::make_unique<DatagenFactory>();
}

}  // namespace yeoul
