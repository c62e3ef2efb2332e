#include "yeoul/runtime/source_watermarks.h"

#include <algorithm>
#include <numeric>

namespace yeoul {

SourceWatermarks::SourceWatermarks(const SourceWatermarkStrategy& strategy, NodeOutput& output,
                                   std::function<void(bool)> set_idle, int64_t now_ms)
    : strategy_(strategy), output_(output), set_idle_(std::move(set_idle)), empty_since_ms_(now_ms) {}

SourceWatermarks::Split& SourceWatermarks::split(std::string_view id, int64_t now_ms) {
  auto it = splits_.find(id);
  if (it != splits_.end()) return it->second;
  Split added{.active_at_ms = now_ms, .generator = strategy_.create_generator()};
  return splits_.emplace(std::string(id), std::move(added)).first->second;
}

void SourceWatermarks::judge(const BatchBase& batch, std::span<const SourceRun> runs, int64_t now_ms) {
  bool generated = false;
  for (const SourceRun& run : runs) {
    const Split& s = split(run.split_id, now_ms);
    if (!s.generator) break;
    if (!std::exchange(generated, true)) candidates_.assign(batch.num_records(), kMinWatermark);
    s.generator->on_rows(batch, run, candidates_);
  }
  if (!generated) strategy_.candidates(batch, candidates_);
}

void SourceWatermarks::ask_generators() {
  for (auto& [id, s] : splits_) {
    if (!s.generator || s.idle) continue;
    const int64_t watermark = s.generator->on_periodic_emit();
    if (watermark <= s.watermark) continue;
    s.watermark = watermark;
    needs_alignment_ = !strategy_.alignment_group.empty();
  }
}

void SourceWatermarks::add_split(const std::string& id, int64_t now_ms) {
  split(id, now_ms);
  set_source_idle(false);
}

void SourceWatermarks::remove_split(std::string_view id, int64_t now_ms) {
  if (const auto it = splits_.find(id); it != splits_.end()) {
    if (it->second.paused) --num_paused_;
    splits_.erase(it);
  }
  if (splits_.empty()) empty_since_ms_ = now_ms;
}

void SourceWatermarks::set_caught_up(std::string_view id, bool caught_up, int64_t now_ms) {
  Split& s = split(id, now_ms);
  if (caught_up && !s.caught_up) s.active_at_ms = now_ms;
  s.caught_up = caught_up;
}

void SourceWatermarks::emit(const BatchPtr& batch, std::span<const SourceRun> runs, int64_t now_ms) {
  judge(*batch, runs, now_ms);
  for (const SourceRun& run : runs) {
    Split& s = split(run.split_id, now_ms);
    s.active_at_ms = now_ms;
    s.idle = false;
  }
  set_source_idle(false);
  needs_alignment_ = !strategy_.alignment_group.empty();
  if (strategy_.on_event) {
    emit_cut(batch, runs, now_ms);
    return;
  }
  for (const SourceRun& run : runs) {
    Split& s = split(run.split_id, now_ms);
    // kNoTimestamp is the smallest value, so it raises nothing.
    for (uint32_t i = 0; i < run.num_rows; ++i) {
      s.watermark = std::max(s.watermark, candidates_[run.first_row + i]);
    }
  }
  output_.emit(batch);
}

void SourceWatermarks::emit_cut(const BatchPtr& batch, std::span<const SourceRun> runs, int64_t now_ms) {
  uint32_t first = 0;
  for (const SourceRun& run : runs) {
    Split& s = split(run.split_id, now_ms);
    for (uint32_t row = run.first_row; row < run.first_row + run.num_rows; ++row) {
      if (candidates_[row] <= s.watermark) continue;
      s.watermark = candidates_[row];
      const int64_t watermark = combined();
      if (watermark <= emitted_) continue;
      emit_rows(batch, first, row + 1);
      first = row + 1;
      emitted_ = watermark;
      output_.emit_watermark(watermark);
    }
  }
  emit_rows(batch, first, static_cast<uint32_t>(batch->num_records()));
}

void SourceWatermarks::emit_rows(const BatchPtr& batch, uint32_t first, uint32_t end) {
  if (first >= end) return;
  if (first == 0 && end == batch->num_records()) {
    output_.emit(batch);
    return;
  }
  std::vector<uint32_t> records(end - first);
  std::iota(records.begin(), records.end(), first);
  const auto splitter = strategy_.splitter ? strategy_.splitter : row_batch_splitter();
  output_.emit(splitter->take(batch, records));
}

int64_t SourceWatermarks::combined() const {
  int64_t smallest = kMaxWatermark;
  bool any = false;
  for (const auto& [id, s] : splits_) {
    if (s.idle) continue;
    any = true;
    smallest = std::min(smallest, s.watermark);
  }
  return any ? smallest : kMinWatermark;
}

void SourceWatermarks::tick(int64_t now_ms, bool emit, bool asked) {
  // Before idle splits stop to count, since what they justified must not be lost; and after, since the others advance.
  if (emit) advance();
  if (asked) update_idle(now_ms);
  if (emit) advance();
}

void SourceWatermarks::advance() {
  const int64_t watermark = combined();
  if (watermark <= emitted_) return;
  emitted_ = watermark;
  output_.emit_watermark(watermark);
}

void SourceWatermarks::update_idle(int64_t now_ms) {
  if (strategy_.idle_timeout_ms <= 0) return;
  bool all_idle = true;
  for (auto& [id, s] : splits_) {
    if (!s.idle && !s.paused && s.caught_up && now_ms - s.active_at_ms >= strategy_.idle_timeout_ms) s.idle = true;
    all_idle = all_idle && s.idle;
  }
  if (splits_.empty()) all_idle = now_ms - empty_since_ms_ >= strategy_.idle_timeout_ms;
  set_source_idle(all_idle);
}

int64_t SourceWatermarks::alignment_watermark() const {
  const bool active = std::any_of(splits_.begin(), splits_.end(), [](const auto& entry) { return !entry.second.idle; });
  return active ? combined() : kMaxWatermark;
}

int64_t SourceWatermarks::allowed_watermark() const {
  const int64_t smallest = std::min(others_watermark_, alignment_watermark());
  return smallest > kMaxWatermark - strategy_.alignment_max_drift_ms ? kMaxWatermark
                                                                     : smallest + strategy_.alignment_max_drift_ms;
}

SourceWatermarks::Alignment SourceWatermarks::align(int64_t now_ms, bool resume) {
  needs_alignment_ = false;
  Alignment alignment;
  const int64_t allowed = allowed_watermark();
  for (auto& [id, s] : splits_) {
    if (s.paused == (s.watermark > allowed) || (s.paused && !resume)) continue;
    s.paused = !s.paused;
    (s.paused ? alignment.pause : alignment.resume).push_back(id);
    s.active_at_ms = now_ms;
  }
  num_paused_ = num_paused_ + alignment.pause.size() - alignment.resume.size();
  return alignment;
}

void SourceWatermarks::set_source_idle(bool idle) {
  if (idle_ == idle) return;
  idle_ = idle;
  set_idle_(idle);
}

}  // namespace yeoul
