#include "yeoul/runtime/input_gate.h"

#include <algorithm>

namespace yeoul {

InputGate::InputGate(const std::vector<Input>& inputs) {
  for (const Input& input : inputs) channels_.push_back({.channel = input.channel, .input = input.input});
}

int InputGate::next() {
  const size_t count = channels_.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t at = turn_;
    turn_ = turn_ + 1 == count ? 0 : turn_ + 1;
    if (!channels_[at].blocked && channels_[at].channel->peek() != nullptr) return static_cast<int>(at);
  }
  return -1;
}

bool InputGate::on_barrier(size_t channel, int64_t checkpoint_id) {
  if (checkpoint_id <= ignored_ || checkpoint_id < aligning_) return false;
  if (checkpoint_id != aligning_) {
    release();
    aligning_ = checkpoint_id;
  }
  channels_[channel].blocked = true;
  return aligned();
}

bool InputGate::on_closed(size_t channel) {
  channels_[channel].closed = true;
  return aligning_ != 0 && aligned();
}

bool InputGate::aligned() const {
  return std::all_of(channels_.begin(), channels_.end(), [](const State& s) { return s.blocked || s.closed; });
}

bool InputGate::on_end_of_input(size_t channel) {
  channels_[channel].ended = true;
  const int input = channels_[channel].input;
  return std::all_of(channels_.begin(), channels_.end(), [&](const State& s) { return s.input != input || s.ended; });
}

bool InputGate::all_ended() const {
  return std::all_of(channels_.begin(), channels_.end(), [](const State& s) { return s.ended; });
}

bool InputGate::all_closed() const {
  return std::all_of(channels_.begin(), channels_.end(), [](const State& s) { return s.closed; });
}

void InputGate::release() {
  for (State& state : channels_) state.blocked = false;
  ignored_ = std::max(ignored_, aligning_);
  aligning_ = 0;
}

void InputGate::abort(int64_t checkpoint_id) {
  ignored_ = std::max(ignored_, checkpoint_id);
  if (aligning_ != 0 && aligning_ <= checkpoint_id) release();
}

}  // namespace yeoul
