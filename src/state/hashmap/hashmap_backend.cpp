#include "yeoul/state/hashmap/hashmap_backend.h"

#include "yeoul/common/error.h"
#include "yeoul/common/hash.h"

namespace yeoul {

class HashMapBackend::Store {
 public:
  Store(HashMapBackend& backend, uint32_t state, const CellType& cell)
      : backend_(backend), state_(state), cell_(cell) {}
  virtual ~Store() = default;
  virtual std::shared_ptr<StateTable> make_table() const = 0;

 protected:
  template <class Table>
  Table& writable(Slot slot) {
    return static_cast<Table&>(backend_.writable(slot.group, state_));
  }
  template <class Table>
  const Table* readable(Slot slot) const {
    return static_cast<const Table*>(backend_.readable(slot.group, state_));
  }

  HashMapBackend& backend_;
  uint32_t state_;
  CellType cell_;
};

class HashMapBackend::ValueStore final : public Store, public ValueStateStore {
 public:
  using Store::Store;
  std::shared_ptr<StateTable> make_table() const override { return std::make_shared<ValueTable>(cell_); }
  void cells(std::span<const Slot> slots, std::span<void*> out) override {
    for (size_t i = 0; i < slots.size(); ++i) out[i] = writable<ValueTable>(slots[i]).cell(slots[i].index);
  }
};

class HashMapBackend::MapStore final : public Store, public MapStateStore {
 public:
  using Store::Store;
  std::shared_ptr<StateTable> make_table() const override { return std::make_shared<MapTable>(cell_); }

  void entries(std::span<const Slot> slots, std::span<const std::string_view> keys, bool create,
               std::span<void*> out) override {
    // In runs, so that the cache lines a row needs are on their way while its forerunners are looked up.
    constexpr size_t kRun = 32;
    uint32_t hashes[kRun];
    uint32_t guesses[kRun];
    MapTable* tables[kRun];
    for (size_t first = 0; first < slots.size(); first += kRun) {
      const size_t count = std::min(kRun, slots.size() - first);
      for (size_t i = 0; i < count; ++i) {
        const Slot slot = slots[first + i];
        tables[i] = &writable<MapTable>(slot);
        hashes[i] = MapTable::hash_of(slot.index, keys[first + i]);
        tables[i]->prefetch_index(hashes[i]);
      }
      for (size_t i = 0; i < count; ++i) guesses[i] = tables[i]->guess(hashes[i]);
      for (size_t i = 0; i < count; ++i) {
        const uint32_t row = slots[first + i].index;
        const std::string_view key = keys[first + i];
        void* cell = tables[i]->try_guess(guesses[i], row, key);
        if (!cell && create) cell = tables[i]->find_or_insert(row, key, hashes[i]);
        if (!cell && !create && guesses[i] != HashIndex::kNone) cell = tables[i]->find(row, key, hashes[i]);
        out[first + i] = cell;
      }
    }
  }
  void erase(Slot slot, std::string_view key) override { writable<MapTable>(slot).erase(slot.index, key); }
  bool empty(Slot slot) override {
    const auto* table = readable<MapTable>(slot);
    return !table || table->row_empty(slot.index);
  }
  void clear(Slot slot) override {
    if (!empty(slot)) writable<MapTable>(slot).clear_row(slot.index);
  }
  void for_each(Slot slot, const std::function<bool(std::string_view, void*)>& visit) override {
    if (!empty(slot)) writable<MapTable>(slot).for_each(slot.index, visit);
  }
  bool first(Slot, std::string_view&) override { throw internal_error(9000, "first() of a map state: not sorted"); }
  bool last(Slot, std::string_view&) override { throw internal_error(9000, "last() of a map state: not sorted"); }
};

class HashMapBackend::SortedMapStore final : public Store, public MapStateStore {
 public:
  using Store::Store;
  std::shared_ptr<StateTable> make_table() const override { return std::make_shared<SortedMapTable>(cell_); }

