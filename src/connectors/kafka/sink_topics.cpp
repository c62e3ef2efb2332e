#include "yeoul/connectors/kafka/sink_topics.h"

#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/kafka/client/topic_names.h"

namespace yeoul {

SinkTopics::SinkTopics(std::string owner, const std::vector<std::string>& topics, Cluster cluster)
    : owner_(std::move(owner)), cluster_(std::move(cluster)), names_(topics) {
  for (size_t i = 0; i < names_.size(); ++i) numbers_.emplace(names_[i], static_cast<uint32_t>(i));
}

void SinkTopics::find(std::string_view name) {
  std::string text(name);
  auto known = numbers_.find(text);
  if (known == numbers_.end()) {
    if (const std::string fault = topic_name_fault(name); !fault.empty()) {
      throw user_error(3202, "{}: a record is to go to topic '{}', which is no name of a topic: {}", owner_, name,
                       fault);
    }
    known = numbers_.emplace(text, static_cast<uint32_t>(cluster_.add_topic(text))).first;
    names_.push_back(text);
  }
  last_name_ = std::move(text);
  last_index_ = known->second;
}

std::span<const int32_t> SinkTopics::partitions(uint32_t topic) {
  const auto count = static_cast<size_t>(num_partitions(topic));
  while (counting_.size() < count) counting_.push_back(static_cast<int32_t>(counting_.size()));
  return std::span<const int32_t>(counting_).first(count);
}

bool SinkTopics::all_known() {
  while (num_known_ < names_.size() && num_partitions(static_cast<uint32_t>(num_known_)) > 0) ++num_known_;
  return num_known_ == names_.size();
}

}  // namespace yeoul
