#include "yeoul/state/hashmap/hashmap_snapshot.h"

#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/common/hash.h"

// A key group's bytes: a version byte; the number of keys and their canonical bytes; the number of states, then for
// each its number among the descriptors and its bytes with their size in front, so that one that is not known can be
// passed over. A state's bytes hold its cells (entries, elements) key by key, in the keys' order.

namespace yeoul {

namespace {

constexpr uint8_t kVersion = 1;

template <class Function>
void for_each_table(const HashMapBackend::Group& group, Function&& function) {
  if (group.keys) function(static_cast<const Freezable&>(*group.keys));
  for (const auto& state : group.states) {
    if (state) function(static_cast<const Freezable&>(*state));
  }
}

std::string bytes_of(const HashMapBackend::Group& group) {
  if (!group.keys || group.keys->size() == 0) return {};
  const std::vector<uint32_t> rows = group.keys->live_rows();
  ByteWriter out;
  out.u8(kVersion);
  out.varint(rows.size());
  for (const uint32_t row : rows) out.string(group.keys->key(row));
  uint64_t states = 0;
  for (const auto& state : group.states) states += state != nullptr;
  out.varint(states);
  for (size_t i = 0; i < group.states.size(); ++i) {
    if (!group.states[i]) continue;
    ByteWriter section;
    section.reserve(group.states[i]->bytes_hint());
    group.states[i]->write(rows, section);
    out.varint(i);
    out.string(section.bytes());
  }
  return out.take();
}

}  // namespace

GroupSnapshot::GroupSnapshot(HashMapBackend::Group tables) : tables_(std::move(tables)) {
  for_each_table(tables_, [](const Freezable& table) { table.freeze(); });
}

GroupSnapshot::~GroupSnapshot() {
  thaw();
}

void GroupSnapshot::thaw() {
  for_each_table(tables_, [](const Freezable& table) { table.release(); });
  tables_ = {};
}

/// False when another thread has begun.
bool GroupSnapshot::try_write() {
  State expected = State::kFrozen;
  if (!state_.compare_exchange_strong(expected, State::kWriting, std::memory_order_acquire)) return false;
  State after = State::kFrozen;
  const auto leave = [&] {
    state_.store(after, std::memory_order_release);
    state_.notify_all();
  };
  try {
    bytes_ = bytes_of(tables_);
  } catch (...) {
    leave();
    throw;
  }
  thaw();
  after = State::kWritten;
  leave();
  return true;
}

void GroupSnapshot::write_early() {
  try_write();
}

std::string GroupSnapshot::take() {
  while (!try_write() && state_.load(std::memory_order_acquire) != State::kWritten) {
    state_.wait(State::kWriting, std::memory_order_acquire);
  }
  return std::move(bytes_);
}

HashMapSnapshot::HashMapSnapshot(KeyGroupRange range, std::shared_ptr<SnapshotGroups> groups,
                                 std::vector<StateDescriptor> descriptors)
    : range_(range), groups_(std::move(groups)), descriptors_(std::move(descriptors)) {}

std::string HashMapSnapshot::write_group(int key_group) const {
  YEOUL_CHECK(range_.contains(key_group), "key group {} of [{}, {}]", key_group, range_.first, range_.last);
  return groups_->groups[static_cast<size_t>(key_group - range_.first)].take();
}

std::unique_ptr<KeyedSnapshot> HashMapBackend::snapshot() {
  YEOUL_CHECK(removed_.empty(), "a snapshot within a batch");
  auto groups = std::make_shared<SnapshotGroups>();
  for (const Group& group : groups_) groups->groups.emplace_back(group);
  std::erase_if(snapshots_, [](const auto& snapshot) { return snapshot.expired(); });
  snapshots_.push_back(groups);
  return std::make_unique<HashMapSnapshot>(range_, std::move(groups), descriptors_);
}

/// Has the snapshots that hold a group write it now, so that its tables may be changed in place.
void HashMapBackend::thaw(uint32_t group) {
  for (const auto& snapshot : snapshots_) {
    if (const auto held = snapshot.lock()) held->groups[group].write_early();
  }
}

void HashMapBackend::restore_group(int key_group, std::string_view bytes,
                                   const std::vector<StateDescriptor>& descriptors,
                                   std::vector<std::string>& unmatched) {
  YEOUL_CHECK(range_.contains(key_group), "key group {} of [{}, {}]", key_group, range_.first, range_.last);
  if (bytes.empty()) return;
  const auto group = static_cast<uint32_t>(key_group - range_.first);
  ByteReader in(bytes);
  if (const uint8_t version = in.u8(); version != kVersion) {
    throw internal_error(6001, "keyed state of key group {} has version {}; this program reads version {}", key_group,
                         version, kVersion);
  }
  KeyTable& keys = writable_keys(group);
  std::vector<uint32_t> rows;
  for (uint64_t left = in.varint(); left != 0; --left) {
    const std::string_view key = in.string();
    const uint64_t hash = hash_bytes(key);
    if (key_group_of(key, max_parallelism_) != key_group || keys.find(key, hash) != HashIndex::kNone) {
      throw internal_error(6001, "stored bytes are damaged: a key that is not of key group {}, or twice", key_group);
    }
    rows.push_back(keys.insert(key, hash));
  }
  for (uint64_t left = in.varint(); left != 0; --left) {
    const uint64_t index = in.varint();
    const std::string_view section = in.string();
    if (index >= descriptors.size()) throw internal_error(6001, "stored bytes are damaged: state {} of none", index);
    read_state(group, rows, descriptors[index], section, unmatched);
  }
  if (!in.at_end()) throw internal_error(6001, "stored bytes are damaged: more than one key group's");
}

void HashMapBackend::read_state(uint32_t group, std::span<const uint32_t> rows, const StateDescriptor& stored,
                                std::string_view bytes, std::vector<std::string>& unmatched) {
  const auto same_name = [&](const StateDescriptor& own) { return own.name == stored.name; };
  const auto own = std::find_if(descriptors_.begin(), descriptors_.end(), same_name);
  if (own == descriptors_.end()) {
    if (std::find(unmatched.begin(), unmatched.end(), stored.name) == unmatched.end()) unmatched.push_back(stored.name);
    return;
  }
  if (!(*own == stored)) {
    throw user_error(6010,
                     "the checkpoint holds {} (codec version {}), but the query now needs {} (codec version {}); start "
                     "without this state, or with a query that keeps its type",
                     stored.to_string(), stored.codec_version, own->to_string(), own->codec_version);
  }
  ByteReader in(bytes);
  try {
    writable(group, static_cast<uint32_t>(own - descriptors_.begin())).read(rows, in);
  } catch (Error& error) {
    error.add_context(stored.to_string());
    throw;
  }
  if (!in.at_end()) throw internal_error(6001, "stored bytes are damaged: {} has bytes left over", stored.to_string());
}

}  // namespace yeoul
