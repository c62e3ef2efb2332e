#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "yeoul/state/hashmap/hashmap_backend.h"

namespace yeoul {

/// The frozen tables of one key group until their bytes are written, which happens once. Threads: write_early the
/// task's; take any other.
class GroupSnapshot {
 public:
  explicit GroupSnapshot(HashMapBackend::Group tables);
  ~GroupSnapshot();
  GroupSnapshot(const GroupSnapshot&) = delete;
  GroupSnapshot& operator=(const GroupSnapshot&) = delete;

  /// Writes the bytes and thaws the tables, unless that has been done or another thread is doing it.
  void write_early();
  /// The bytes, written here or early; empty when the group holds nothing. Once.
  std::string take();

 private:
  enum class State : uint8_t { kFrozen, kWriting, kWritten };

  bool try_write();
  void thaw();

  HashMapBackend::Group tables_;
  std::atomic<State> state_{State::kFrozen};
  std::string bytes_;
};

/// All groups of a snapshot; the backend knows it as long as it is held.
struct SnapshotGroups {
  std::deque<GroupSnapshot> groups;
};

/// Threads: made on the task's, then any one.
class HashMapSnapshot final : public KeyedSnapshot {
 public:
  HashMapSnapshot(KeyGroupRange range, std::shared_ptr<SnapshotGroups> groups,
                  std::vector<StateDescriptor> descriptors);

  const std::vector<StateDescriptor>& descriptors() const override { return descriptors_; }
  std::string write_group(int key_group) const override;

 private:
  KeyGroupRange range_;
  std::shared_ptr<SnapshotGroups> groups_;
  std::vector<StateDescriptor> descriptors_;
};

}  // namespace yeoul
