#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/datastream/environment_state.h"

namespace yeoul {

/// The settings that every stream's operator has; `Self` is the stream's class, which each setter returns.
/// Threads: one.
template <class Self>
class StreamSettings {
 public:
  /// Shown in plans, metrics and errors.
  Self& name(std::string name) {
    node().name = std::move(name);
    return self();
  }
  /// The identity of the operator's state: give one to every operator whose state is to be restored by another version
  /// of the program.
  Self& uid(std::string uid) {
    node().uid = std::move(uid);
    return self();
  }
  /// @throws user error 7102, 7103
  Self& set_parallelism(int parallelism) {
    self().state().plan.set_parallelism(self().node_id(), parallelism);
    return self();
  }
  /// Words for whoever reads the program; no effect.
  Self& set_description(const std::string&) { return self(); }
  /// No effect: all operators run in this process.
  Self& slot_sharing_group(const std::string&) { return self(); }
  /// The operator is in a chain of its own: neither what comes before nor what comes behind runs in its task.
  Self& disable_chaining() {
    self().state().plan.set_unchained(self().node_id());
    return self();
  }
  /// The operator begins a chain of its own.
  Self& start_new_chain() {
    node().chain_with_input = false;
    return self();
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
  StreamNode& node() { return self().state().plan.node(self().node_id()); }
};

/// A sink at the end of a stream; takes settings only.
class DataStreamSink : public StreamSettings<DataStreamSink> {
 public:
  DataStreamSink(std::shared_ptr<EnvironmentState> state, int node) : state_(std::move(state)), node_(node) {}

  EnvironmentState& state() { return *state_; }
  int node_id() const { return node_; }

 private:
  std::shared_ptr<EnvironmentState> state_;
  int node_;
};

/// The only edge's node. @throws user error 7109 for a union, which is no operator
int single_node(const std::vector<StreamInput>& inputs);
/// @param call  that takes both streams, e.g. "union_()"
/// @throws user error 7129 for streams of two environments: no job would hold both
void check_same_environment(std::string_view call, const EnvironmentState& first,
                            const std::vector<StreamInput>& from_first, const EnvironmentState& second,
                            const std::vector<StreamInput>& from_second);
template <class First, class Second>
void check_same_environment(std::string_view call, const First& first, const Second& second) {
  check_same_environment(call, first.state(), first.inputs(), second.state(), second.inputs());
}
/// Notes that somebody reads a side output. @param tags  null: the operator has none
/// @throws user error 7118 where there is none, 7110 where it is read with two types
void connect_tag(ConnectedTags* tags, const std::string& operator_name, const std::string& tag, std::type_index type);
/// Adds a sink; `name` is shown behind "Sink: ".
DataStreamSink add_stream_sink(const std::shared_ptr<EnvironmentState>& state, std::string name,
                               std::shared_ptr<const Sink> sink, const std::vector<StreamInput>& inputs);

}  // namespace yeoul
