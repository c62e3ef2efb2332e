#pragma once

#include <string_view>

#include "yeoul/common/options.h"

namespace yeoul {

/// Reads the text of Flink's `config.yaml` or of its older `flink-conf.yaml`: nested keys are joined by dots, lists by
/// semicolons, and a key without a value is not set. Of YAML it knows what such files are made of: mappings and lists
/// by indentation, lists in brackets, plain and quoted values, comments.
/// @throws user error 2010 naming the line, for what it does not know or a key that comes twice; never quotes a value
OptionMap parse_config_text(std::string_view text);

}  // namespace yeoul
