#include "yeoul/runtime/watermark_combiner.h"

#include <algorithm>

namespace yeoul {

bool WatermarkCombiner::set_watermark(size_t channel, int64_t watermark) {
  ChannelState& state = channels_[channel];
  if (watermark <= state.watermark) return false;
  state.watermark = watermark;
  if (state.idle) return false;
  if (watermark >= output_) state.aligned = true;
  return advance();
}

bool WatermarkCombiner::set_idle(size_t channel, bool idle) {
  ChannelState& state = channels_[channel];
  if (state.idle == idle) return false;
  state.idle = idle;
  state.aligned = !idle && state.watermark >= output_;
  const bool all_idle = std::all_of(channels_.begin(), channels_.end(), [](const ChannelState& c) { return c.idle; });
  const bool changed = all_idle != idle_;
  idle_ = all_idle;
  return advance() || changed;
}

bool WatermarkCombiner::advance() {
  int64_t smallest = kMaxWatermark;
  int64_t largest = kMinWatermark;
  bool any = false;
  for (const ChannelState& channel : channels_) {
    largest = std::max(largest, channel.watermark);
    if (channel.idle || !channel.aligned) continue;
    any = true;
    smallest = std::min(smallest, channel.watermark);
  }
  if (idle_) {
    smallest = largest;
  } else if (!any) {
    return false;
  }
  if (smallest <= output_) return false;
  output_ = smallest;
  return true;
}

}  // namespace yeoul
