#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/connectors/api/sink.h"
#include "yeoul/formats/api/format.h"

namespace yeoul {

/// What a filesystem table writes.
struct FileSinkPlan {
  std::string table;  ///< for messages
  std::string path;
  std::shared_ptr<const EncodingFormat> format;
  Schema encoded;                        ///< columns that the lines hold
  std::vector<int> encoded_positions;    ///< of them in the batch
  std::vector<int> partition_positions;  ///< of the partition columns in the batch
  std::vector<std::string> partition_names;
  std::string default_partition;
  int64_t file_bytes = 128 * 1024 * 1024;  ///< a part file is not continued beyond that
};

/// Writes lines into part files, which are hidden while they are written. At a checkpoint they are synced and closed;
/// when it completes, the committer gives them their names. So readers never see half a file, nor a row twice: the sink
/// is exactly-once.
class FileSink final : public Sink {
 public:
  explicit FileSink(FileSinkPlan plan) : plan_(std::make_shared<FileSinkPlan>(std::move(plan))) {}
  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const override;
  std::unique_ptr<Committer> create_committer() const override;

 private:
  std::shared_ptr<const FileSinkPlan> plan_;
};

}  // namespace yeoul
