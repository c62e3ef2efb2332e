#pragma once

#include <string>
#include <vector>

#include "yeoul/state/hashmap/hashmap_backend.h"

namespace yeoul {

/// Holds the tables of all groups as they were. Threads: made on the task's, then any one.
class HashMapSnapshot final : public KeyedSnapshot {
 public:
  HashMapSnapshot(KeyGroupRange range, std::vector<HashMapBackend::Group> groups,
                  std::vector<StateDescriptor> descriptors);
  ~HashMapSnapshot() override;

  const std::vector<StateDescriptor>& descriptors() const override { return descriptors_; }
  std::string write_group(int key_group) const override;

 private:
  KeyGroupRange range_;
  std::vector<HashMapBackend::Group> groups_;
  std::vector<StateDescriptor> descriptors_;
};

}  // namespace yeoul
