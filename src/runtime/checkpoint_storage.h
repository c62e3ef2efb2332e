#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/file_system.h"
#include "yeoul/runtime/checkpoint.h"

namespace yeoul {

/// The checkpoints of one job on disk: `<directory>/<job name>/<job id>/chk-N`. One exists from the moment its
/// `_metadata` was renamed into place, after every file and folder was synced (D13). Blocks; for the I/O pool.
/// Thread-safe.
class CheckpointStorage {
 public:
  CheckpointStorage(FileSystem& files, const std::string& directory, const std::string& job_name,
                    const std::string& job_id);

  const std::string& folder() const { return folder_; }
  std::string path_of(int64_t checkpoint_id) const;
  /// The largest number of a checkpoint that has a folder; 0: none.
  int64_t last_id() const;
  /// Makes the job's folder and locks it, for as long as this lives; then removes checkpoints that were begun and never
  /// completed: of this job, and of jobs of the same name that ended without saying so (their lock is free). What is
  /// complete is never touched. A failure is only warned of.
  /// @param below_id  the job's own checkpoints from this number on are yet to come
  void open(int64_t below_id);
  /// The job's I/O has ended: removes what it left unfinished, and the lock.
  void close();
  /// Removes checkpoints of this job below the number that never completed.
  void remove_unfinished(int64_t below_id);
  /// Makes the folder of a checkpoint that begins.
  void begin(int64_t checkpoint_id);
  /// Writes a file of state. @param next  its parts, see FileSystem::write_parts()
  void write_state(int64_t checkpoint_id, const std::string& name, const std::function<std::string_view()>& next);
  /// Makes the checkpoint exist. Returns the bytes written.
  int64_t complete(const Checkpoint& checkpoint);
  /// Removes a checkpoint, complete or not; it never looks complete with files missing.
  void remove(int64_t checkpoint_id);

 private:
  void remove_unfinished_in(const std::string& folder, int64_t below_id);
  void clean_up_after_others();

  FileSystem& files_;
  std::string folder_;                ///< of the job
  std::vector<std::string> parents_;  ///< folders above, outermost first
  std::shared_ptr<const void> lock_;
};

/// A job name as a folder name.
std::string folder_name(std::string_view job_name);

/// Reads a checkpoint's `_metadata`. @param path  its folder, or that file itself
/// @throws user error 6003 when there is no complete checkpoint, external error 6002 when it is damaged, user error
///         6004 when it was written by a newer version.
Checkpoint read_checkpoint(FileSystem& files, std::string path);

}  // namespace yeoul