  void entries(std::span<const Slot> slots, std::span<const std::string_view> keys, bool create,
               std::span<void*> out) override {
    for (size_t i = 0; i < slots.size(); ++i) {
      auto& table = writable<SortedMapTable>(slots[i]);
      out[i] = create ? table.find_or_insert(slots[i].index, keys[i]) : table.find(slots[i].index, keys[i]);
    }
  }
  void erase(Slot slot, std::string_view key) override { writable<SortedMapTable>(slot).erase(slot.index, key); }
  bool empty(Slot slot) override { return !sorted(slot); }
  void clear(Slot slot) override {
    if (!empty(slot)) writable<SortedMapTable>(slot).clear_row(slot.index);
  }
  void for_each(Slot slot, const std::function<bool(std::string_view, void*)>& visit) override {
    if (empty(slot)) return;
    const auto& table = writable<SortedMapTable>(slot);
    for (const auto& [key, cell] : *table.entries(slot.index)) {
      if (!visit(key, table.cell(cell))) return;
    }
  }
  bool first(Slot slot, std::string_view& key) override {
    const SortedMapTable::Entries* map = sorted(slot);
    if (map) key = map->begin()->first;
    return map != nullptr;
  }
  bool last(Slot slot, std::string_view& key) override {
    const SortedMapTable::Entries* map = sorted(slot);
    if (map) key = map->rbegin()->first;
    return map != nullptr;
  }

 private:
  /// Null when empty.
  const SortedMapTable::Entries* sorted(Slot slot) const {
    const auto* table = readable<SortedMapTable>(slot);
    const SortedMapTable::Entries* map = table ? table->entries(slot.index) : nullptr;
    return map && !map->empty() ? map : nullptr;
  }
};

class HashMapBackend::ListStore final : public Store, public ListStateStore {
 public:
  using Store::Store;
  std::shared_ptr<StateTable> make_table() const override { return std::make_shared<ListTable>(); }

  void append(Slot slot, std::string_view element) override { writable<ListTable>(slot).append(slot.index, element); }
  void for_each(Slot slot, const std::function<void(std::string_view)>& visit) override {
    const std::vector<std::string>* elements = list(slot);
    if (!elements) return;
    for (const std::string& element : *elements) visit(element);
  }
  size_t size(Slot slot) override {
    const std::vector<std::string>* elements = list(slot);
    return elements ? elements->size() : 0;
  }
  void clear(Slot slot) override {
    if (size(slot) != 0) writable<ListTable>(slot).clear_row(slot.index);
  }

