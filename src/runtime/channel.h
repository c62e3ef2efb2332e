#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

#include "yeoul/common/threads.h"
#include "yeoul/runtime/stream_element.h"

namespace yeoul {

/// The queue from one upstream subtask to one downstream subtask along one edge. Bounded by the bytes of its batches:
/// the producer asks has_room() before it takes new input and may overshoot by what one step emits; control elements
/// always fit. The consumer takes the whole queue at once, so each side locks at most once per element.
/// Threads: one producer, one consumer.
class Channel {
 public:
  /// @param producer, consumer  raised when room or elements come; owned by the tasks' mailboxes
  Channel(int64_t bytes_max, WakeUp& producer, WakeUp& consumer)
      : bytes_max_(bytes_max), producer_(producer), consumer_(consumer) {}

  bool has_room() const { return bytes_.load() < bytes_max_; }
  void push(StreamElement element);

  /// Consumer: the oldest element, or null. Stays valid until pop().
  const StreamElement* peek();
  /// Consumer: removes what peek() returned.
  StreamElement pop();

 private:
  friend class Sabotage;  // plants bugs for the simulator; only in `testing`
  struct Entry {
    StreamElement element;
    int64_t bytes;
  };

  const int64_t bytes_max_;
  WakeUp& producer_;
  WakeUp& consumer_;
  std::atomic<int64_t> bytes_{0};
  std::atomic<bool> filled_{false};
  std::mutex mutex_;
  std::deque<Entry> shared_;  ///< under mutex_
  std::deque<Entry> taken_;   ///< the consumer's
};

}  // namespace yeoul
