#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yeoul/kafka/client/client_properties.h"
#include "yeoul/kafka/native/produce_stats.h"
#include "yeoul/kafka/native/produced_record.h"

namespace yeoul {

/// What a producer tells its user; called on its thread.
struct ProducerEvents {
  std::function<void()> wake_up;                              ///< has_room() has become true
  std::function<void(std::exception_ptr)> fail;               ///< a record was not delivered, or the client is dead
  std::function<void(const ProduceStats&)> report = nullptr;  ///< once a second, and at the end of each flush
};

/// Sends runs of records of one partition. Never blocks: records go to a buffer, and its own thread sees to delivery.
/// Threads: one, beside its own.
class Producer {
 public:
  /// @param topics  topics that will be written, looked up first; has_room() is false until that has happened
  Producer(ClientProperties properties, std::vector<std::string> topics, ProducerEvents events);
  /// Gives up what is not delivered.
  ~Producer();

  /// One more topic to write: its number, behind those there are. It is looked up, and has_room() is false meanwhile.
  size_t add_topic(std::string topic);
  /// Partitions of a topic; 0: not known yet, which is so only while has_room() is false.
  int32_t num_partitions(size_t topic) const;
  /// The partition, or the next one that has a leader if this one has none: for records that may go to any.
  int32_t led_partition(size_t topic, int32_t partition) const;
  /// Less than `buffer.memory` is waiting for delivery.
  bool has_room() const;
  /// Takes the records, in order, beyond has_room() too.
  /// @throws external error 4006 naming topic and partition for a record that is too large
  void send(size_t topic, int32_t partition, std::span<const ProducedRecord> records);
  /// Calls `done` on the producer's thread once all records sent so far are acknowledged. One at a time. Never called
  /// after a failure.
  void flush(std::function<void()> done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace yeoul
