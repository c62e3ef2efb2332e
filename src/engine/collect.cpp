#include "yeoul/engine/collect.h"

#include <chrono>

namespace yeoul {
namespace {

class CollectWriter final : public SinkWriter {
 public:
  CollectWriter(std::shared_ptr<ResultStream> stream, SinkWriterContext context)
      : stream_(std::move(stream)), context_(std::move(context)) {
    stream_->set_wake_up(context_.wake_up);
  }
  ~CollectWriter() override { stream_->set_wake_up(nullptr); }
  void write(const BatchPtr& batch) override {
    context_.metrics->records_out.add(static_cast<int64_t>(batch->num_records()));
    stream_->push(std::static_pointer_cast<const RowBatch>(batch));
  }
  bool has_room() const override { return stream_->has_room(); }
  void begin_prepare(int64_t, bool, Prepared done) override { done({}); }

 private:
  std::shared_ptr<ResultStream> stream_;
  SinkWriterContext context_;
};

class CollectSink final : public Sink {
 public:
  explicit CollectSink(std::shared_ptr<ResultStream> stream) : stream_(std::move(stream)) {}
  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const override {
    return std::make_unique<CollectWriter>(stream_, std::move(context));
  }

 private:
  std::shared_ptr<ResultStream> stream_;
};

}  // namespace

RowBatchPtr ResultStream::next(int64_t timeout_ms) {
  RowBatchPtr batch;
  {
    std::unique_lock lock(mutex_);
    condition_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [this] { return !batches_.empty(); });
    if (batches_.empty()) return nullptr;
    const bool was_full = rows_ >= kRowsMax;
    batch = std::move(batches_.front());
    batches_.pop_front();
    rows_ -= batch->num_rows;
    // Under the lock, so that the writer is not gone in the middle of the call.
    if (was_full && rows_ < kRowsMax && wake_up_) wake_up_();
  }
  return batch;
}

void ResultStream::push(RowBatchPtr batch) {
  const std::scoped_lock lock(mutex_);
  rows_ += batch->num_rows;
  batches_.push_back(std::move(batch));
  condition_.notify_one();
}

bool ResultStream::has_room() const {
  const std::scoped_lock lock(mutex_);
  return rows_ < kRowsMax;
}

void ResultStream::set_wake_up(std::function<void()> wake_up) {
  const std::scoped_lock lock(mutex_);
  wake_up_ = std::move(wake_up);
}

std::shared_ptr<const Sink> collect_sink(std::shared_ptr<ResultStream> stream) {
  return std::make_shared<CollectSink>(std::move(stream));
}

}  // namespace yeoul
