#include "yeoul/state/hashmap/hashmap_backend.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "yeoul/common/threads.h"

namespace yeoul {
namespace {

constexpr int kMaxParallelism = 128;

/// The layout of version 1; a change needs a new version and code that still reads this one.
constexpr std::string_view kGolden =
    "0101036b657905000805000000000000000103026869020b01016dffffffffffffffff03150201610100000000000000016202000000000000"
    "00040602017802797a";

CanonicalKeys keys_of(const std::vector<std::string>& keys) {
  CanonicalKeys result;
  result.offsets.push_back(0);
  for (const std::string& key : keys) {
    result.bytes += key;
    result.offsets.push_back(static_cast<uint32_t>(result.bytes.size()));
  }
  return result;
}

/// What a backend should hold, in the plainest way.
struct Model {
  struct PerKey {
    int64_t count = 0;
    std::string text;
    std::map<std::string, int64_t> map;
    std::map<std::string, int64_t> sorted;
    std::vector<std::string> list;
    bool operator==(const PerKey&) const = default;
  };
  std::map<std::string, PerKey> keys;
};

/// A backend with one state of every kind.
struct Subject {
  explicit Subject(KeyGroupRange range) : backend(range, kMaxParallelism) {
    count = &backend.value_state({.name = "count", .value_type = "BIGINT"}, cell_type<int64_t>());
    text = &backend.value_state({.name = "text", .value_type = "STRING"}, cell_type<std::string>());
    map = &backend.map_state({.name = "map", .kind = StateKind::kMap, .value_type = "BIGINT", .map_key_type = "STRING"},
                             cell_type<int64_t>());
    sorted = &backend.map_state(
        {.name = "sorted", .kind = StateKind::kSortedMap, .value_type = "BIGINT", .map_key_type = "STRING"},
        cell_type<int64_t>());
    list = &backend.list_state({.name = "list", .kind = StateKind::kList, .value_type = "STRING"});
  }

  Slot slot(const std::string& key, bool create) {
    Slot result;
    backend.resolve(keys_of({key}), create, {&result, 1});
    return result;
  }

  template <class T>
  T& value(ValueStateStore& store, Slot slot) {
    void* cell = nullptr;
    store.cells({&slot, 1}, {&cell, 1});
    return *static_cast<T*>(cell);
  }

  int64_t* entry(MapStateStore& store, Slot slot, std::string_view key, bool create) {
    void* cell = nullptr;
    store.entries({&slot, 1}, {&key, 1}, create, {&cell, 1});
    return static_cast<int64_t*>(cell);
  }

  Model contents() {
    Model model;
    backend.for_each_key([&](std::string_view key, Slot slot) {
      Model::PerKey& held = model.keys[std::string(key)];
      held.count = value<int64_t>(*count, slot);
      held.text = value<std::string>(*text, slot);
      const auto into = [](std::map<std::string, int64_t>& to) {
        return [&to](std::string_view key, void* cell) {
          to.emplace(key, *static_cast<int64_t*>(cell));
          return true;
        };
      };
      map->for_each(slot, into(held.map));
      sorted->for_each(slot, into(held.sorted));
      list->for_each(slot, [&](std::string_view element) { held.list.emplace_back(element); });
      std::string_view edge;
      EXPECT_EQ(sorted->first(slot, edge), !held.sorted.empty());
      if (!held.sorted.empty()) {
        EXPECT_EQ(edge, held.sorted.begin()->first);
        EXPECT_TRUE(sorted->last(slot, edge));
        EXPECT_EQ(edge, held.sorted.rbegin()->first);
      }
      EXPECT_EQ(map->empty(slot), held.map.empty());
    });
    backend.end_batch();
    return model;
  }

