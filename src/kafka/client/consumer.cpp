#include "yeoul/kafka/client/consumer.h"

#include <optional>
#include <utility>

#include "yeoul/common/clock.h"
#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/kafka/client/client_settings.h"
#include "yeoul/kafka/client/offset_committer.h"
#include "yeoul/kafka/native/fetch_consumer.h"

namespace yeoul {

struct Consumer::Impl {
  Impl(const ClientProperties& properties, CommitListener on_commit) : client(fetch_consumer_settings(properties)) {
    const std::string group = properties.group_id();
    if (group.empty()) return;
    committer.emplace(client, group, question_settings(properties), system_clock(), std::move(on_commit));
  }

  FetchConsumer client;
  std::optional<OffsetCommitter> committer;  ///< none: the consumer has no group
};

Consumer::Consumer(ClientProperties properties, CommitListener on_commit)
    : impl_(std::make_unique<Impl>(properties, std::move(on_commit))) {}

Consumer::~Consumer() {
  if (!impl_->committer) return;
  try {
    const int64_t deadline_ns = system_clock().steady_ns() + kLastCommitMs * kNanosPerMs;
    for (impl_->committer->serve(); !impl_->committer->is_idle(); impl_->committer->serve()) {
      if (system_clock().steady_ns() >= deadline_ns) break;
      impl_->client.serve_questions(deadline_ns);
    }
  } catch (const Error& error) {
    log(LogLevel::kWarn, "kafka", "the last offsets were perhaps not committed: {}", error.message());
  }
}

void Consumer::assign(const TopicPartition& partition, const FetchPosition& position) {
  impl_->client.assign(partition, position);
}

void Consumer::unassign(std::span<const TopicPartition> partitions) {
  for (const TopicPartition& partition : partitions) impl_->client.unassign(partition);
}

void Consumer::seek(const TopicPartition& partition, int64_t offset) {
  impl_->client.seek(partition, offset);
}

void Consumer::pause(std::span<const TopicPartition> partitions) {
  for (const TopicPartition& partition : partitions) impl_->client.pause(partition);
}

void Consumer::resume(std::span<const TopicPartition> partitions) {
  for (const TopicPartition& partition : partitions) impl_->client.resume(partition);
}

std::vector<FetchedBuffer> Consumer::poll(std::stop_token stop, int64_t timeout_ms) {
  const std::stop_callback wake(std::move(stop), [this] { wake_up(); });
  std::vector<FetchedBuffer> buffers;
  if (impl_->committer) impl_->committer->serve();
  impl_->client.poll(buffers, timeout_ms);
  if (impl_->committer) impl_->committer->serve();
  return buffers;
}

ConsumerStats Consumer::take_stats() {
  ConsumerStats stats{impl_->client.take_stats()};
  if (!impl_->committer) return stats;
  stats.num_commits = impl_->committer->num_commits();
  stats.commit_ns = impl_->committer->commit_ns();
  return stats;
}

void Consumer::wake_up() {
  impl_->client.wake_up();
}

void Consumer::commit(const PartitionOffsets& offsets) {
  if (offsets.empty() || !impl_->committer) return;
  impl_->committer->commit(offsets);
  wake_up();
}

}  // namespace yeoul
