#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace yeoul {

/// Where a metric belongs: Flink's logical scope ("taskmanager.job.task.operator") and the variables that say which
/// one (job_name, subtask_index, …).
struct MetricScope {
  std::string name;
  std::vector<std::pair<std::string, std::string>> variables;
};

/// What a metric was worth when the report was made.
struct MetricValue {
  std::shared_ptr<const MetricScope> scope;
  std::string name;  ///< Flink's: "numRecordsIn"
  double value = 0;
};

using MetricReport = std::vector<MetricValue>;

}  // namespace yeoul
