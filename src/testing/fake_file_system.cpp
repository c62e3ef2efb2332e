#include "yeoul/testing/fake_file_system.h"

#include <utility>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

Error power_lost(const std::string& path) {
  return external_error(5001, "cannot reach '{}': the power is gone", path);
}

Error missing(const std::string& what, const std::string& path) {
  return external_error(5001, "cannot {} '{}': No such file or directory", what, path);
}

}  // namespace

void FakeFileSystem::set_failure(std::function<bool(const std::string&, const std::string&)> failure) {
  const std::scoped_lock lock(mutex_);
  failure_ = std::move(failure);
}

void FakeFileSystem::lose_power_after(int64_t changes) {
  const std::scoped_lock lock(mutex_);
  changes_left_ = changes;
}

bool FakeFileSystem::lost_power() const {
  const std::scoped_lock lock(mutex_);
  return lost_power_;
}

bool FakeFileSystem::use_power(const std::string& path) {
  if (lost_power_) throw power_lost(path);
  if (changes_left_ < 0 || changes_left_-- > 0) return false;
  lost_power_ = true;
  return true;
}

void FakeFileSystem::check(const std::string& what, const std::string& path) {
  if (what != "write" && use_power(path)) throw power_lost(path);
  if (failure_ && failure_(what, path)) {
    throw external_error(5001, "cannot {} '{}': No space left on device", what, path);
  }
}

void FakeFileSystem::create_directories(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  if (entries_.contains(path)) return;
  check("create", path);
  for (std::string at = path; !at.empty(); at = folder_of(at)) entries_.try_emplace(at, Entry{.folder = true});
}

void FakeFileSystem::write_file(const std::string& path, std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  check("write", path);
  if (!folder_of(path).empty() && !entries_.contains(folder_of(path))) throw missing("create", path);
  const bool torn = use_power(path);
  entries_[path] = {.bytes = std::string(torn ? bytes.substr(0, bytes.size() / 2) : bytes)};
  if (torn) throw power_lost(path);
}

void FakeFileSystem::write_parts(const std::string& path, const std::function<std::string_view()>& next) {
  std::string bytes;
  for (std::string_view part = next(); !part.empty(); part = next()) bytes += part;
  write_file(path, bytes);
}

std::string FakeFileSystem::read_file(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  const auto it = entries_.find(path);
  if (it == entries_.end() || it->second.folder) throw missing("open", path);
  return it->second.bytes;
}

void FakeFileSystem::rename(const std::string& from, const std::string& to) {
  const std::scoped_lock lock(mutex_);
  check("rename", to);
  const auto it = entries_.find(from);
  if (it == entries_.end()) throw missing("rename", from);
  entries_[to] = std::move(it->second);
  entries_.erase(from);
}

void FakeFileSystem::sync_directory(const std::string& folder) {
  const std::scoped_lock lock(mutex_);
  check("sync", folder);
  const std::string path = late_syncs_ ? std::exchange(late_sync_, folder) : folder;
  std::erase_if(durable_,
                [&](const auto& entry) { return folder_of(entry.first) == path && !entries_.contains(entry.first); });
  for (const auto& [name, entry] : entries_) {
    if (folder_of(name) == path) durable_[name] = entry;
  }
}

bool FakeFileSystem::exists(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  return entries_.contains(path);
}

std::vector<std::string> FakeFileSystem::list(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) {
    if (folder_of(name) == path && name != path) names.push_back(name.substr(path.size() + 1));
  }
  return names;
}

void FakeFileSystem::remove_all(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  check("remove", path);
  std::erase_if(entries_, [&](const auto& entry) { return is_below(entry.first, path); });
}

void FakeFileSystem::take_back_unsynced(const std::function<bool()>& survives) {
  const auto same = [](const Entry& a, const Entry& b) { return a.folder == b.folder && a.bytes == b.bytes; };
  Entries left;
  for (const auto& [name, entry] : entries_) {
    const auto durable = durable_.find(name);
    if (durable != durable_.end() && same(durable->second, entry)) {
      left.emplace(name, entry);
    } else if (survives()) {
      left.emplace(name, entry);
    } else if (durable != durable_.end()) {
      left.emplace(name, durable->second);
    }
  }
  for (const auto& [name, entry] : durable_) {  // removed, or renamed to something else
    if (!entries_.contains(name) && !survives()) left.emplace(name, entry);
  }
  durable_ = std::move(left);
}

void FakeFileSystem::crash(const std::function<bool()>& survives) {
  const std::scoped_lock lock(mutex_);
  take_back_unsynced(survives);
  // A durable entry is reachable only through durable folders; the outermost ones were there before.
  const auto reachable = [&](const std::string& name) {
    for (std::string at = folder_of(name); !at.empty(); at = folder_of(at)) {
      if (!folder_of(at).empty() && !durable_.contains(at)) return false;
    }
    return true;
  };
  Entries left;
  for (const auto& [name, entry] : durable_) {
    if (!reachable(name)) continue;
    left.emplace(name, entry);
    for (std::string at = folder_of(name); !at.empty(); at = folder_of(at)) left.try_emplace(at, Entry{.folder = true});
  }
  entries_ = left;
  durable_ = std::move(left);
  changes_left_ = -1;
  lost_power_ = false;
  late_sync_.clear();
}

void FakeFileSystem::damage(const std::string& path, size_t position) {
  const std::scoped_lock lock(mutex_);
  std::string& bytes = entries_.at(path).bytes;
  bytes.at(position) = static_cast<char>(bytes[position] ^ 1);
}

}  // namespace yeoul
