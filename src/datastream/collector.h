#pragma once

#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "yeoul/datastream/record_type.h"
#include "yeoul/datastream/stream_plan.h"
#include "yeoul/runtime/operator.h"

namespace yeoul {

/// Appends a record; the batch has timestamps from the first record on that has one.
template <class T>
void append_record(Batch<T>& batch, T value, int64_t timestamp) {
  if (timestamp != kNoTimestamp || !batch.timestamps.empty()) {
    batch.timestamps.resize(batch.values.size(), kNoTimestamp);
    batch.timestamps.push_back(timestamp);
  }
  batch.values.push_back(std::move(value));
}

/// Takes what a function emits, with the event time that its operator has set. Threads: the task's.
template <class T>
class Collector {
 public:
  void collect(T value) { append_record(*batch_, std::move(value), timestamp_); }

  /// For operators: the event time of what comes next; kNoTimestamp for none.
  void set_timestamp(int64_t timestamp) { timestamp_ = timestamp; }
  size_t size() const { return batch_->values.size(); }
  /// Hands on what was collected.
  void flush(OperatorOutput& output) {
    if (batch_->values.empty()) return;
    output.emit(std::exchange(batch_, std::make_shared<Batch<T>>()));
  }

 private:
  std::shared_ptr<Batch<T>> batch_ = std::make_shared<Batch<T>>();
  int64_t timestamp_ = kNoTimestamp;
};

/// Names a side output and the type of its records: `const OutputTag<std::string> kLate{"late"};`
template <class T>
class OutputTag {
 public:
  explicit OutputTag(std::string id) : id_(std::move(id)) { check_record_type<T>(); }
  const std::string& id() const { return id_; }

 private:
  std::string id_;
};

/// What an operator sends to its side outputs, gathered in batches. Records for tags that nobody reads are dropped.
/// Threads: the task's.
class SideOutputs {
 public:
  explicit SideOutputs(std::shared_ptr<const ConnectedTags> connected) : connected_(std::move(connected)) {}

  template <class T>
  void collect(const OutputTag<T>& tag, T value, int64_t timestamp) {
    Buffer& buffer = buffer_of(tag.id(), typeid(T));
    if (!buffer.connected) return;
    if (!buffer.batch) {
      auto batch = std::make_shared<Batch<T>>();
      buffer.typed = batch.get();
      buffer.batch = std::move(batch);
    }
    append_record(*static_cast<Batch<T>*>(buffer.typed), std::move(value), timestamp);
  }
  void flush(OperatorOutput& output);

 private:
  struct Buffer {
    std::string tag;
    bool connected = false;
    std::shared_ptr<BatchBase> batch;
    void* typed = nullptr;  ///< the batch as what it is
  };
  /// @throws user error 7110 where the tag is read as records of another type
  Buffer& buffer_of(const std::string& tag, std::type_index type);

  std::shared_ptr<const ConnectedTags> connected_;
  std::vector<Buffer> buffers_;
};

}  // namespace yeoul
