#include "yeoul/testing/kafka/simulated_consumer.h"

#include <algorithm>
#include <utility>

namespace yeoul {
namespace {

std::set<TopicPartition> keys_of(const auto& map) {
  std::set<TopicPartition> keys;
  for (const auto& [key, value] : map) keys.insert(key);
  return keys;
}

}  // namespace

SimulatedConsumer::SimulatedConsumer(std::string name, const FetchConsumerSettings& settings, std::string topic,
                                     int num_partitions, FakeClock& clock, SeededRandom& random)
    : name_(std::move(name)), settings_(settings), clock_(clock), random_(random) {
  for (int32_t index = 0; index < num_partitions; ++index) readings_[{topic, index}] = {};
  create();
}

void SimulatedConsumer::create() {
  client_ = std::make_unique<FetchConsumer>(settings_, clock_);
  for (auto& [partition, reading] : readings_) {
    client_->assign(partition, {reading.position, reading.epoch, reading.topic_id});
    reading.paused = false;
  }
}

void SimulatedConsumer::take(const FetchedRun& run) {
  Reading& reading = readings_.at(run.partition);
  if (run.trouble != FetchTrouble::kNone) {
    finding_ = fmt::format("consumer {}: {}@{}: trouble {}: {}", name_, to_string(run.partition), reading.position,
                           static_cast<int>(run.trouble), run.error);
    return;
  }
  for (const FetchedRecord& record : run.run.records()) {
    const auto text = [](const char* bytes, uint32_t size) { return std::string(bytes == nullptr ? "" : bytes, size); };
    const std::string key = text(record.key, record.key_size);
    const std::string value = text(record.value, record.value_size);
    for (const char c : value) trace_ = (trace_ ^ static_cast<uint8_t>(c)) * 1099511628211ull;
    reading.records.push_back({record.offset, key, value});
    ++num_read_;
  }
  if (run.position_after < reading.position) {
    finding_ = fmt::format("consumer {}: {} went back from {} to {}", name_, to_string(run.partition), reading.position,
                           run.position_after);
  }
  reading.position = run.position_after;
  reading.epoch = run.epoch_after;
  reading.topic_id = run.topic_id;
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
    reading.position = random_.below(reading.position + 1);
    reading.epoch = -1;
    std::erase_if(reading.records, [&](const ModelRecord& record) { return record.offset >= reading.position; });
    client_->seek(partition, reading.position);
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
    for (const auto& [partition, reading] : readings_) being_committed_[partition] = reading.position;
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

void SimulatedConsumer::look_at_answers() {
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
      if (end < ends_[partition])
        finding_ = fmt::format("consumer {}: the end of {} moved back", name_, to_string(partition));
      ends_[partition] = end;
    }
    end_question_.reset();
  }
}

void SimulatedConsumer::step(bool winding_up) {
  client_->poll(runs_, 0);
  for (const FetchedRun& run : runs_) take(run);
  look_at_answers();
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
  return std::all_of(readings_.begin(), readings_.end(), [&](const auto& entry) {
    return entry.second.position == cluster.partitions().at(entry.first).end();
  });
}

std::string SimulatedConsumer::state(const ModelCluster& cluster) const {
  std::string out = "consumer " + name_ + ":";
  for (const auto& [partition, reading] : readings_) {
    const ModelPartition& model = cluster.partitions().at(partition);
    out += fmt::format(" {}@{} of {} (stable {}){}", to_string(partition), reading.position, model.end(),
                       model.last_stable_offset(), reading.paused ? " paused" : "");
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
