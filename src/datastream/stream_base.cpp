#include "yeoul/datastream/stream_base.h"

#include "yeoul/common/error.h"
#include "yeoul/datastream/custom_partitioner.h"

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

void check_same_environment(std::string_view call, const EnvironmentState& first,
                            const std::vector<StreamInput>& from_first, const EnvironmentState& second,
                            const std::vector<StreamInput>& from_second) {
  if (&first == &second) return;
  throw user_error(
      7129,
      "{}: stream '{}' and stream '{}' belong to two StreamExecutionEnvironments, and a job runs the streams "
      "of one: make the sources of both by the same environment",
      call, first.plan.node(from_first.front().node).name, second.plan.node(from_second.front().node).name);
}

void connect_tag(ConnectedTags* tags, const std::string& operator_name, const std::string& tag, std::type_index type) {
  if (tags == nullptr) {
    throw user_error(7118, "'{}' has no side outputs: call get_side_output() on the result of process() or of a window",
                     operator_name);
  }
  if (tags->try_emplace(tag, type).first->second != type) {
    throw user_error(7110, "side output '{}' of '{}' is read with two types", tag, operator_name);
  }
}

void throw_no_such_partition(int partition, int num_partitions) {
  throw user_error(7119, "partition_custom(): the partitioner returned {}, but there are the partitions 0 to {}",
                   partition, num_partitions - 1);
}

DataStreamSink add_stream_sink(const std::shared_ptr<EnvironmentState>& state, std::string name,
                               std::shared_ptr<const Sink> sink, const std::vector<StreamInput>& inputs) {
  return DataStreamSink(state, state->plan.add_sink("Sink: " + name, std::move(sink), inputs));
}

}  // namespace yeoul
