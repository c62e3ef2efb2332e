#include "yeoul/kafka/client/producer.h"

#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/kafka/client/client_settings.h"

namespace yeoul {
namespace {

/// Errors begin with whose producer it is.
ProduceEvents named_events(ProducerEvents events, std::string owner) {
  return {std::move(events.wake_up),
          [fail = std::move(events.fail), owner = std::move(owner)](std::exception_ptr error) {
            try {
              std::rethrow_exception(std::move(error));
            } catch (Error& failure) {
              failure.add_context(owner);
              fail(std::make_exception_ptr(failure));
            }
          },
          std::move(events.report)};
}

}  // namespace

struct Producer::Impl {
  Impl(const ClientProperties& properties, std::vector<std::string> topics, ProducerEvents events)
      : owner(properties.owner()),
        client(produce_client_settings(properties), std::move(topics), named_events(std::move(events), owner)) {}

  std::string owner;
  ProduceClient client;
};

Producer::Producer(ClientProperties properties, std::vector<std::string> topics, ProducerEvents events)
    : impl_(std::make_unique<Impl>(properties, std::move(topics), std::move(events))) {}
Producer::~Producer() = default;

size_t Producer::add_topic(std::string topic) {
  return impl_->client.add_topic(std::move(topic));
}

int32_t Producer::num_partitions(size_t topic) const {
  return impl_->client.num_partitions(topic);
}

int32_t Producer::led_partition(size_t topic, int32_t partition) const {
  return impl_->client.led_partition(topic, partition);
}

bool Producer::has_room() const {
  return impl_->client.has_room();
}

void Producer::send(size_t topic, int32_t partition, std::span<const ProducedRecord> records) {
  try {
    impl_->client.send(topic, partition, records);
  } catch (Error& error) {
    error.add_context(impl_->owner);
    throw;
  }
}

void Producer::flush(std::function<void()> done) {
  impl_->client.flush(std::move(done));
}

}  // namespace yeoul
