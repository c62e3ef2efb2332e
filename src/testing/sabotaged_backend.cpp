#include "yeoul/testing/sabotaged_backend.h"

#include <string>
#include <vector>

namespace yeoul {
namespace {

/// Reads the state when it is written, not as of the barrier, as long as the backend lives.
class LateSnapshot final : public KeyedSnapshot {
 public:
  explicit LateSnapshot(const std::shared_ptr<KeyedStateBackend>& backend)
      : backend_(backend), timely_(backend->snapshot()) {}
  const std::vector<StateDescriptor>& descriptors() const override { return timely_->descriptors(); }
  std::string write_group(int key_group) const override {
    const auto backend = backend_.lock();
    return backend ? backend->snapshot()->write_group(key_group) : timely_->write_group(key_group);
  }

 private:
  std::weak_ptr<KeyedStateBackend> backend_;
  std::unique_ptr<KeyedSnapshot> timely_;
};

class SabotagedBackend final : public KeyedStateBackend {
 public:
  SabotagedBackend(std::unique_ptr<KeyedStateBackend> backend, KeyGroupRange range, PlantedBug bug,
                   SeededRandom& random)
      : backend_(std::move(backend)), range_(range), bug_(bug), random_(random) {}

  ValueStateStore& value_state(const StateDescriptor& descriptor, const CellType& cell) override {
    return backend_->value_state(descriptor, cell);
  }
  MapStateStore& map_state(const StateDescriptor& descriptor, const CellType& cell) override {
    MapStateStore& store = backend_->map_state(descriptor, cell);
    if (descriptor.kind == StateKind::kSortedMap) timers_ = &store;
    return store;
  }
  ListStateStore& list_state(const StateDescriptor& descriptor) override { return backend_->list_state(descriptor); }
  const std::vector<StateDescriptor>& descriptors() const override { return backend_->descriptors(); }
  void resolve(const CanonicalKeys& keys, bool create, std::span<Slot> out) override {
    backend_->resolve(keys, create, out);
  }
  void remove(std::span<const Slot> slots) override { backend_->remove(slots); }
  void end_batch() override { backend_->end_batch(); }
  size_t num_keys() const override { return backend_->num_keys(); }
  void for_each_key(const std::function<void(std::string_view, Slot)>& visit) override {
    backend_->for_each_key(visit);
  }
  std::unique_ptr<KeyedSnapshot> snapshot() override {
    if (bug_ == PlantedBug::kSnapshotNotFrozen) return std::make_unique<LateSnapshot>(backend_);
    return backend_->snapshot();
  }

  void restore_group(int key_group, std::string_view bytes, const std::vector<StateDescriptor>& descriptors,
                     std::vector<std::string>& unmatched) override {
    if (bug_ == PlantedBug::kGroupLost && random_.chance(200)) return;
    backend_->restore_group(key_group, bytes, descriptors, unmatched);
    if (bug_ == PlantedBug::kGroupTwice) backend_->restore_group(key_group, bytes, descriptors, unmatched);
    if (bug_ == PlantedBug::kLostTimer && timers_ != nullptr && random_.chance(300)) {
      lose_timer(static_cast<uint32_t>(key_group - range_.first));
    }
  }

 private:
  void lose_timer(uint32_t group) {
    backend_->for_each_key([&](std::string_view, Slot slot) {
      std::string_view timer;
      if (slot.group == group && timers_->first(slot, timer)) timers_->erase(slot, std::string(timer));
    });
    backend_->end_batch();
  }

  std::shared_ptr<KeyedStateBackend> backend_;
  KeyGroupRange range_;
  PlantedBug bug_;
  SeededRandom& random_;
  MapStateStore* timers_ = nullptr;
};

}  // namespace

std::unique_ptr<KeyedStateBackend> SabotagedBackendFactory::create(KeyGroupRange range, int max_parallelism) const {
  return std::make_unique<SabotagedBackend>(factory_.create(range, max_parallelism), range, bug_, random_);
}

}  // namespace yeoul
