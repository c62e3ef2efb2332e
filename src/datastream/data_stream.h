#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "yeoul/datastream/broadcast_state.h"
#include "yeoul/datastream/collected_results.h"
#include "yeoul/datastream/custom_partitioner.h"
#include "yeoul/datastream/element_operators.h"
#include "yeoul/datastream/key_extractor.h"
#include "yeoul/datastream/operator_factories.h"
#include "yeoul/datastream/process_operators.h"
#include "yeoul/datastream/stream_base.h"
#include "yeoul/datastream/watermark_operator.h"

namespace yeoul {

template <class T, class K>
class KeyedStream;
template <class T1, class T2>
class ConnectedStreams;
template <class T, class... Maps>
class BroadcastStream;
template <class T, class Stream, class... Maps>
class BroadcastConnectedStream;

/// A stream of records of type T, as described so far; operators added to it run once execute() is called. It is a
/// handle: copies mean the same stream. Functions are copied into every subtask, so what they hold is not shared.
/// Threads: one.
template <class T>
class DataStream : public StreamSettings<DataStream<T>> {
 public:
  using RecordType = T;
  /// What the functions of map(), filter() and flat_map() take.
  using View = RecordView<T>;

  DataStream(std::shared_ptr<EnvironmentState> state, int node)
      : DataStream(std::move(state), std::vector<StreamInput>{{.node = node, .splitter = splitter_of<T>()}}) {}
  DataStream(std::shared_ptr<EnvironmentState> state, std::vector<StreamInput> inputs)
      : state_(std::move(state)), inputs_(std::move(inputs)) {}
  /// The result of an operator with side outputs.
  DataStream(std::shared_ptr<EnvironmentState> state, int node, std::shared_ptr<ConnectedTags> tags)
      : DataStream(std::move(state), node) {
    tags_ = std::move(tags);
  }

  /// One record for each: `Out(const T&)`; of rows `Out(const RowView&)`.
  template <class F>
  auto map(F function) const {
    return add_map(std::move(function), WithoutKeys());
  }

  /// The records for which the function holds: `bool(const T&)`.
  template <class F>
  DataStream<T> filter(F function) const {
    return add_filter(std::move(function), WithoutKeys());
  }

  /// Any number of records for each: `void(const T&, Collector<Out>&)`, also as a class's method flat_map(), or a
  /// function that returns a list of them. For a generic one name the type: `flat_map<Out>(…)`.
  template <class Named = void, class F>
  auto flat_map(F function) const {
    return add_flat_map<Named>(std::move(function), WithoutKeys());
  }

  /// Records of one key go to one subtask and share state. The key needs a TypeInfo. Of rows: `[](const RowView& row)
  /// { return row.get<std::string>(0); }`.
  template <class F>
  auto key_by(F key) const {
    static_assert(std::is_invocable_v<const F&, const View&>,
                  "Yeoul: key_by() needs a function that takes one record and returns its key, e.g. "
                  "[](const Click& click) { return click.user; }");
    if constexpr (std::is_invocable_v<const F&, const View&>) {
      using K = std::decay_t<std::invoke_result_t<const F&, const View&>>;
      check_record_type<K>();
      return KeyedStream<T, K>(state_, inputs_, std::make_shared<FunctionKeyExtractor<T, K, F>>(std::move(key)));
    }
  }

  /// A ProcessFunction: any records out, side outputs.
  template <class F>
  auto process(F function) const {
    static_assert(ProcessFunctionFor<F, T>,
                  "Yeoul: process() on a stream without keys needs an object of a class that derives from "
                  "ProcessFunction<In, Out>, with In the type of the stream's records");
    if constexpr (ProcessFunctionFor<F, T>) {
      using Out = typename F::Output;
      check_output_type<Out>();
      auto tags = std::make_shared<ConnectedTags>();
      return add_with_tags<Out>(
          "Process", tags,
          operator_factory<ProcessOperator<T, F>>(std::shared_ptr<const ConnectedTags>(tags), std::move(function)));
    }
  }
  /// What the operator that made this stream sent to a side output. @throws user error 7118 where it has none
  template <class X>
  DataStream<X> get_side_output(const OutputTag<X>& tag) const {
    connect_tag(tags_.get(), state_->plan.node(node_id()).name, tag.id(), typeid(X));
    return DataStream<X>(state_, {{.node = node_id(), .tag = tag.id(), .splitter = splitter_of<X>()}});
  }
  /// Event time from the records themselves, from here on.
  template <class Strategy>
  DataStream<T> assign_timestamps_and_watermarks(Strategy strategy) const {
    check_not_rows<T>();
    if constexpr (check_strategy<T, Strategy>()) {
      return add<T>("Timestamps/Watermarks", operator_factory<WatermarkOperator<T, Strategy>>(
                                                 std::move(strategy), state_->config.auto_watermark_interval_ms));
    }
  }
  /// All records in windows, in one subtask. Needs "yeoul/datastream/windowed_stream.h".
  template <class Assigner>
  auto window_all(Assigner assigner) const {
    check_not_rows<T>();
    return without_keys().window(std::move(assigner));
  }
  auto count_window_all(int64_t size) const { return without_keys().count_window(size); }
  /// This stream and another one before one function. @throws user error 7129 for one of another environment
  template <class Other>
  auto connect(const Other& other) const {
    return other.connected_to(*this);
  }
  template <class First>
  auto connected_to(const DataStream<First>& first) const {
    return ConnectedStreams<First, T>(first, *this);
  }

