#include "yeoul/testing/kafka/simulated_producer.h"

#include <algorithm>
#include <set>
#include <utility>

#include "yeoul/kafka/protocol/record_batch.h"

namespace yeoul {

SimulatedProducer::SimulatedProducer(std::string name, const ProduceClientSettings& settings, std::string topic,
                                     int num_partitions, FakeClock& clock, SeededRandom& random)
    : name_(std::move(name)),
      settings_(settings),
      topic_(std::move(topic)),
      num_partitions_(num_partitions),
      clock_(clock),
      random_(random) {
  create();
}

void SimulatedProducer::create() {
  const ProduceEvents events{.wake_up = [] {},
                             .fail =
                                 [this](const std::exception_ptr& failure) {
                                   try {
                                     std::rethrow_exception(failure);
                                   } catch (const std::exception& error) {
                                     finding_ = fmt::format("producer {} failed: {}", name_, error.what());
                                   }
                                 }};
  // Some name their topic only when they are there.
  const bool named_later = random_.chance(500);
  const std::vector<std::string> topics(named_later ? 0 : 1, topic_);
  client_ = std::make_unique<ProduceClient>(settings_, topics, events, clock_, ProduceClient::Drive::kTurns);
  if (named_later) client_->add_topic(topic_);
  if (!transactional()) return;
  busy_ = true;
  client_->init_transactions([this] { busy_ = false; });
}

void SimulatedProducer::send_some() {
  const auto partition = static_cast<int32_t>(random_.below(num_partitions_));
  std::vector<std::string> values;
  for (int64_t left = random_.between(1, 12); left > 0; --left) {
    std::string value = fmt::format("{}-{}-{}", name_, partition, num_sent_++);
    value.append(static_cast<size_t>(random_.chance(20) ? random_.below(900) : random_.below(40)), '.');
    sent_[partition].push_back({value, outcomes_.empty() ? 0 : outcomes_.size() - 1});
    values.push_back(std::move(value));
  }
  std::vector<ProducedRecord> records;
  for (const std::string& value : values) {
    ProducedRecord record{.value = value};
    if (value.size() % 2 == 0) record.key = value;
    records.push_back(record);
  }
  flushed_ = false;
  client_->send(0, partition, records);
}

void SimulatedProducer::decided(Outcome outcome) {
  outcomes_.back() = outcome;
  busy_ = open_ = false;
  flushed_ = true;
}

void SimulatedProducer::end_transaction() {
  busy_ = true;
  const int64_t draw = random_.below(1000);
  if (draw < 250) return client_->abort_transaction([this] { decided(Outcome::kAborted); });
  if (draw < 330) {
    // It dies: whoever comes next under its transactional id aborts what it left.
    decided(Outcome::kAborted);
    client_.reset();
    return create();
  }
  client_->commit_transaction([this] { decided(Outcome::kCommitted); });
}

void SimulatedProducer::step(bool winding_up) {
  client_->turn();
  if (busy_ || !finding_.empty() || !client_->has_room()) return;
  if (transactional() && !open_ && !winding_up && random_.chance(200)) {
    client_->begin_transaction();
    outcomes_.push_back(Outcome::kUndecided);
    open_ = true;
  }
  if (!winding_up && (open_ || !transactional()) && random_.chance(300)) send_some();
  if (open_ && (winding_up || random_.chance(60))) return end_transaction();
  if (!transactional() && !flushed_ && (winding_up || random_.chance(20))) {
    busy_ = true;
    client_->flush([this] {
      busy_ = false;
      flushed_ = true;
    });
  }
}

bool SimulatedProducer::is_finished() const {
  return !busy_ && !open_ && flushed_;
}

std::string SimulatedProducer::check(const ModelCluster& cluster) const {
  for (int32_t index = 0; index < num_partitions_; ++index) {
    const TopicPartition name{topic_, index};
    const std::vector<const ModelPartition*> ever = cluster.ever(name);
    if (ever.size() > 1 || !ever.front()->lost_batches().empty()) {
      if (std::string difference = check_despite_losses(name, ever); !difference.empty()) return difference;
      continue;
    }
    const std::vector<std::string> expected = sent_to(index);
    const std::vector<std::string> found = own_values(records_of(*ever.front(), true));
    if (found == expected) continue;
    const auto [a, b] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    return fmt::format(
        "{}-{}: of producer {} the log holds {} records, {} were sent; the first difference, at {}: '{}' "
        "and '{}'",
        topic_, index, name_, found.size(), expected.size(), a - found.begin(), a == found.end() ? "(end)" : *a,
        b == expected.end() ? "(end)" : *b);
  }
  return "";
}

std::vector<std::string> SimulatedProducer::sent_to(int32_t partition) const {
  std::vector<std::string> values;
  const auto sent = sent_.find(partition);
  if (sent == sent_.end()) return values;
  for (const Sent& record : sent->second) {
    const bool counts = !transactional() || outcomes_[record.transaction] == Outcome::kCommitted;
    if (counts) values.push_back(record.value);
  }
  return values;
}

std::vector<std::string> SimulatedProducer::own_values(const std::vector<ModelRecord>& records) const {
  std::vector<std::string> values;
  for (const ModelRecord& record : records) {
    if (record.value.starts_with(name_ + "-")) values.push_back(record.value);
  }
  return values;
}

/// Logs were lost, or ends of them: each holds what was sent in order and nothing twice, and all is in one of them or
/// was lost with one.
std::string SimulatedProducer::check_despite_losses(const TopicPartition& name,
                                                    const std::vector<const ModelPartition*>& ever) const {
  const std::vector<std::string> expected = sent_to(name.partition);
  std::set<std::string> seen;
  for (const ModelPartition* log : ever) {
    auto from = expected.begin();
    for (const std::string& value : own_values(records_of(*log, true))) {
      seen.insert(value);
      from = std::find(from, expected.end(), value);
      if (from++ != expected.end()) continue;
      return fmt::format("{}: '{}' of producer {} is there twice, out of order, or was never sent", to_string(name),
                         value, name_);
    }
    for (const std::string& value : own_values(records_in(log->lost_batches()))) seen.insert(value);
  }
  for (const std::string& value : expected) {
    if (!seen.contains(value)) {
      return fmt::format("{}: '{}' of producer {} was never written", to_string(name), value, name_);
    }
  }
  return "";
}

}  // namespace yeoul
