#include "yeoul/testing/kafka/simulated_consumer.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

std::set<TopicPartition> keys_of(const auto& map) {
  std::set<TopicPartition> keys;
  for (const auto& [key, value] : map) keys.insert(key);
  return keys;
}

}  // namespace

SimulatedConsumer::SimulatedConsumer(std::string name, const FetchConsumerSettings& settings, std::string topic,
                                     int num_partitions, ConsumerHabits habits, FakeClock& clock, SeededRandom& random)
    : name_(std::move(name)), settings_(settings), habits_(habits), clock_(clock), random_(random) {
  for (int32_t index = 0; index < num_partitions; ++index) readings_[{topic, index}] = {};
  create();
}

void SimulatedConsumer::create() {
  client_ = std::make_unique<FetchConsumer>(settings_, clock_);
  for (auto& [partition, reading] : readings_) {
    FetchPosition position = reading.position;
    if (habits_.forgets_epochs) position.epoch = -1;
    client_->assign(partition, position);
    reading.paused = false;
  }
}

void SimulatedConsumer::take(const FetchedRun& run, const ModelCluster& cluster) {
  if (run.trouble != FetchTrouble::kNone) return on_trouble(run, cluster);
  Reading& reading = readings_.at(run.partition);
  for (const FetchedRecord& record : run.run.records()) {
    const auto text = [](const char* bytes, uint32_t size) { return std::string(bytes == nullptr ? "" : bytes, size); };
    const std::string key = text(record.key, record.key_size);
    const std::string value = text(record.value, record.value_size);
    for (const char c : value) trace_ = (trace_ ^ static_cast<uint8_t>(c)) * 1099511628211ull;
    reading.records.push_back({record.offset, key, value});
    ++num_read_;
  }
  if (run.position_after < reading.position.offset) {
    finding_ = fmt::format("consumer {}: {} went back from {} to {}", name_, to_string(run.partition),
                           reading.position.offset, run.position_after);
  }
  if (run.position_after > reading.position.offset) reading.before.push_back(reading.position);
  reading.position = {run.position_after, run.epoch_after, run.topic_id};
}

/// Whether it is true, and what comes of it.
void SimulatedConsumer::on_trouble(const FetchedRun& run, const ModelCluster& cluster) {
  Reading& reading = readings_.at(run.partition);
  const FetchPosition& at = reading.position;
  const ModelPartition* log = cluster.find(run.partition);
  switch (run.trouble) {
    case FetchTrouble::kTruncated:
      if (log == nullptr || at.epoch < 0 || log->epoch_before(at.offset) == at.epoch) break;
      if (run.truncated_to < log->end_of_epoch(at.epoch).end || run.truncated_to > at.offset) break;
      ++num_truncations_;
      return go_back(run.partition, reading, run.truncated_to);
    case FetchTrouble::kRecreated:
      if (cluster.ever(run.partition).size() < 2) break;
      if (at.topic_id != Uuid() && at.topic_id == cluster.id_of(run.partition.topic)) break;
      ++num_recreations_;
      reading.position = {};
      reading.records.clear();
      reading.before.clear();
      return client_->seek(run.partition, 0);
    case FetchTrouble::kGone:
      // Until it comes back, which it may have done by now.
      if (log == nullptr || cluster.ever(run.partition).size() > 1) return;
      break;
    default:
      break;
  }
  finding_ = fmt::format("consumer {}: {}@{}: trouble {}: {}", name_, to_string(run.partition), at.offset,
                         static_cast<int>(run.trouble), run.error);
}

/// To a position that it had, as who restores a checkpoint does.
void SimulatedConsumer::go_back(const TopicPartition& partition, Reading& reading, int64_t offset_max) {
  while (reading.position.offset > offset_max) {
    YEOUL_CHECK(!reading.before.empty(), "no position before {}", reading.position.offset);
    reading.position = reading.before.back();
    reading.before.pop_back();
  }
  const int64_t offset = reading.position.offset;
  std::erase_if(reading.records, [&](const ModelRecord& record) { return record.offset >= offset; });
  client_->assign(partition, reading.position);
  if (reading.paused) client_->pause(partition);
}

void SimulatedConsumer::disturb() {
  auto chosen = readings_.begin();
  std::advance(chosen, random_.below(static_cast<int64_t>(readings_.size())));
  auto& [partition, reading] = *chosen;
  const int64_t draw = random_.below(1000);
  if (draw < 400) {
    if (reading.paused) {
      client_->resume(partition);
    } else {
      client_->pause(partition);
    }
    reading.paused = !reading.paused;
  } else if (draw < 800) {
    const int64_t offset = habits_.only_to_begin ? 0 : random_.below(reading.position.offset + 1);
    if (habits_.only_to_begin && draw < 700) return;  // else it comes to nothing
    reading.position = {offset, -1, {}};
    reading.before.clear();
    std::erase_if(reading.records, [&](const ModelRecord& record) { return record.offset >= offset; });
    client_->seek(partition, offset);
  } else if (commit_ == nullptr && committed_question_ == nullptr && end_question_ == nullptr) {
    client_.reset();
    create();
  }
}

