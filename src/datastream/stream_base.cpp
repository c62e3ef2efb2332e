#include "yeoul/datastream/stream_base.h"

#include "yeoul/common/error.h"

namespace yeoul {

int single_node(const std::vector<StreamInput>& inputs) {
  if (inputs.size() != 1) {
    throw user_error(7109,
                     "a union of {} streams is no operator: give name, uid, parallelism or side outputs to the "
                     "streams before or after it",
                     inputs.size());
  }
  return inputs.front().node;
}

DataStreamSink add_stream_sink(const std::shared_ptr<EnvironmentState>& state, std::string name,
                               std::shared_ptr<const Sink> sink, const std::vector<StreamInput>& inputs) {
  return DataStreamSink(state, state->plan.add_sink("Sink: " + name, std::move(sink), inputs));
}

}  // namespace yeoul
