#include "yeoul/connectors/filesystem/file_sink.h"

#include <deque>
#include <map>
#include <mutex>

#include "yeoul/common/bytes.h"
#include "yeoul/connectors/filesystem/file_paths.h"
#include "yeoul/connectors/filesystem/part_file.h"
#include "yeoul/types/text.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {
namespace {

constexpr uint8_t kVersion = 1;
/// Lines gathered before they go to the pool, and bytes under way above which the task waits.
constexpr size_t kBufferBytes = 1024 * 1024;
constexpr size_t kMostBytesUnderWay = 8 * 1024 * 1024;

std::string to_committable(const std::string& folder, const std::string& name) {
  ByteWriter writer;
  writer.u8(kVersion);
  writer.string(folder);
  writer.string(name);
  return writer.take();
}

/// The part files of one writer. What is asked of it is done on the pool, one after the other. Threads: any.
class PartFiles : public std::enable_shared_from_this<PartFiles> {
 public:
  PartFiles(std::shared_ptr<const FileSinkPlan> plan, SinkWriterContext context, uint64_t next_number)
      : plan_(std::move(plan)), context_(std::move(context)), next_number_(next_number) {}

  /// Lines for each folder below the table's path.
  using Lines = std::map<std::string, std::string>;

  void append(Lines lines, size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      bytes_under_way_ += bytes;
    }
    post([this, lines = std::move(lines), bytes] {
      for (const auto& [folder, text] : lines) append_to(folder, text);
      bool had_room = false;
      {
        const std::lock_guard lock(mutex_);
        had_room = bytes_under_way_ < kMostBytesUnderWay;
        bytes_under_way_ -= bytes;
      }
      if (!had_room) tell([this] { context_.wake_up(); });
    });
  }

  /// Closes all files, then calls `done` with what is to be committed.
  void close_all(SinkWriter::Prepared done) {
    post([this, done = std::move(done)] {
      for (auto& [folder, part] : open_) close(folder, part);
      open_.clear();
      tell([&] { done(std::exchange(closed_, {})); });
    });
  }

  /// Drops what is still to be done; afterwards nothing of the context is called.
  void abandon() {
    const std::lock_guard lock(callback_mutex_);
    abandoned_ = true;
  }

  bool has_room() const {
    const std::lock_guard lock(mutex_);
    return bytes_under_way_ < kMostBytesUnderWay;
  }
  uint64_t next_number() const {
    const std::lock_guard lock(mutex_);
    return next_number_;
  }

 private:
  struct Part {
    std::unique_ptr<PartFile> file;
    std::string name;
    int64_t bytes = 0;
  };

  void post(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (running_) return;
    running_ = true;
    context_.io_pool->post([self = shared_from_this()] { self->run(); });
  }

  void run() {
    for (;;) {
      std::function<void()> job;
      {
        const std::lock_guard lock(mutex_);
        if (jobs_.empty() || failed_ || is_abandoned()) {
          running_ = false;
          return;
        }
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      try {
        job();
      } catch (Error& error) {
        error.add_context(fmt::format("table '{}'", plan_->table));
        fail();
      } catch (...) {
        fail();
      }
    }
  }

  template <class Call>
  void tell(const Call& call) {
    const std::lock_guard lock(callback_mutex_);
    if (!abandoned_) call();
  }
  bool is_abandoned() const {
    const std::lock_guard lock(callback_mutex_);
    return abandoned_;
  }
  void fail() {
    failed_ = true;
    tell([this] { context_.fail(std::current_exception()); });
  }

  std::string folder_path(const std::string& folder) const {
    return folder.empty() ? plan_->path : plan_->path + "/" + folder.substr(0, folder.size() - 1);
  }

  void append_to(const std::string& folder, const std::string& text) {
    Part& part = open_[folder];
    if (!part.file) open(folder, part);
    part.file->append(text);
    part.bytes += static_cast<int64_t>(text.size());
    if (context_.metrics != nullptr) context_.metrics->bytes_out.add(static_cast<int64_t>(text.size()));
    if (part.bytes < plan_->file_bytes) return;
    close(folder, part);
    open_.erase(folder);
  }

  void open(const std::string& folder, Part& part) {
    const std::string path = folder_path(folder);
    // Numbers whose files a crashed or rescaled run left are passed over.
    do {
      const std::lock_guard lock(mutex_);
      part.name = fmt::format("part-{}-{}-{}", context_.job_id, context_.subtask, next_number_++);
    } while (PartFile::exists(path, part.name));
    part.file = std::make_unique<PartFile>(path, part.name);
  }

  void close(const std::string& folder, Part& part) {
    part.file->close();
    closed_.push_back(to_committable(folder_path(folder), part.name));
  }

  std::shared_ptr<const FileSinkPlan> plan_;
  SinkWriterContext context_;
  mutable std::mutex callback_mutex_;
  bool abandoned_ = false;
  mutable std::mutex mutex_;
  std::deque<std::function<void()>> jobs_;
  bool running_ = false;
  size_t bytes_under_way_ = 0;
  uint64_t next_number_;
  // Of the running job only:
  bool failed_ = false;
  std::map<std::string, Part> open_;
  std::vector<std::string> closed_;
};

class FileWriter final : public SinkWriter {
 public:
  FileWriter(const std::shared_ptr<const FileSinkPlan>& plan, SinkWriterContext context)
      : plan_(plan), metrics_(context.metrics), encoder_(plan->format->create_encoder(plan->encoded)) {
    uint64_t next_number = 0;
    for (const std::string& state : context.restored_states) {
      ByteReader reader(state);
      if (reader.u8() != kVersion) throw internal_error(6002, "the state of a file sink has an unknown version");
      next_number = std::max(next_number, reader.varint());
    }
    context.restored_states.clear();
    files_ = std::make_shared<PartFiles>(plan, std::move(context), next_number);
  }

