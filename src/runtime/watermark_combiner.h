#pragma once

#include <cstdint>
#include <vector>

#include "yeoul/runtime/operator.h"

namespace yeoul {

/// The watermark and idleness of a task from those of its channels (Flink's StatusWatermarkValve): the smallest over
/// active channels, never going back. A channel that becomes active again behind the output counts only once it has
/// caught up. When the last active channel becomes idle, the largest watermark seen counts, so that the outcome does
/// not depend on the order in which channels became idle.
class WatermarkCombiner {
 public:
  explicit WatermarkCombiner(size_t num_channels) : channels_(num_channels) {}

  /// True: watermark() grew.
  bool set_watermark(size_t channel, int64_t watermark);
  /// True: watermark() grew or idle() changed.
  bool set_idle(size_t channel, bool idle);
  int64_t watermark() const { return output_; }
  /// All channels are idle.
  bool idle() const { return idle_; }

 private:
  friend class Sabotage;  // plants bugs for the simulator; only in `testing`
  struct ChannelState {
    int64_t watermark = kMinWatermark;
    bool idle = false;
    bool aligned = true;
  };

  bool advance();

  std::vector<ChannelState> channels_;
  int64_t output_ = kMinWatermark;
  bool idle_ = false;
};

}  // namespace yeoul