 private:
  const std::vector<std::string>* list(Slot slot) const {
    const auto* table = readable<ListTable>(slot);
    return table ? table->list(slot.index) : nullptr;
  }
};

HashMapBackend::HashMapBackend(KeyGroupRange range, int max_parallelism)
    : range_(range), max_parallelism_(max_parallelism), groups_(static_cast<size_t>(range.size())), recent_(kRecent) {}

HashMapBackend::~HashMapBackend() = default;

template <class T, class Interface>
Interface& HashMapBackend::register_state(const StateDescriptor& descriptor, const CellType& cell) {
  for (const StateDescriptor& own : descriptors_) {
    YEOUL_CHECK(own.name != descriptor.name, "state '{}' is registered twice", own.name);
  }
  auto store = std::make_unique<T>(*this, static_cast<uint32_t>(stores_.size()), cell);
  Interface& result = *store;
  stores_.push_back(std::move(store));
  descriptors_.push_back(descriptor);
  for (Group& group : groups_) group.states.resize(stores_.size());
  return result;
}

ValueStateStore& HashMapBackend::value_state(const StateDescriptor& descriptor, const CellType& cell) {
  return register_state<ValueStore, ValueStateStore>(descriptor, cell);
}

MapStateStore& HashMapBackend::map_state(const StateDescriptor& descriptor, const CellType& cell) {
  if (descriptor.kind == StateKind::kSortedMap) return register_state<SortedMapStore, MapStateStore>(descriptor, cell);
  return register_state<MapStore, MapStateStore>(descriptor, cell);
}

ListStateStore& HashMapBackend::list_state(const StateDescriptor& descriptor) {
  return register_state<ListStore, ListStateStore>(descriptor, {});
}

KeyTable& HashMapBackend::writable_keys(uint32_t group) {
  std::shared_ptr<KeyTable>& keys = groups_[group].keys;
  if (!keys) {
    keys = std::make_shared<KeyTable>();
  } else if (keys->frozen()) {
    thaw(group);
    if (keys->frozen()) keys = std::make_shared<KeyTable>(*keys);
  }
  return *keys;
}

StateTable& HashMapBackend::writable(uint32_t group, uint32_t state) {
  std::shared_ptr<StateTable>& table = groups_[group].states[state];
  if (!table) {
    table = stores_[state]->make_table();
  } else if (table->frozen()) {
    thaw(group);
    if (table->frozen()) table = table->clone();
  }
  return *table;
}

Slot HashMapBackend::resolve_one(std::string_view key, uint64_t hash, bool create) {
  Recent& recent = recent_[hash % kRecent];
  if (recent.hash == hash && recent.slot.exists()) {
    // The row may have been freed, even given to another key, since: only its bytes tell.
    const KeyTable& keys = *groups_[recent.slot.group].keys;
    if (keys.is(recent.slot.index, key)) return recent.slot;
  }
  Slot slot;
  const int key_group = key_group_of(key, max_parallelism_);
  YEOUL_CHECK(range_.contains(key_group), "a key of key group {} at the subtask of [{}, {}]", key_group, range_.first,
              range_.last);
  slot.group = static_cast<uint32_t>(key_group - range_.first);
  if (const KeyTable* keys = groups_[slot.group].keys.get()) slot.index = keys->find(key, hash);
  if (!slot.exists() && create) slot.index = writable_keys(slot.group).insert(key, hash);
  if (slot.exists()) recent = {hash, slot};
  return slot;
}

void HashMapBackend::resolve(const CanonicalKeys& keys, bool create, std::span<Slot> out) {
  const size_t count = keys.size();
  YEOUL_CHECK(out.size() == count, "{} slots for {} keys", out.size(), count);
  hashes_.resize(count);
  for (size_t i = 0; i < count; ++i) hashes_[i] = hash_bytes(keys[i]);
  for (size_t i = 0; i < count; ++i) {
    if (i != 0 && hashes_[i] == hashes_[i - 1] && out[i - 1].exists() && keys[i] == keys[i - 1]) {
      out[i] = out[i - 1];
    } else {
      out[i] = resolve_one(keys[i], hashes_[i], create);
    }
  }
}

void HashMapBackend::remove(std::span<const Slot> slots) {
  removed_.insert(removed_.end(), slots.begin(), slots.end());
}

void HashMapBackend::end_batch() {
  for (const Slot slot : removed_) {
    Group& group = groups_[slot.group];
    if (!group.keys->live(slot.index)) continue;
    writable_keys(slot.group).erase(slot.index);
    for (uint32_t state = 0; state < stores_.size(); ++state) {
      if (group.states[state]) writable(slot.group, state).clear_row(slot.index);
    }
  }
  removed_.clear();
}

size_t HashMapBackend::num_keys() const {
  size_t count = 0;
  for (const Group& group : groups_) count += group.keys ? group.keys->size() : 0;
  return count;
}

void HashMapBackend::for_each_key(const std::function<void(std::string_view, Slot)>& visit) {
  for (uint32_t group = 0; group < groups_.size(); ++group) {
    const std::shared_ptr<KeyTable> keys = groups_[group].keys;
    if (!keys) continue;
    for (const uint32_t row : keys->live_rows()) visit(keys->key(row), Slot{group, row});
  }
}

std::unique_ptr<KeyedStateBackend> HashMapBackendFactory::create(KeyGroupRange range, int max_parallelism) const {
  return std::make_unique<HashMapBackend>(range, max_parallelism);
}

}  // namespace yeoul