  ~FileWriter() override { files_->abandon(); }

  void write(const BatchPtr& batch) override {
    const auto& rows = static_cast<const RowBatch&>(*batch);
    encoded_.clear();
    try {
      encoder_->encode(rows, plan_->encoded_positions, encoded_);
      if (!encoded_.nulls.empty()) {
        throw user_error(3200,
                         "the format writes NULL as a message without payload, which is no line of a file; leave such "
                         "rows out (WHERE ... IS NOT NULL) or give them a value (COALESCE)");
      }
    } catch (Error& error) {
      error.add_context(fmt::format("table '{}'", plan_->table));
      throw;
    }
    for (size_t row = 0; row < encoded_.size(); ++row) {
      std::string& lines = plan_->partition_positions.empty() ? lines_[""] : lines_[folder_of(rows, row)];
      lines += encoded_[row];
      lines += '\n';
    }
    buffered_ += encoded_.bytes.size() + encoded_.size();
    if (metrics_ != nullptr) metrics_->records_out.add(static_cast<int64_t>(encoded_.size()));
    if (buffered_ >= kBufferBytes) flush();
  }

  bool has_room() const override { return files_->has_room(); }

  void begin_prepare(int64_t, bool, Prepared done) override {
    flush();
    files_->close_all(std::move(done));
  }

  std::string snapshot(int64_t) override {
    ByteWriter writer;
    writer.u8(kVersion);
    writer.varint(files_->next_number());
    return writer.take();
  }

 private:
  void flush() {
    if (buffered_ == 0) return;
    files_->append(std::exchange(lines_, {}), std::exchange(buffered_, 0));
  }

  std::string folder_of(const RowBatch& rows, size_t row) const {
    std::vector<std::pair<std::string, std::string>> values;
    for (size_t i = 0; i < plan_->partition_positions.size(); ++i) {
      const Column& column = *rows.columns[static_cast<size_t>(plan_->partition_positions[i])];
      std::string text;
      if (column.is_valid(row)) append_text(column, row, TimeZone(), text);
      values.emplace_back(plan_->partition_names[i], text.empty() ? plan_->default_partition : text);
    }
    return partition_folder(values);
  }

  std::shared_ptr<const FileSinkPlan> plan_;
  SinkMetrics* metrics_;
  std::unique_ptr<Encoder> encoder_;
  EncodedRows encoded_;
  PartFiles::Lines lines_;
  size_t buffered_ = 0;
  std::shared_ptr<PartFiles> files_;
};

class FileCommitter final : public Committer {
 public:
  void commit(const std::vector<std::string>& committables) override {
    for (const std::string& bytes : committables) {
      ByteReader reader(bytes);
      if (reader.u8() != kVersion) throw internal_error(6002, "a file to commit has an unknown version");
      const std::string folder(reader.string());
      const std::string name(reader.string());
      PartFile::publish(folder, name);
    }
  }
};

}  // namespace

std::unique_ptr<SinkWriter> FileSink::create_writer(SinkWriterContext context) const {
  return std::make_unique<FileWriter>(plan_, std::move(context));
}

std::unique_ptr<Committer> FileSink::create_committer() const {
  return std::make_unique<FileCommitter>();
}

}  // namespace yeoul
