#include "yeoul/kafka/client/offset_committer.h"

#include <librdkafka/rdkafka.h>

#include <utility>

namespace yeoul {
namespace {

struct EventDeleter {
  void operator()(rd_kafka_event_t* event) const { rd_kafka_event_destroy(event); }
};
using Event = std::unique_ptr<rd_kafka_event_t, EventDeleter>;

/// Why a request failed, as a whole or for one partition; empty: it did not.
std::string failure_of(rd_kafka_event_t* event) {
  if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) return rd_kafka_event_error_string(event);
  size_t count = 0;
  const rd_kafka_group_result_t** groups =
      rd_kafka_AlterConsumerGroupOffsets_result_groups(rd_kafka_event_AlterConsumerGroupOffsets_result(event), &count);
  for (size_t i = 0; i < count; ++i) {
    if (const rd_kafka_error_t* error = rd_kafka_group_result_error(groups[i])) return rd_kafka_error_string(error);
    const rd_kafka_topic_partition_list_t* partitions = rd_kafka_group_result_partitions(groups[i]);
    for (int k = 0; partitions != nullptr && k < partitions->cnt; ++k) {
      const rd_kafka_topic_partition_t& one = partitions->elems[k];
      if (one.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return fmt::format("topic={} partition={}: {}", one.topic, one.partition, rd_kafka_err2str(one.err));
      }
    }
  }
  return "";
}

}  // namespace

OffsetCommitter::OffsetCommitter(rd_kafka_s* client, std::string group, std::function<void()> answered,
                                 std::function<void(const PartitionOffsets&, const std::string&)> done)
    : client_(client),
      group_(std::move(group)),
      answered_(std::move(answered)),
      done_(std::move(done)),
      queue_(rd_kafka_queue_new(client)) {
  rd_kafka_queue_cb_event_enable(
      queue_.get(), [](rd_kafka_t*, void* opaque) { static_cast<OffsetCommitter*>(opaque)->answered_(); }, this);
}

OffsetCommitter::~OffsetCommitter() {
  rd_kafka_queue_cb_event_enable(queue_.get(), nullptr, nullptr);
}

void OffsetCommitter::commit(const PartitionOffsets& offsets) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [partition, offset] : offsets) waiting_[partition] = offset;
  take_answer();
  if (!under_way_ && !waiting_.empty()) send();
}

void OffsetCommitter::serve() {
  const std::scoped_lock lock(mutex_);
  take_answer();
  if (!under_way_ && !waiting_.empty()) send();
}

void OffsetCommitter::take_answer() {
  if (!under_way_) return;
  const Event event(rd_kafka_queue_poll(queue_.get(), 0));
  if (!event) return;
  under_way_ = false;
  done_(sent_, failure_of(event.get()));
}

void OffsetCommitter::send() {
  sent_ = std::exchange(waiting_, {});
  const NativeList list = make_list(sent_);
  rd_kafka_AlterConsumerGroupOffsets_t* request = rd_kafka_AlterConsumerGroupOffsets_new(group_.c_str(), list.get());
  rd_kafka_AlterConsumerGroupOffsets(client_, &request, 1, nullptr, queue_.get());
  rd_kafka_AlterConsumerGroupOffsets_destroy(request);
  under_way_ = true;
}

}  // namespace yeoul
