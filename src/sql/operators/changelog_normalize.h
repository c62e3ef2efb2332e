#pragma once

#include <memory>
#include <vector>

#include "yeoul/runtime/operator.h"

namespace yeoul {

/// Makes a full changelog out of upserts and deletes by key (Flink's ChangelogNormalize): the last row of each key is
/// state; a row that equals it emits nothing, a delete carries the whole last row, a delete of an unknown key emits
/// nothing, an update of an unknown key is an insert.
struct ChangelogNormalizeSpec {
  Schema input;
  std::vector<int> keys;  ///< the primary key
  bool generate_update_before = true;
};

/// Keyed on `keys`.
std::shared_ptr<const OperatorFactory> make_changelog_normalize(ChangelogNormalizeSpec spec);

}  // namespace yeoul
