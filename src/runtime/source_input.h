#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/runtime/batch_pace.h"
#include "yeoul/runtime/node_output.h"
#include "yeoul/runtime/source_watermarks.h"
#include "yeoul/runtime/stream_element.h"
#include "yeoul/runtime/task_context.h"

namespace yeoul {

/// The reader at the head of a source task. Threads: the task's.
class SourceInput final : private SourceOutput {
 public:
  /// @param set_idle  told when the source becomes idle or active again
  SourceInput(const StreamNode& node, TaskContext& context, NodeMetrics& metrics, std::function<void(bool)> set_idle);

  const StreamNode& node() const { return node_; }
  NodeOutput& node_output() { return output_; }
  bool has_room() const { return output_.targets_have_room(); }
  void open(RestoredNodeState& restored);
  /// Polls the reader once; there must be room. kDone: the source has ended.
  Step poll();

  void add_splits(std::vector<SourceSplit> splits);
  void notify_no_more_splits();
  void handle_event(const std::string& event);
  std::vector<SourceSplit> snapshot(int64_t checkpoint_id);
  void notify_checkpoint_complete(int64_t checkpoint_id);
  /// For watermark alignment: the smallest watermark of the other readers of the source's group.
  void set_others_watermark(int64_t watermark);

 private:
  /// What wake_up reaches, also after the task has ended.
  struct Signal {
    std::shared_ptr<Mailbox> mailbox;
    std::atomic<bool> available{true};
    void raise() {
      available.store(true);
      mailbox->wake_up().raise();
    }
  };

  SourceReaderContext reader_context();
  void schedule_tick();
  bool aligned() const { return watermarks_ && !node_.watermarks->alignment_group.empty(); }
  void schedule_report();
  void report_watermark(int64_t watermark);
  void align(bool resume);
  void wake_up_at(int64_t steady_ms);
  void schedule_wake_up();
  template <class Call>
  auto enter(Call&& call);

  // SourceOutput:
  void emit(BatchPtr batch, std::span<const SourceRun> runs) override;
  void set_caught_up(std::string_view split_id, bool caught_up) override;
  void finish_split(std::string_view split_id) override;

  const StreamNode& node_;
  TaskContext& context_;
  NodeMetrics& metrics_;
  NodeOutput output_;
  BatchPace pace_;
  std::optional<SourceWatermarks> watermarks_;
  std::shared_ptr<Signal> signal_;
  std::unique_ptr<SourceReader> reader_;
  int64_t reported_ = kMaxWatermark;            ///< the last watermark told to the alignment group
  bool waiting_ = false;                        ///< the last poll found nothing
  int64_t wake_at_ms_ = 0;                      ///< the last time given to wake_up_at
  int64_t wake_timer_ms_ = TimerQueue::kNever;  ///< of the timer that counts
};

}  // namespace yeoul
