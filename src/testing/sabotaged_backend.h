#pragma once

#include <memory>

#include "yeoul/state/api/keyed_state.h"
#include "yeoul/testing/planted_bug.h"
#include "yeoul/testing/seeded_random.h"

namespace yeoul {

/// Backends of another factory with a planted bug of keyed state: kLostTimer, kGroupLost, kGroupTwice or
/// kSnapshotNotFrozen.
class SabotagedBackendFactory final : public StateBackendFactory {
 public:
  SabotagedBackendFactory(const StateBackendFactory& factory, PlantedBug bug, uint64_t seed)
      : factory_(factory), bug_(bug), random_(seed) {}

  std::string_view identifier() const override { return factory_.identifier(); }
  std::unique_ptr<KeyedStateBackend> create(KeyGroupRange range, int max_parallelism) const override;

 private:
  const StateBackendFactory& factory_;
  PlantedBug bug_;
  mutable SeededRandom random_;
};

}  // namespace yeoul
