#include <algorithm>
#include <deque>
#include <regex>
#include <set>

#include "yeoul/connectors/filesystem/file_paths.h"
#include "yeoul/connectors/filesystem/file_source.h"
#include "yeoul/connectors/filesystem/file_split.h"

namespace yeoul {
namespace {

class FileEnumerator final : public SplitEnumerator {
 public:
  FileEnumerator(std::shared_ptr<const FileSourcePlan> plan, SplitEnumeratorContext& context,
                 const std::optional<std::string>& restored)
      : plan_(std::move(plan)), context_(context) {
    if (!restored) return;
    ByteReader reader(*restored);
    if (const uint8_t version = reader.u8(); version != FileSplit::kVersion) {
      throw internal_error(6002, "the state of file source '{}' has version {}, which this program does not know",
                           plan_->table, version);
    }
    listed_ = reader.u8() != 0;
    for (uint64_t left = reader.varint(); left > 0; --left) known_.emplace(reader.string());
    for (uint64_t left = reader.varint(); left > 0; --left) {
      SourceSplit split;
      split.id = reader.string();
      split.bytes = reader.string();
      unassigned_.push_back(std::move(split));
    }
  }

  void start() override {
    if (listed_ && !plan_->monitor_interval_ms) return;
    context_.call_async(
        [this, plan = plan_]() -> std::function<void()> { return [this, files = list(*plan)] { take(files); }; },
        plan_->monitor_interval_ms.value_or(0));
  }

  /// Readers ask by themselves.
  void add_reader(int) override {}

  void handle_split_request(int subtask) override {
    if (std::find(waiting_.begin(), waiting_.end(), subtask) == waiting_.end()) waiting_.push_back(subtask);
    serve();
  }

  void add_splits_back(std::vector<SourceSplit> splits, int subtask) override {
    std::erase(waiting_, subtask);
    for (auto split = splits.rbegin(); split != splits.rend(); ++split) unassigned_.push_front(std::move(*split));
    serve();
  }

  std::string snapshot(int64_t) override {
    ByteWriter writer;
    writer.u8(FileSplit::kVersion);
    writer.u8(listed_ ? 1 : 0);
    // Only a source that looks again needs to know what it has seen.
    writer.varint(plan_->monitor_interval_ms ? known_.size() : 0);
    if (plan_->monitor_interval_ms) {
      for (const std::string& path : known_) writer.string(path);
    }
    writer.varint(unassigned_.size());
    for (const SourceSplit& split : unassigned_) {
      writer.string(split.id);
      writer.string(split.bytes);
    }
    return writer.take();
  }

 private:
  static std::vector<FoundFile> list(const FileSourcePlan& plan) {
    try {
      std::vector<FoundFile> files = find_files(plan.path);
      if (!plan.pattern.empty()) {
        const std::regex pattern(plan.pattern);
        std::erase_if(files, [&](const FoundFile& file) { return !std::regex_match(file.path, pattern); });
      }
      return files;
    } catch (Error& error) {
      error.add_context(fmt::format("table '{}'", plan.table));
      throw;
    }
  }

  void take(const std::vector<FoundFile>& files) {
    for (const FoundFile& file : files) {
      if (!known_.insert(file.path).second) continue;
      unassigned_.push_back(
          FileSplit{.path = file.path, .bytes = file.bytes, .modified_ms = file.modified_ms}.to_split());
    }
    listed_ = true;
    serve();
  }

  void serve() {
    while (!waiting_.empty() && !unassigned_.empty()) {
      std::vector<SourceSplit> one;
      one.push_back(std::move(unassigned_.front()));
      unassigned_.pop_front();
      context_.assign_splits(waiting_.front(), std::move(one));
      waiting_.pop_front();
    }
    if (!listed_ || plan_->monitor_interval_ms) return;
    for (const int subtask : waiting_) context_.signal_no_more_splits(subtask);
    waiting_.clear();
  }

  std::shared_ptr<const FileSourcePlan> plan_;
  SplitEnumeratorContext& context_;
  bool listed_ = false;
  std::set<std::string, std::less<>> known_;
  std::deque<SourceSplit> unassigned_;
  std::deque<int> waiting_;
};

}  // namespace

std::unique_ptr<SplitEnumerator> FileSource::create_enumerator(SplitEnumeratorContext& context,
                                                               const std::optional<std::string>& restored) const {
  return std::make_unique<FileEnumerator>(plan_, context, restored);
}

}  // namespace yeoul
