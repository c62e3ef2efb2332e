#include "yeoul/datastream/output_sinks.h"

#include <chrono>

#include "yeoul/common/standard_files.h"

namespace yeoul {
namespace {

class PrintWriter final : public SinkWriter {
 public:
  PrintWriter(std::string identifier, BatchPrinter printer, SinkWriterContext context)
      : prefix_(std::move(identifier)), printer_(printer), context_(std::move(context)) {
    if (context_.parallelism > 1) prefix_ += fmt::format("{}{}", prefix_.empty() ? "" : ":", context_.subtask + 1);
    if (!prefix_.empty()) prefix_ += "> ";
  }
  void write(const BatchPtr& batch) override {
    std::string text;
    printer_(*batch, prefix_, text);
    print_to_standard_output(text);
    context_.metrics->records_out.add(static_cast<int64_t>(batch->num_records()));
    context_.metrics->bytes_out.add(static_cast<int64_t>(text.size()));
  }
  bool has_room() const override { return true; }
  void begin_prepare(int64_t, bool, Prepared done) override { done({}); }

 private:
  std::string prefix_;
  BatchPrinter printer_;
  SinkWriterContext context_;
};

class PrintSink final : public Sink {
 public:
  PrintSink(std::string identifier, BatchPrinter printer) : identifier_(std::move(identifier)), printer_(printer) {}
  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const override {
    return std::make_unique<PrintWriter>(identifier_, printer_, std::move(context));
  }

 private:
  std::string identifier_;
  BatchPrinter printer_;
};

class CollectedWriter final : public SinkWriter {
 public:
  CollectedWriter(std::shared_ptr<CollectedBatches> batches, SinkWriterContext context)
      : batches_(std::move(batches)), context_(std::move(context)) {
    batches_->set_wake_up(context_.wake_up);
  }
  ~CollectedWriter() override { batches_->set_wake_up(nullptr); }
  void write(const BatchPtr& batch) override {
    context_.metrics->records_out.add(static_cast<int64_t>(batch->num_records()));
    batches_->push(batch);
  }
  bool has_room() const override { return batches_->has_room(); }
  void begin_prepare(int64_t, bool, Prepared done) override { done({}); }

 private:
  std::shared_ptr<CollectedBatches> batches_;
  SinkWriterContext context_;
};

class CollectedSink final : public Sink {
 public:
  explicit CollectedSink(std::shared_ptr<CollectedBatches> batches) : batches_(std::move(batches)) {}
  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const override {
    return std::make_unique<CollectedWriter>(batches_, std::move(context));
  }

 private:
  std::shared_ptr<CollectedBatches> batches_;
};

}  // namespace

std::shared_ptr<const Sink> print_sink(std::string identifier, BatchPrinter printer) {
  return std::make_shared<PrintSink>(std::move(identifier), printer);
}

std::shared_ptr<const Sink> collect_sink(std::shared_ptr<CollectedBatches> batches) {
  return std::make_shared<CollectedSink>(std::move(batches));
}

BatchPtr CollectedBatches::next(int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  condition_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [this] { return !batches_.empty(); });
  if (batches_.empty()) return nullptr;
  const bool was_full = records_ >= kRecordsMax;
  BatchPtr batch = std::move(batches_.front());
  batches_.pop_front();
  records_ -= batch->num_records();
  // Under the lock, so that the writer is not gone in the middle of the call.
  if (was_full && records_ < kRecordsMax && wake_up_) wake_up_();
  return batch;
}

void CollectedBatches::push(BatchPtr batch) {
  const std::scoped_lock lock(mutex_);
  records_ += batch->num_records();
  batches_.push_back(std::move(batch));
  condition_.notify_one();
}

bool CollectedBatches::has_room() const {
  const std::scoped_lock lock(mutex_);
  return records_ < kRecordsMax;
}

void CollectedBatches::set_wake_up(std::function<void()> wake_up) {
  const std::scoped_lock lock(mutex_);
  wake_up_ = std::move(wake_up);
}

}  // namespace yeoul
