#include "yeoul/runtime/checkpoint_storage.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "yeoul/common/hash.h"
#include "yeoul/common/log.h"
#include "yeoul/runtime/checkpoint_metadata.h"
#include "yeoul/runtime/job.h"

namespace yeoul {
namespace {

constexpr std::string_view kPrefix = "chk-";
constexpr const char* kMetadata = "_metadata";
/// Locked while the job of a folder lives.
constexpr const char* kLock = "_lock";

/// Cleaning up must never keep a job from running.
template <class Call>
void warn_on_failure(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    log(LogLevel::kWarn, "checkpoint", "unfinished checkpoints stay behind: {}", error.to_string());
  }
}

/// The number of a checkpoint's folder; 0: it is not one.
int64_t id_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return 0;
  name.remove_prefix(kPrefix.size());
  int64_t id = 0;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), id);
  return code == std::errc() && end == name.data() + name.size() ? id : 0;
}

}  // namespace

std::string folder_name(std::string_view job_name) {
  std::string name(job_name);
  for (char& c : name) {
    if (c == '/' || c == '\0') c = '_';
  }
  if (name.empty() || name[0] == '.') name.insert(0, "_");
  // What file systems allow is 255 bytes; some are left for the turn of a shared name.
  constexpr size_t kLongest = 200;
  if (name.size() > kLongest) name = fmt::format("{}-{:08x}", name.substr(0, kLongest), crc32_of(name));
  return name;
}

CheckpointStorage::CheckpointStorage(FileSystem& files, const std::string& directory, const std::string& job_name,
                                     const std::string& job_id)
    : files_(files), folder_(directory + "/" + folder_name(job_name) + "/" + job_id) {
  parents_ = {directory, directory + "/" + folder_name(job_name), folder_};
}

std::string CheckpointStorage::path_of(int64_t checkpoint_id) const {
  return fmt::format("{}/{}{}", folder_, kPrefix, checkpoint_id);
}

int64_t CheckpointStorage::last_id() const {
  int64_t last = 0;
  for (const std::string& name : files_.list(folder_)) last = std::max(last, id_of(name));
  return last;
}

void CheckpointStorage::open(int64_t below_id) {
  warn_on_failure([&] {
    files_.create_directories(folder_);
    lock_ = files_.try_lock(folder_ + "/" + kLock);
    if (lock_) remove_unfinished_in(folder_, below_id);
    clean_up_after_others();
  });
}

void CheckpointStorage::clean_up_after_others() {
  const std::string& jobs = parents_[1];
  for (const std::string& job : files_.list(jobs)) {
    const std::string folder = jobs + "/" + job;
    const std::string lock = folder + "/" + kLock;
    if (folder == folder_ || !files_.exists(lock)) continue;
    const std::shared_ptr<const void> held = files_.try_lock(lock);
    if (!held) continue;  // that job is running
    remove_unfinished_in(folder, std::numeric_limits<int64_t>::max());
    files_.remove_all(lock);
  }
}

void CheckpointStorage::remove_unfinished(int64_t below_id) {
  warn_on_failure([&] { remove_unfinished_in(folder_, below_id); });
}

void CheckpointStorage::remove_unfinished_in(const std::string& folder, int64_t below_id) {
  for (const std::string& name : files_.list(folder)) {
    const int64_t id = id_of(name);
    const std::string path = folder + "/" + name;
    if (id <= 0 || id >= below_id || files_.exists(path + "/" + kMetadata)) continue;
    log(LogLevel::kInfo, "checkpoint", "removes '{}', which was never completed", path);
    files_.remove_all(path);
  }
}

void CheckpointStorage::close() {
  if (!lock_) return;
  warn_on_failure([this] {
    remove_unfinished_in(folder_, std::numeric_limits<int64_t>::max());
    files_.remove_all(folder_ + "/" + kLock);
    if (files_.list(folder_).empty()) files_.remove_all(folder_);
  });
  lock_.reset();
}