  HashMapBackend backend;
  ValueStateStore* count;
  ValueStateStore* text;
  MapStateStore* map;
  MapStateStore* sorted;
  ListStateStore* list;
};

/// A snapshot's bytes by key group.
std::vector<std::string> bytes_of(const KeyedSnapshot& snapshot) {
  std::vector<std::string> groups;
  for (int group = 0; group < kMaxParallelism; ++group) groups.push_back(snapshot.write_group(group));
  return groups;
}

/// Reads a snapshot's bytes into backends of `parallelism` subtasks and puts together what they hold.
Model restored(const std::vector<std::string>& groups, const std::vector<StateDescriptor>& descriptors,
               int parallelism) {
  Model all;
  for (int subtask = 0; subtask < parallelism; ++subtask) {
    const KeyGroupRange range = key_groups_of_subtask(subtask, kMaxParallelism, parallelism);
    Subject subject(range);
    std::vector<std::string> unmatched;
    for (int group = range.first; group <= range.last; ++group) {
      subject.backend.restore_group(group, groups[static_cast<size_t>(group)], descriptors, unmatched);
    }
    EXPECT_TRUE(unmatched.empty());
    all.keys.merge(subject.contents().keys);
  }
  return all;
}

std::string random_text(std::mt19937& random, int kinds) {
  const auto number = random() % static_cast<unsigned>(kinds);
  return number % 5 == 0 ? fmt::format("a key that is too long to lie in its entry {}", number)
                         : fmt::format("k{}", number);
}

void random_operation(std::mt19937& random, Subject& subject, Model& model) {
  const std::string key = random_text(random, 60);
  const std::string map_key = random_text(random, 40);
  const auto amount = static_cast<int64_t>(random() % 100);
  const bool known = model.keys.contains(key);
  const Slot found = subject.slot(key, false);
  ASSERT_EQ(found.exists(), known);
  const auto choice = random() % 12;
  if (choice == 0) {
    if (known) subject.backend.remove({&found, 1});
    model.keys.erase(key);
    subject.backend.end_batch();
    return;
  }
  const Slot slot = subject.slot(key, true);
  Model::PerKey& held = model.keys[key];
  if (choice < 3) subject.value<int64_t>(*subject.count, slot) += amount, held.count += amount;
  if (choice == 3) subject.value<std::string>(*subject.text, slot) = map_key, held.text = map_key;
  if (choice >= 4 && choice < 7)
    *subject.entry(*subject.map, slot, map_key, true) += amount, held.map[map_key] += amount;
  if (choice == 7) subject.map->erase(slot, map_key), held.map.erase(map_key);
  if (choice == 8) *subject.entry(*subject.sorted, slot, map_key, true) += amount, held.sorted[map_key] += amount;
  if (choice == 9) subject.sorted->erase(slot, map_key), held.sorted.erase(map_key);
  if (choice == 10) subject.list->append(slot, map_key), held.list.push_back(map_key);
  if (choice == 11 && amount < 20) {
    subject.map->clear(slot), held.map.clear();
    subject.sorted->clear(slot), held.sorted.clear();
    subject.list->clear(slot), held.list.clear();
  }
  subject.backend.end_batch();
}

TEST(HashMapBackend, HoldsWhatAPlainModelHoldsAndSnapshotsStayAsTheyWere) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    Subject subject({0, kMaxParallelism - 1});
    Model model;
    std::vector<std::pair<std::unique_ptr<KeyedSnapshot>, Model>> snapshots;
    for (int step = 0; step < 3000; ++step) {
      random_operation(random, subject, model);
      if (step % 500 == 250) snapshots.emplace_back(subject.backend.snapshot(), model);
      if (step % 1000 == 999) snapshots.erase(snapshots.begin());
    }
    EXPECT_EQ(subject.contents().keys, model.keys) << "seed " << seed;
    EXPECT_EQ(subject.backend.num_keys(), model.keys.size());
    for (const auto& [snapshot, at_that_time] : snapshots) {
      const std::vector<std::string> groups = bytes_of(*snapshot);
      for (const int parallelism : {1, 2, 5}) {
        EXPECT_EQ(restored(groups, snapshot->descriptors(), parallelism).keys, at_that_time.keys) << "seed " << seed;
      }
    }
  }
}

/// The task and the thread that stores a snapshot write its groups in turn, whoever comes first; meanwhile the task
/// goes on changing the state.
TEST(HashMapBackend, ASnapshotIsRightWhenTheTaskWritesMeanwhile) {
  std::mt19937 random(7);
  Subject subject({0, kMaxParallelism - 1});
  Model model;
  for (int round = 0; round < 50; ++round) {
    for (int step = 0; step < 50; ++step) random_operation(random, subject, model);
    const Model at_that_time = model;
    const std::unique_ptr<KeyedSnapshot> snapshot = subject.backend.snapshot();
    std::vector<std::string> groups;
    std::jthread storing = start_thread("storing", [&](const std::stop_token&) { groups = bytes_of(*snapshot); });
    for (int step = 0; step < 50; ++step) random_operation(random, subject, model);
    storing.join();
    ASSERT_EQ(restored(groups, snapshot->descriptors(), 2).keys, at_that_time.keys) << "round " << round;
    ASSERT_EQ(subject.contents().keys, model.keys) << "round " << round;
  }
}

TEST(HashMapBackend, AKeyThatRepeatsGetsOneSlot) {
  Subject subject({0, kMaxParallelism - 1});
  std::vector<Slot> slots(5);
  subject.backend.resolve(keys_of({"a", "a", "b", "a", ""}), true, slots);
  EXPECT_EQ(slots[0].index, slots[1].index);
  EXPECT_EQ(slots[0].group, slots[3].group);
  EXPECT_EQ(slots[0].index, slots[3].index);
  EXPECT_EQ(subject.backend.num_keys(), 3u);
  subject.backend.remove({slots.data(), 2});
  EXPECT_EQ(subject.backend.num_keys(), 3u) << "a removed key stays until the batch ends";
  subject.backend.end_batch();
  EXPECT_EQ(subject.backend.num_keys(), 2u);
  EXPECT_FALSE(subject.slot("a", false).exists());
}

