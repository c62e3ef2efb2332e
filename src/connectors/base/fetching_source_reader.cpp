#include "yeoul/connectors/base/fetching_source_reader.h"

#include <algorithm>
#include <utility>

namespace yeoul {

FetchingSourceReader::FetchingSourceReader(SourceReaderContext context, std::string thread_name, size_t queue_bytes_max)
    : context_(std::move(context)), thread_name_(std::move(thread_name)), queue_bytes_max_(queue_bytes_max) {}

void FetchingSourceReader::start() {
  if (fetcher_) return;
  fetcher_ = std::make_unique<SplitFetcher>(
      thread_name_, queue_bytes_max_,
      SplitFetcher::Hooks{[this] { return create_split_reader(); }, context_.wake_up, context_.fail});
}

void FetchingSourceReader::add_splits(std::vector<SourceSplit> splits) {
  start();
  for (const SourceSplit& split : splits) {
    std::unique_ptr<SplitState> state = create_state(split);
    state->id = split.id;
    states_[split.id] = std::move(state);
  }
  fetcher_->add_splits(std::move(splits));
}

std::vector<SourceSplit> FetchingSourceReader::snapshot(int64_t checkpoint_id) {
  (void)checkpoint_id;
  std::vector<SourceSplit> splits;
  splits.reserve(states_.size());
  for (const auto& [id, state] : states_) splits.push_back(to_split(*state));
  return splits;
}

void FetchingSourceReader::pause_or_resume_splits(std::span<const std::string> pause,
                                                  std::span<const std::string> resume) {
  const auto set_paused = [this](const std::string& id, bool paused) {
    const auto it = states_.find(id);
    if (it == states_.end()) return;
    it->second->paused = paused;
    if (!paused && !it->second->parked.empty()) resumed_.push_back(id);
  };
  for (const std::string& id : pause) set_paused(id, true);
  for (const std::string& id : resume) set_paused(id, false);
  if (current_ && current_state_->paused) {
    current_state_->parked.push_front(std::move(current_));
    current_state_ = nullptr;
  }
  start();
  fetcher_->pause_or_resume({pause.begin(), pause.end()}, {resume.begin(), resume.end()});
  context_.wake_up();
}

/// Makes current_ a batch of a split that is not paused; false when there is none.
bool FetchingSourceReader::next_batch() {
  while (!current_) {
    while (!resumed_.empty()) {
      const auto it = states_.find(resumed_.front());
      if (it != states_.end() && !it->second->paused && !it->second->parked.empty()) {
        current_state_ = it->second.get();
        current_ = std::move(current_state_->parked.front());
        current_state_->parked.pop_front();
        return true;
      }
      resumed_.pop_front();
    }
    if (!fetcher_) return false;
    std::unique_ptr<FetchedBatch> batch = fetcher_->take();
    if (!batch) return false;
    const auto it = states_.find(batch->split_id);
    if (it == states_.end()) continue;
    if (it->second->paused || !it->second->parked.empty()) {
      it->second->parked.push_back(std::move(batch));
      continue;
    }
    current_ = std::move(batch);
    current_state_ = it->second.get();
  }
  return true;
}

void FetchingSourceReader::append(std::vector<SourceRun>& runs, std::vector<Notice>& notices) {
  SplitState& state = *current_state_;
  const size_t before = num_rows();
  const auto rows_max = static_cast<size_t>(context_.batch_records_max()) - before;
  const bool taken_whole = append_rows(state, *current_, rows_max);
  const auto added = static_cast<uint32_t>(num_rows() - before);
  if (added != 0) {
    if (!runs.empty() && runs.back().split_id == state.id) {
      runs.back().num_rows += added;
    } else {
      runs.push_back({state.id, static_cast<uint32_t>(before), added});
    }
    if (state.caught_up) {
      state.caught_up = false;
      notices.push_back({state.id, false, false});
    }
  }
  if (!taken_whole) return;
  note_end_of_batch(state, *current_, notices);
  current_.reset();
  current_state_ = nullptr;
}

void FetchingSourceReader::note_end_of_batch(SplitState& state, const FetchedBatch& batch,
                                             std::vector<Notice>& notices) {
  if (batch.finished) {
    notices.push_back({state.id, true, false});
  } else if (batch.caught_up && !state.caught_up) {
    state.caught_up = true;
    notices.push_back({state.id, false, true});
  }
}

/// Told after the rows that led to them; a finished split is forgotten only now, since runs point to its id.
void FetchingSourceReader::deliver(SourceOutput& output, const std::vector<Notice>& notices) {
  for (const Notice& notice : notices) {
    if (!notice.finished) {
      output.set_caught_up(notice.split_id, notice.caught_up);
      continue;
    }
    output.finish_split(notice.split_id);
    const auto it = states_.find(notice.split_id);
    on_split_finished(*it->second);
    states_.erase(it);
  }
}

PollResult FetchingSourceReader::poll(SourceOutput& output) {
  std::vector<Notice> notices;
  runs_.clear();
  while (num_rows() < static_cast<size_t>(context_.batch_records_max()) && !is_batch_full() && next_batch()) {
    append(runs_, notices);
  }
  const bool emitted = num_rows() != 0;
  if (emitted) output.emit(take_rows(), runs_);
  deliver(output, notices);
  if (current_) return PollResult::kMore;
  if (no_more_splits_ && states_.empty()) return PollResult::kEnd;
  return emitted || !notices.empty() ? PollResult::kMore : PollResult::kNothing;
}

}  // namespace yeoul