void CheckpointStorage::begin(int64_t checkpoint_id) {
  files_.create_directories(path_of(checkpoint_id));
}

void CheckpointStorage::write_state(int64_t checkpoint_id, const std::string& name,
                                    const std::function<std::string_view()>& next) {
  files_.write_parts(path_of(checkpoint_id) + "/" + name, next);
}

int64_t CheckpointStorage::complete(const Checkpoint& checkpoint) {
  const std::string path = path_of(checkpoint.id);
  const std::string bytes = encode_checkpoint(checkpoint);
  const std::string temporary = path + "/" + kMetadata + ".inprogress";
  files_.write_file(temporary, bytes);
  // Everything the rename makes visible must be durable before it: the files, and the folders down to them.
  files_.sync_directory(path);
  for (auto parent = parents_.rbegin(); parent != parents_.rend(); ++parent) files_.sync_directory(*parent);
  files_.rename(temporary, path + "/" + kMetadata);
  files_.sync_directory(path);
  return static_cast<int64_t>(bytes.size());
}

void CheckpointStorage::remove(int64_t checkpoint_id) {
  const std::string path = path_of(checkpoint_id);
  if (files_.exists(path + "/" + kMetadata)) {
    files_.remove_all(path + "/" + kMetadata);
    files_.sync_directory(path);
  }
  files_.remove_all(path);
}

Checkpoint read_checkpoint(FileSystem& files, std::string path) {
  if (path.ends_with(fmt::format("/{}", kMetadata))) path.resize(path.rfind('/'));
  const std::string metadata = path + "/" + kMetadata;
  if (!files.exists(metadata)) {
    throw user_error(6003,
                     "'{}' holds no complete checkpoint: there is no file '{}'; give the folder of a checkpoint, "
                     "such as …/chk-7 (`--restore latest` takes the newest, as does find_latest_checkpoint())",
                     path, kMetadata);
  }
  return decode_checkpoint(files.read_file(metadata), path);
}

namespace {

/// The newest complete checkpoint of any job in the folder of a name.
std::optional<Checkpoint> latest_below(FileSystem& files, const std::string& jobs) {
  std::optional<Checkpoint> latest;
  for (const std::string& job : files.list(jobs)) {
    for (const std::string& name : files.list(jobs + "/" + job)) {
      const std::string path = jobs + "/" + job + "/" + name;
      if (id_of(name) == 0 || !files.exists(path + "/" + kMetadata)) continue;
      try {
        Checkpoint checkpoint = read_checkpoint(files, path);
        if (!latest ||
            std::pair(checkpoint.completed_at_ms, checkpoint.id) > std::pair(latest->completed_at_ms, latest->id)) {
          latest = std::move(checkpoint);
        }
      } catch (const Error& error) {
        log(LogLevel::kWarn, "checkpoint", "passed over: {}", error.to_string());
      }
    }
  }
  return latest;
}

}  // namespace

std::optional<std::string> find_latest_checkpoint(FileSystem& files, const std::string& directory,
                                                  const std::string& job_name) {
  const std::optional<Checkpoint> latest = latest_below(files, directory + "/" + folder_name(job_name));
  return latest ? std::optional(latest->path) : std::nullopt;
}

std::vector<Checkpoint> find_latest_checkpoints(FileSystem& files, const std::string& directory,
                                                const std::string& job_name) {
  std::vector<Checkpoint> found;
  const std::string own = folder_name(job_name);
  for (const std::string& name : files.list(directory)) {
    const bool shares = name.starts_with(own + "-") && name.size() > own.size() + 1 &&
                        name.find_first_not_of("0123456789", own.size() + 1) == std::string::npos;
    if (name != own && !shares) continue;
    if (auto latest = latest_below(files, directory + "/" + name)) found.push_back(std::move(*latest));
  }
  return found;
}

}  // namespace yeoul
