#include "yeoul/kafka/client/missing_topics.h"

namespace yeoul {

void MissingTopics::suspect(const std::string& topic, int64_t now_ms) {
  suspects_.try_emplace(topic, Suspect{true, now_ms, now_ms});
}

std::vector<TopicPartition> MissingTopics::check(const std::set<TopicPartition>& assigned, int64_t now_ms,
                                                 const Ask& ask, const std::stop_token& stop) {
  std::vector<TopicPartition> gone;
  for (auto it = suspects_.begin(); it != suspects_.end() && !stop.stop_requested();) {
    auto& [topic, suspect] = *it;
    if (now_ms < suspect.ask_at_ms) {
      ++it;
      continue;
    }
    suspect.ask_at_ms = now_ms + kAskAgainMs;
    std::set<int32_t> existing;
    const TopicAnswer answer = ask(topic, existing);
    if (answer == TopicAnswer::kNone) {
      ++it;
      continue;
    }
    std::vector<TopicPartition> denied;
    for (auto tp = assigned.lower_bound({topic, 0}); tp != assigned.end() && tp->topic == topic; ++tp) {
      if (answer == TopicAnswer::kUnknown || !existing.contains(tp->partition)) denied.push_back(*tp);
    }
    if (suspect.denied == denied.empty()) {
      suspect.denied = !denied.empty();
      suspect.since_ms = now_ms;
    }
    if (now_ms - suspect.since_ms < kGoneAfterMs) {
      ++it;
      continue;
    }
    gone.insert(gone.end(), denied.begin(), denied.end());
    it = suspects_.erase(it);
  }
  return gone;
}

}  // namespace yeoul
