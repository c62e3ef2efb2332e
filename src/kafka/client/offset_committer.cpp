#include "yeoul/kafka/client/offset_committer.h"

#include <utility>

namespace yeoul {

OffsetCommitter::OffsetCommitter(FetchConsumer& consumer, std::string group, const QuestionSettings& settings,
                                 Clock& clock, std::function<void(const PartitionOffsets&, const std::string&)> done)
    : consumer_(consumer), group_(std::move(group)), settings_(settings), clock_(clock), done_(std::move(done)) {}

OffsetCommitter::~OffsetCommitter() {
  if (question_ != nullptr) consumer_.withdraw(*question_);
}

void OffsetCommitter::commit(const PartitionOffsets& offsets) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [partition, offset] : offsets) waiting_[partition] = offset;
}

void OffsetCommitter::serve() {
  if (question_ != nullptr) {
    if (!question_->is_done()) return;
    const std::unique_ptr<OffsetCommitQuestion> done = std::move(question_);
    consumer_.withdraw(*done);
    ++num_commits_;
    commit_ns_ += clock_.steady_ns() - asked_at_ns_;
    done_(sent_, done->failure());
  }
  {
    const std::scoped_lock lock(mutex_);
    sent_ = std::exchange(waiting_, {});
  }
  if (sent_.empty()) return;
  asked_at_ns_ = clock_.steady_ns();
  question_ = std::make_unique<OffsetCommitQuestion>(group_, sent_, settings_, asked_at_ns_);
  consumer_.ask(*question_);
}

bool OffsetCommitter::is_idle() {
  const std::scoped_lock lock(mutex_);
  return question_ == nullptr && waiting_.empty();
}

}  // namespace yeoul
