#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/connectors/api/source.h"
#include "yeoul/connectors/datagen/field_generator.h"

namespace yeoul {

/// What a datagen table makes.
struct DatagenPlan {
  std::vector<FieldGenerator> fields;
  /// Of all splits together; absent: endless.
  std::optional<int64_t> rows;
  int64_t rows_per_second = 10'000;
  TimeZone zone;
};

/// Generates rows. There are as many splits as subtasks at the first start; split i of n makes the rows i, i + n,
/// i + 2n…, and its position is how many it has made, so a restored job goes on with the next.
class DatagenSource final : public Source {
 public:
  explicit DatagenSource(DatagenPlan plan) : plan_(std::make_shared<DatagenPlan>(std::move(plan))) {}
  bool bounded() const override { return plan_->rows.has_value(); }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override;
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override;

 private:
  std::shared_ptr<const DatagenPlan> plan_;
};

}  // namespace yeoul