  /// All records of this stream and the others. @throws user error 7129 for streams of another environment
  template <class... Others>
  DataStream<T> union_(const Others&... others) const {
    static_assert((std::is_base_of_v<DataStream<T>, Others> && ...),
                  "Yeoul: union_() joins streams of one type; map() the others to it first");
    (check_same_environment("union_()", *this, others), ...);
    DataStream<T> result = *this;
    (result.inputs_.insert(result.inputs_.end(), others.inputs_.begin(), others.inputs_.end()), ...);
    return result;
  }

  // How records are dealt out over the next operator's subtasks.
  DataStream<T> rebalance() const { return partitioned(Partitioning::kRebalance); }
  /// As rebalance(): whole batches go to the subtasks in turn.
  DataStream<T> shuffle() const { return partitioned(Partitioning::kRebalance); }
  /// To the same subtask where both sides have as many, else as rebalance().
  DataStream<T> rescale() const {
    DataStream<T> result = partitioned(Partitioning::kForward);
    for (StreamInput& input : result.inputs_) input.partitioning_chosen = false;
    return result;
  }
  /// To the subtask that `int(const K& key, int num_partitions)`, or a method partition() of that form, says.
  template <class P, class F>
  DataStream<T> partition_custom(P partitioner, F key) const {
    static_assert(std::is_invocable_v<const F&, const View&>,
                  "Yeoul: partition_custom() needs as its second argument a function that takes one record and returns "
                  "its key");
    using K = std::decay_t<std::invoke_result_t<const F&, const View&>>;
    static_assert(PartitionerFor<P, K>,
                  "Yeoul: partition_custom() needs as its first argument a function `int(const K& key, int "
                  "num_partitions)` of the key that the second one returns");
    DataStream<T> result = partitioned(Partitioning::kCustom);
    const auto custom = std::make_shared<const CustomPartitioner<T, P, F>>(std::move(partitioner), std::move(key));
    for (StreamInput& input : result.inputs_) input.partitioner = custom;
    return result;
  }
  DataStream<T> forward() const { return partitioned(Partitioning::kForward); }
  /// Every subtask gets every record.
  DataStream<T> broadcast() const { return partitioned(Partitioning::kBroadcast); }
  /// Every subtask gets every record and may keep maps of them; connect() another stream to it.
  template <class... K, class... V>
  BroadcastStream<T, BroadcastMap<K, V>...> broadcast(const MapStateDescriptor<K, V>&... descriptors) const {
    return {broadcast(), BroadcastMap<K, V>(descriptors)...};
  }

  /// The sink is a class with an `InputType`, as KafkaSink's builder makes.
  template <class S>
  DataStreamSink sink_to(std::shared_ptr<S> sink) const {
    constexpr bool kIsSink = requires { typename S::InputType; };
    static_assert(kIsSink,
                  "Yeoul: sink_to() needs a sink that says what it takes: `using InputType = …;` in its class");
    if constexpr (kIsSink) {
      static_assert(std::is_same_v<typename S::InputType, T>,
                    "Yeoul: sink_to(): the sink takes records of another type than the stream has");
      return add_stream_sink(state_, "Writer", std::move(sink), inputs_);
    }
  }
  template <class NoSink>
    requires(!kIsSharedPtr<NoSink>)
  void sink_to(const NoSink&) const {
    static_assert(!std::is_same_v<NoSink, NoSink>,
                  "Yeoul: sink_to() takes a std::shared_ptr to a sink: call build() on its builder");
  }

  /// Lines on the standard output, as append_text() makes them.
  DataStreamSink print(std::string sink_identifier = "") const {
    return add_stream_sink(state_, "Print to Std. Out", print_sink(std::move(sink_identifier), print_batch<T>),
                           inputs_);
  }

