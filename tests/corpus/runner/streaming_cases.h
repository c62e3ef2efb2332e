#pragma once

#include <string>
#include <vector>

#include "verdict.h"

namespace yeoul {

/// A script and the file of what Flink answers.
struct StreamingCase {
  std::string id;
  std::string group;
  std::string sql_path;
  std::string expected_path;
};

/// All cases of a folder, by name.
std::vector<StreamingCase> read_streaming_cases(const std::string& folder);

/// @param data  the folder that ${DATA} stands for
Verdict run_streaming_case(const StreamingCase& one, const std::string& data);

}  // namespace yeoul
