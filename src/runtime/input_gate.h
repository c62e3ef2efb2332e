#pragma once

#include <cstdint>
#include <vector>

#include "yeoul/runtime/channel.h"

namespace yeoul {

/// The channels into a task, and the alignment of their barriers: a channel whose barrier has come is not read until
/// those of all others have come (D13). Threads: the task's.
class InputGate {
 public:
  struct Input {
    Channel* channel = nullptr;
    int input = 0;  ///< of the head operator
  };

  explicit InputGate(const std::vector<Input>& inputs);

  size_t num_channels() const { return channels_.size(); }
  int input_of(size_t channel) const { return channels_[channel].input; }
  /// The next channel that has an element and is not blocked, in turn; -1: none.
  int next();
  StreamElement pop(size_t channel) { return channels_[channel].channel->pop(); }

  /// True: barriers of this checkpoint have come on all channels. The caller releases after its snapshot.
  bool on_barrier(size_t channel, int64_t checkpoint_id);
  /// True: a barrier being aligned waited for this channel only; see aligning().
  bool on_closed(size_t channel);
  /// True: all channels of this channel's input have ended.
  bool on_end_of_input(size_t channel);
  bool all_ended() const;
  bool all_closed() const;
  int64_t aligning() const { return aligning_; }
  /// Reads all channels again.
  void release();
  /// Barriers up to this checkpoint are ignored from now on.
  void abort(int64_t checkpoint_id);

 private:
  struct State {
    Channel* channel;
    int input;
    bool blocked = false;
    bool ended = false;
    bool closed = false;
  };

  bool aligned() const;

  std::vector<State> channels_;
  size_t turn_ = 0;
  int64_t aligning_ = 0;  ///< 0: none
  int64_t ignored_ = 0;
};

}  // namespace yeoul