  /// Starts the job of everything described so far and hands over this stream's records while it runs.
  CloseableIterator<T> execute_and_collect(const std::string& job_name = "") const {
    static_assert(!std::is_same_v<T, Row>,
                  "Yeoul: execute_and_collect() gives records; map() the rows to some first, e.g. "
                  "[](const RowView& row) { return row.get<std::string>(0); }");
    auto batches = std::make_shared<CollectedBatches>();
    DataStreamSink sink = add_stream_sink(state_, "Collect", collect_sink(batches), inputs_);
    state_->plan.set_not_parallel(sink.node_id());
    return CloseableIterator<T>(CollectedJob(state_->start(job_name), std::move(batches)));
  }
  /// The first `limit` records; the job ends then.
  std::vector<T> execute_and_collect(const std::string& job_name, size_t limit) const {
    CloseableIterator<T> results = execute_and_collect(job_name);
    std::vector<T> values;
    while (values.size() < limit) {
      std::optional<T> value = results.next();
      if (!value) return values;
      values.push_back(std::move(*value));
    }
    results.close();
    return values;
  }

  // For streams and operators of this module:
  EnvironmentState& state() const { return *state_; }
  const std::shared_ptr<EnvironmentState>& shared_state() const { return state_; }
  const std::vector<StreamInput>& inputs() const { return inputs_; }
  int node_id() const { return single_node(inputs_); }
  /// The operator cannot run in parallel.
  void set_not_parallel() const { state_->plan.set_not_parallel(node_id()); }
  template <class Out>
  DataStream<Out> add_with_tags(std::string name, std::shared_ptr<ConnectedTags> tags,
                                std::shared_ptr<const OperatorFactory> factory) const {
    const int node = state_->plan.add_operator(std::move(name), std::move(factory), {inputs_});
    return DataStream<Out>(state_, node, std::move(tags));
  }

 protected:
  template <class Out>
  DataStream<Out> add(std::string name, std::shared_ptr<const OperatorFactory> factory) const {
    return DataStream<Out>(state_, state_->plan.add_operator(std::move(name), std::move(factory), {inputs_}));
  }
  template <class F, class Keys>
  auto add_map(F function, Keys keys) const {
    static_assert(MapFunctionFor<F, View>,
                  "Yeoul: map() needs a function that takes one record and returns the new one, e.g. "
                  "[](const Click& click) { return click.user; }");
    if constexpr (MapFunctionFor<F, View>) {
      using Out = std::decay_t<decltype(call_map(std::declval<F&>(), std::declval<const View&>()))>;
      check_record_type<Out>();
      return add<Out>("Map",
                      element_operator_factory<MapOperator<T, Out, F, Keys>>(std::move(function), std::move(keys)));
    }
  }
  template <class F, class Keys>
  DataStream<T> add_filter(F function, Keys keys) const {
    static_assert(FilterFunctionFor<F, View>,
                  "Yeoul: filter() needs a function that takes one record and returns bool, e.g. "
                  "[](const Click& click) { return click.at > 0; }");
    if constexpr (FilterFunctionFor<F, View>) {
      return add<T>("Filter",
                    element_operator_factory<FilterOperator<T, F, Keys>>(std::move(function), std::move(keys)));
    }
  }
  template <class Named, class F, class Keys>
  auto add_flat_map(F function, Keys keys) const {
    using Out = typename decltype(flat_map_output<Named, F, View>())::type;
    constexpr bool kFits = !std::is_void_v<Out> && (ListFunctionFor<F, View> || CollectingFunctionFor<F, View, Out>);
    static_assert(kFits,
                  "Yeoul: flat_map() needs a function `void(const T& value, Collector<Out>& out)`, or one that takes a "
                  "record and returns a list, e.g. a std::vector<Out>");
    if constexpr (kFits) {
      check_record_type<Out>();
      return add<Out>("FlatMap",
                      element_operator_factory<FlatMapOperator<T, Out, F, Keys>>(std::move(function), std::move(keys)));
    }
  }

 private:
  DataStream<T> partitioned(Partitioning partitioning) const {
    DataStream<T> result = *this;
    for (StreamInput& input : result.inputs_) {
      input.partitioning = partitioning;
      input.partitioning_chosen = true;
      input.key_selector = nullptr;
      input.partitioner = nullptr;
    }
    return result;
  }

  auto without_keys() const {
    return key_by([](const View&) { return NoKey(); });
  }

  std::shared_ptr<EnvironmentState> state_;
  std::vector<StreamInput> inputs_;
  std::shared_ptr<ConnectedTags> tags_;  ///< null: the operator has no side outputs
};

}  // namespace yeoul
