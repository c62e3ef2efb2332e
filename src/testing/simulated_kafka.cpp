#include "yeoul/testing/simulated_kafka.h"

#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/runtime/timer_queue.h"

namespace yeoul {
namespace {

constexpr int64_t kFetchMaxWaitMs = 20;

}  // namespace

int SimulatedKafka::add_input_topic(std::vector<Partition> partitions, std::vector<int64_t> created_at_ms) {
  topics_.push_back(
      {.num_partitions = partitions.size(), .input = std::move(partitions), .created_at_ms = std::move(created_at_ms)});
  return static_cast<int>(topics_.size()) - 1;
}

int SimulatedKafka::add_output_topic(int num_partitions) {
  topics_.push_back({.num_partitions = static_cast<size_t>(num_partitions)});
  topics_.back().output.resize(static_cast<size_t>(num_partitions));
  return static_cast<int>(topics_.size()) - 1;
}

int64_t SimulatedKafka::end_offset(int topic, int partition) const {
  return static_cast<int64_t>(topics_[index(topic)].input[index(partition)].size());
}

int SimulatedKafka::num_created(int topic) const {
  const std::vector<int64_t>& created = topics_[index(topic)].created_at_ms;
  return static_cast<int>(std::upper_bound(created.begin(), created.end(), clock_.wall_ms()) - created.begin());
}

int64_t SimulatedKafka::complete_at_ms() const {
  int64_t at_ms = 0;
  for (const Topic& topic : topics_) {
    for (const int64_t created_at_ms : topic.created_at_ms) at_ms = std::max(at_ms, created_at_ms);
    for (const Partition& log : topic.input) {
      if (!log.empty()) at_ms = std::max(at_ms, log.back().visible_at_ms);
    }
  }
  return at_ms;
}

int64_t SimulatedKafka::delay() {
  if (random_.chance(faults_.slow)) return random_.between(1, faults_.slow_delay_ms);
  return random_.between(0, faults_.delay_max_ms);
}

void SimulatedKafka::request(const PartitionKey& key, bool writes, std::function<void()> deliver) {
  int64_t& last = last_arrival_ms_[key];
  last = std::max(last, clock_.wall_ms() + delay());
  send(last, {std::get<0>(key), writes, std::move(deliver)});
}

void SimulatedKafka::answer(int client, std::function<void()> deliver) {
  send(clock_.wall_ms() + delay(), {client, false, std::move(deliver)});
}

void SimulatedKafka::after(int client, int64_t ms, std::function<void()> call) {
  send(clock_.wall_ms() + ms, {client, false, std::move(call)});
}

void SimulatedKafka::close_client(int client) {
  bool connected = true;
  for (auto it = messages_.begin(); it != messages_.end();) {
    if (it->second.client != client) {
      ++it;
      continue;
    }
    Message message = std::move(it->second);
    it = messages_.erase(it);
    if (!message.writes) continue;
    connected = connected && random_.chance(500);
    if (connected) message.deliver();  // what it answers goes after the others, and is erased below
  }
  std::erase_if(messages_, [&](const auto& entry) { return entry.second.client == client; });
}

bool SimulatedKafka::step() {
  if (next_at() > clock_.wall_ms()) return false;
  const Message message = std::move(messages_.begin()->second);
  messages_.erase(messages_.begin());
  message.deliver();
  return true;
}

int64_t SimulatedKafka::next_at() const {
  return messages_.empty() ? TimerQueue::kNever : messages_.begin()->first;
}

// --- Fetching ----------------------------------------------------------------------------------------------------

void SimulatedKafka::fetch(int client, int topic, int partition, int64_t offset, int64_t max_records, Fetched done) {
  request({client, topic, partition}, false, [=, this, done = std::move(done)] {
    if (random_.chance(faults_.lost_fetch)) return;
    if (random_.chance(faults_.fetch_error)) {
      answer(client, [done] { done({}, 0, false); });
      return;
    }
    answer_fetch(client, topic, partition, offset, max_records, clock_.wall_ms() + kFetchMaxWaitMs, done);
  });
}

void SimulatedKafka::answer_fetch(int client, int topic, int partition, int64_t offset, int64_t max_records,
                                  int64_t until_ms, const Fetched& done) {
  const Partition& log = topics_[index(topic)].input[index(partition)];
  const int64_t now_ms = clock_.wall_ms();
  // Visible times ascend.
  const auto visible = std::upper_bound(log.begin(), log.end(), now_ms,
                                        [](int64_t ms, const InputRecord& r) { return ms < r.visible_at_ms; });
  const int64_t high_watermark = visible - log.begin();
  if (offset >= high_watermark && now_ms < until_ms) {
    const int64_t more_at_ms = visible == log.end() ? until_ms : std::min(until_ms, visible->visible_at_ms);
    send(more_at_ms,
         {client, false, [=, this] { answer_fetch(client, topic, partition, offset, max_records, until_ms, done); }});
    return;
  }
  std::vector<SimRecord> records;
  for (int64_t at = offset; at < std::min(high_watermark, offset + max_records); ++at) {
    records.push_back(log[static_cast<size_t>(at)].record);
  }
  answer(client, [done, records = std::move(records), high_watermark] { done(records, high_watermark, true); });
}

// --- Producing ---------------------------------------------------------------------------------------------------

void SimulatedKafka::append(int topic, int partition, const std::vector<SimRecord>& records) {
  std::vector<SimRecord>& log = topics_[index(topic)].output[index(partition)];
  for (const SimRecord& record : records) {
    log.push_back(record);
    findings_.trace(static_cast<uint64_t>(record.id) * 31 + static_cast<uint64_t>(record.value));
  }
}

void SimulatedKafka::produce(int client, int topic, int partition, int64_t sequence, std::vector<SimRecord> records,
                             Acknowledged done) {
  request({client, topic, partition}, true, [=, this, records = std::move(records), done = std::move(done)] {
    if (random_.chance(faults_.lost_produce)) return;
    bool ok = true;
    if (sequence < 0) {
      append(topic, partition, records);
    } else {
      int64_t& next = last_sequence_[{client, topic, partition}];
      ok = sequence <= next;
      if (sequence == next) {
        append(topic, partition, records);
        ++next;
      } else if (ok) {
        ++counts_.duplicates_refused;
      }
    }
    if (random_.chance(faults_.lost_ack)) {
      if (sequence < 0) ++counts_.duplicates;
      return;
    }
    answer(client, [done, ok] { done(ok); });
  });
}

void SimulatedKafka::prepare(int client, int topic, const std::string& transaction, std::vector<SimRecord> records,
                             Acknowledged done) {
  request({client, topic, -1}, true, [=, this, records = std::move(records), done = std::move(done)] {
    if (random_.chance(faults_.lost_produce)) return;
    topics_[index(topic)].prepared[transaction] = records;
    if (!random_.chance(faults_.lost_ack)) answer(client, [done] { done(true); });
  });
}

void SimulatedKafka::commit(int topic, const std::string& transaction) {
  Topic& t = topics_[index(topic)];
  const auto fail = [&](std::string_view when) {
    ++counts_.commit_failures;
    throw external_error(4503, "the simulated cluster lost the commit of '{}' {} it took effect", transaction, when);
  };
  if (random_.chance(faults_.commit_failure)) fail("before");
  if (!t.committed.contains(transaction)) {
    const auto prepared = t.prepared.find(transaction);
    if (prepared == t.prepared.end()) {
      findings_.add(fmt::format("transaction '{}' is committed, but was never prepared", transaction));
      return;
    }
    append(topic, 0, prepared->second);
    t.committed.insert(transaction);
    t.prepared.erase(prepared);
  }
  if (random_.chance(faults_.commit_failure)) fail("after");
}

std::vector<SimRecord> SimulatedKafka::output(int topic) const {
  std::vector<SimRecord> all;
  for (const auto& log : topics_[index(topic)].output) all.insert(all.end(), log.begin(), log.end());
  return all;
}

}  // namespace yeoul
