#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yeoul/connectors/api/source.h"
#include "yeoul/runtime/node_output.h"
#include "yeoul/runtime/stream_graph.h"

namespace yeoul {

/// Event time of one reader: a generator per split, the smallest over active splits, idleness (D7, D8). The result
/// never goes back, also when a split is found late. Threads: the task's.
class SourceWatermarks {
 public:
  /// @param set_idle  told when all splits became idle (true) or one became active again (false)
  SourceWatermarks(const SourceWatermarkStrategy& strategy, NodeOutput& output, std::function<void(bool)> set_idle,
                   int64_t now_ms);

  void add_split(const std::string& id, int64_t now_ms);
  void remove_split(std::string_view id, int64_t now_ms);
  void set_caught_up(std::string_view id, bool caught_up, int64_t now_ms);
  /// Emits the batch; with 'on-event' cut where a watermark follows.
  void emit(const BatchPtr& batch, std::span<const SourceRun> runs, int64_t now_ms);
  /// Asks the generators of the splits that are not idle, before a tick; every auto-watermark interval.
  void ask_generators();
  /// Finds idle splits and emits the watermark if it grew; every auto-watermark interval.
  /// @param emit   false: only idleness
  /// @param asked  false: the reader may have rows that were not polled, so what it said of its splits is out of date
  void tick(int64_t now_ms, bool emit, bool asked = true);

  /// Splits to be paused or read on, for watermark alignment (FLIP-182, FLIP-217).
  struct Alignment {
    std::vector<std::string> pause;
    std::vector<std::string> resume;
    bool empty() const { return pause.empty() && resume.empty(); }
  };
  /// What this reader reports to its group: the smallest over active splits, kMaxWatermark where it holds nobody back.
  int64_t alignment_watermark() const;
  /// The smallest that the group's other readers have reported.
  void set_others_watermark(int64_t watermark) { others_watermark_ = watermark; }
  /// Splits that are further ahead of the smallest, here or elsewhere, than the drift allows are to be paused, paused
  /// ones that no longer are go on. The smallest itself is never held up, unlike in Flink, where a group advances by no
  /// more than the drift an interval. An idle split holds nobody back; a paused one does not become idle.
  /// @param resume  false: splits are only paused; going on costs the client a fetch, so it is done every interval only
  Alignment align(int64_t now_ms, bool resume);
  /// A split may have got too far ahead since the last align().
  bool needs_alignment() const { return needs_alignment_; }
  /// There are splits, and all are paused.
  bool all_paused() const { return !splits_.empty() && num_paused_ == splits_.size(); }

 private:
  struct Split {
    int64_t watermark = kMinWatermark;
    int64_t active_at_ms = 0;  ///< last row, or when it caught up
    bool caught_up = false;
    bool idle = false;
    bool paused = false;
    std::unique_ptr<SplitWatermarkGenerator> generator;  ///< null: none
  };
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  Split& split(std::string_view id, int64_t now_ms);
  /// Fills candidates_, by the splits' generators where there are any.
  void judge(const BatchBase& batch, std::span<const SourceRun> runs, int64_t now_ms);
  /// Smallest of the active splits; kMinWatermark without any.
  int64_t combined() const;
  /// The watermark up to which splits may be read.
  int64_t allowed_watermark() const;
  void advance();
  void update_idle(int64_t now_ms);
  void set_source_idle(bool idle);
  void emit_cut(const BatchPtr& batch, std::span<const SourceRun> runs, int64_t now_ms);
  void emit_rows(const BatchPtr& batch, uint32_t first, uint32_t end);

  const SourceWatermarkStrategy& strategy_;
  NodeOutput& output_;
  std::function<void(bool)> set_idle_;
  std::unordered_map<std::string, Split, TextHash, std::equal_to<>> splits_;
  std::vector<int64_t> candidates_;
  int64_t emitted_ = kMinWatermark;
  int64_t empty_since_ms_;  ///< since when there has been no split
  bool idle_ = false;
  int64_t others_watermark_ = kMaxWatermark;
  size_t num_paused_ = 0;
  bool needs_alignment_ = false;
};

}  // namespace yeoul
