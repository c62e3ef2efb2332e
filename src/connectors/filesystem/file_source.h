#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/connectors/api/source.h"
#include "yeoul/formats/api/format.h"

namespace yeoul {

/// What a filesystem table reads.
struct FileSourcePlan {
  std::string table;  ///< for messages
  std::string path;
  /// 'source.path.regex-pattern': only files whose whole path matches; empty: all.
  std::string pattern;
  std::optional<int64_t> monitor_interval_ms;  ///< absent: read what is there, then end
  std::shared_ptr<const DecodingFormat> format;
  Schema decoded;  ///< columns that the lines hold
  /// Where each column of the rows comes from: a decoded one, or else a fact of the file.
  enum class Fact { kDecoded, kPartition, kPath, kName, kBytes, kModified };
  struct OutputColumn {
    Fact fact = Fact::kDecoded;
    size_t decoded = 0;     ///< kDecoded: position in `decoded`
    std::string partition;  ///< kPartition: its name
    LogicalType type;
  };
  std::vector<OutputColumn> columns;
  std::string default_partition;  ///< the folder name that means NULL
  std::optional<int64_t> limit;   ///< rows per reader at most
};

/// Reads files line by line, one split a file, in order of their paths; a split's position is the offset of the first
/// line not read. Readers ask for the next file when they have finished one.
class FileSource final : public Source {
 public:
  explicit FileSource(FileSourcePlan plan) : plan_(std::make_shared<FileSourcePlan>(std::move(plan))) {}
  bool bounded() const override { return !plan_->monitor_interval_ms; }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override;
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override;

 private:
  std::shared_ptr<const FileSourcePlan> plan_;
};

}  // namespace yeoul