TEST(HashMapBackend, AddressesStayWhileTheBatchAddsKeys) {
  Subject subject({0, kMaxParallelism - 1});
  const Slot first = subject.slot("first", true);
  int64_t& cell = subject.value<int64_t>(*subject.count, first);
  int64_t* entry = subject.entry(*subject.map, first, "m", true);
  cell = 7;
  *entry = 9;
  for (int i = 0; i < 20000; ++i) subject.value<int64_t>(*subject.count, subject.slot(fmt::format("{}", i), true)) = i;
  EXPECT_EQ(&cell, &subject.value<int64_t>(*subject.count, first));
  EXPECT_EQ(cell, 7);
  EXPECT_EQ(*entry, 9);
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

/// One key with something in every state.
std::pair<int, std::string> golden_group() {
  Subject subject({0, kMaxParallelism - 1});
  const Slot slot = subject.slot("key", true);
  subject.value<int64_t>(*subject.count, slot) = 5;
  subject.value<std::string>(*subject.text, slot) = "hi";
  *subject.entry(*subject.map, slot, "m", true) = -1;
  *subject.entry(*subject.sorted, slot, "b", true) = 2;
  *subject.entry(*subject.sorted, slot, "a", true) = 1;
  subject.list->append(slot, "x");
  subject.list->append(slot, "yz");
  subject.backend.end_batch();
  const int group = key_group_of("key", kMaxParallelism);
  return {group, subject.backend.snapshot()->write_group(group)};
}

TEST(HashMapBackend, StoredBytesAreGolden) {
  EXPECT_EQ(hex(golden_group().second), kGolden);
}

TEST(HashMapBackend, DamagedBytesAreAnError) {
  const auto [group, bytes] = golden_group();
  const std::vector<StateDescriptor> descriptors = Subject({0, kMaxParallelism - 1}).backend.snapshot()->descriptors();
  const auto restore = [&](const std::string& damaged) {
    Subject subject({0, kMaxParallelism - 1});
    std::vector<std::string> unmatched;
    subject.backend.restore_group(group, damaged, descriptors, unmatched);
  };
  restore(bytes);
  for (size_t size = 1; size < bytes.size(); ++size) EXPECT_THROW(restore(bytes.substr(0, size)), Error) << size;
  EXPECT_THROW(restore(bytes + "x"), Error);
  // Any byte may be wrong: an error or other values, but nothing worse.
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      try {
        restore(damaged);
      } catch (const Error& error) {
        EXPECT_NE(error.code(), 0);
      }
    }
  }
}

TEST(HashMapBackend, ReportsStatesThatNobodyRegisteredAndRefusesOtherTypes) {
  const auto [group, bytes] = golden_group();
  const std::vector<StateDescriptor> descriptors = Subject({0, kMaxParallelism - 1}).backend.snapshot()->descriptors();
  std::vector<std::string> unmatched;

  HashMapBackend fewer({0, kMaxParallelism - 1}, kMaxParallelism);
  ValueStateStore& count = fewer.value_state({.name = "count", .value_type = "BIGINT"}, cell_type<int64_t>());
  ValueStateStore& added = fewer.value_state({.name = "added", .value_type = "BIGINT"}, cell_type<int64_t>());
  fewer.restore_group(group, bytes, descriptors, unmatched);
  EXPECT_EQ(unmatched, (std::vector<std::string>{"text", "map", "sorted", "list"}));
  fewer.for_each_key([&](std::string_view key, Slot slot) {
    void* cell = nullptr;
    count.cells({&slot, 1}, {&cell, 1});
    EXPECT_EQ(key, "key");
    EXPECT_EQ(*static_cast<int64_t*>(cell), 5);
    added.cells({&slot, 1}, {&cell, 1});
    EXPECT_EQ(*static_cast<int64_t*>(cell), 0);
  });

  HashMapBackend other({0, kMaxParallelism - 1}, kMaxParallelism);
  other.value_state({.name = "count", .value_type = "STRING"}, cell_type<std::string>());
  try {
    other.restore_group(group, bytes, descriptors, unmatched);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 6010);
    EXPECT_NE(error.message().find("'count'"), std::string::npos) << error.message();
  }
}

TEST(HashMapBackend, DescriptorsGoThroughBytes) {
  const StateDescriptor descriptor{"COUNT(DISTINCT user_id)", StateKind::kMap, "BIGINT", "STRING", 3};
  ByteWriter out;
  descriptor.write(out);
  ByteReader in(out.bytes());
  EXPECT_EQ(StateDescriptor::read(in), descriptor);
  EXPECT_TRUE(in.at_end());
}

}  // namespace
}  // namespace yeoul