void SimulatedConsumer::ask() {
  const QuestionSettings settings{.timeout_ns = 60'000 * kNanosPerMs, .backoff_ns = 20 * kNanosPerMs};
  const int64_t now_ns = clock_.steady_ns();
  if (commit_ == nullptr && committed_question_ == nullptr && random_.chance(500)) {
    being_committed_.clear();
    for (const auto& [partition, reading] : readings_) being_committed_[partition] = reading.position.offset;
    commits_.insert(being_committed_);
    commit_ = std::make_unique<OffsetCommitQuestion>("group-" + name_, being_committed_, settings, now_ns);
    client_->ask(*commit_);
  } else if (commit_ == nullptr && committed_question_ == nullptr && has_committed_) {
    committed_question_ =
        std::make_unique<OffsetFetchQuestion>("group-" + name_, keys_of(readings_), false, settings, now_ns);
    client_->ask(*committed_question_);
  } else if (end_question_ == nullptr) {
    end_question_ = std::make_unique<ListOffsetsQuestion>(keys_of(readings_), ListOffsetsQuestion::kLatest,
                                                          settings_.fetch.read_committed, settings, now_ns);
    client_->ask(*end_question_);
  }
}

void SimulatedConsumer::look_at_answers(const ModelCluster& cluster) {
  const auto done = [&](auto& question) {
    if (question == nullptr || !question->is_done()) return false;
    if (!question->failure().empty()) finding_ = fmt::format("consumer {}: {}", name_, question->failure());
    client_->withdraw(*question);
    return question->failure().empty();
  };
  if (done(commit_)) {
    has_committed_ = true;
    commit_.reset();
  }
  if (done(committed_question_)) {
    // A request that was given up may arrive after the next: Kafka's protocol has nothing against it.
    if (!commits_.contains(committed_question_->offsets())) {
      finding_ = fmt::format("consumer {}: the group's offsets are not those that were committed", name_);
    }
    committed_question_.reset();
  }
  if (done(end_question_)) {
    for (const auto& [partition, end] : end_question_->offsets()) {
      const std::vector<const ModelPartition*> ever = cluster.ever(partition);
      const bool may_move_back = ever.size() != 1 || !ever.front()->lost_batches().empty();
      if (end < ends_[partition] && !may_move_back)
        finding_ = fmt::format("consumer {}: the end of {} moved back", name_, to_string(partition));
      ends_[partition] = end;
    }
    end_question_.reset();
  }
}

void SimulatedConsumer::step(bool winding_up, const ModelCluster& cluster) {
  client_->poll(runs_, 0);
  for (const FetchedRun& run : runs_) take(run, cluster);
  look_at_answers(cluster);
  if (!finding_.empty()) return;
  if (!winding_up && random_.chance(15)) disturb();
  if (!winding_up && random_.chance(15)) ask();
  if (winding_up) {
    for (auto& [partition, reading] : readings_) {
      if (std::exchange(reading.paused, false)) client_->resume(partition);
    }
  }
}

bool SimulatedConsumer::is_finished(const ModelCluster& cluster) const {
  if (commit_ != nullptr || committed_question_ != nullptr || end_question_ != nullptr) return false;
  return std::all_of(readings_.begin(), readings_.end(),
                     [&](const auto& entry) { return is_finished(entry.first, entry.second, cluster); });
}

/// At the end, and of what lies there: who is to be told that it is something else is not at the end.
bool SimulatedConsumer::is_finished(const TopicPartition& partition, const Reading& reading,
                                    const ModelCluster& cluster) const {
  const ModelPartition* log = cluster.find(partition);
  const auto& [offset, epoch, topic_id] = reading.position;
  if (log == nullptr || offset != log->end()) return false;
  if (epoch >= 0 && epoch != log->epoch_before(offset)) return false;
  return topic_id == Uuid() || topic_id == cluster.id_of(partition.topic);
}

std::string SimulatedConsumer::state(const ModelCluster& cluster) const {
  std::string out = "consumer " + name_ + ":";
  for (const auto& [partition, reading] : readings_) {
    const ModelPartition* log = cluster.find(partition);
    if (log == nullptr) return out + " the topic is missing";
    out += fmt::format(" {}@{} of {} (stable {}, epoch {} and {}){}", to_string(partition), reading.position.offset,
                       log->end(), log->last_stable_offset(), reading.position.epoch,
                       log->epoch_before(reading.position.offset), reading.paused ? " paused" : "");
  }
  return out;
}

std::string SimulatedConsumer::check(const ModelCluster& cluster) const {
  for (const auto& [partition, reading] : readings_) {
    const auto expected = records_of(cluster.partitions().at(partition), settings_.fetch.read_committed);
    if (reading.records == expected) continue;
    const auto [a, b] = std::mismatch(reading.records.begin(), reading.records.end(), expected.begin(), expected.end());
    return fmt::format("consumer {}: of {} {} records were read, {} are there; the first difference: offset {} and {}",
                       name_, to_string(partition), reading.records.size(), expected.size(),
                       a == reading.records.end() ? -1 : a->offset, b == expected.end() ? -1 : b->offset);
  }
  const auto group = cluster.committed_offsets().find("group-" + name_);
  if (has_committed_ && (group == cluster.committed_offsets().end() || !commits_.contains(group->second))) {
    return fmt::format("consumer {}: the group's offsets are not those of any commit", name_);
  }
  return "";
}

}  // namespace yeoul
