#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/datastream/collection_source.h"
#include "yeoul/datastream/data_stream.h"
#include "yeoul/datastream/duration.h"
#include "yeoul/datastream/environment_state.h"
#include "yeoul/datastream/restart_strategies.h"
#include "yeoul/datastream/watermark_source.h"

namespace yeoul {

/// How a job runs, as Flink names it.
enum class RuntimeExecutionMode : uint8_t { kStreaming, kBatch, kAutomatic };

/// Where a program begins: makes streams from sources and starts jobs (Flink's StreamExecutionEnvironment). State is
/// kept in memory (the backend "hashmap") unless config and world say otherwise. Threads: one.
///
///     auto env = StreamExecutionEnvironment::get_execution_environment();
///     env.from_collection<std::string>({"to", "be"}).map([](const std::string& w) { return w.size(); }).print();
///     env.execute("word lengths");
class StreamExecutionEnvironment {
 public:
  static StreamExecutionEnvironment get_execution_environment() { return {}; }

  /// Of operators that are given none; 1 at first. @throws user error 7102
  StreamExecutionEnvironment& set_parallelism(int parallelism);
  int get_parallelism() const { return state_->plan.default_parallelism(); }
  /// The number of key groups, which can never change for a job whose state is to be restored.
  StreamExecutionEnvironment& set_max_parallelism(int parallelism);
  /// Checkpoints in this interval; none without it.
  StreamExecutionEnvironment& enable_checkpointing(Duration interval);
  StreamExecutionEnvironment& set_auto_watermark_interval(Duration interval);
  /// Whether and when a failed job starts again, e.g. `RestartStrategies::fixed_delay_restart(3,
  /// Duration::of_seconds(10))`. At first as in Flink: exponential delay when checkpoints are made, none otherwise.
  StreamExecutionEnvironment& set_restart_strategy(RestartSettings strategy);
  /// Streaming and automatic are the same here: a bounded job is a stream that ends. @throws user error 7107 for batch
  StreamExecutionEnvironment& set_runtime_mode(RuntimeExecutionMode mode);
  /// Every operator runs in a task of its own.
  StreamExecutionEnvironment& disable_operator_chaining();
  /// All settings of the job, those without a setter of their own too.
  JobConfig& config() { return state_->config; }
  /// Clock, files and state backend; tests replace them.
  JobEnvironment& world() { return state_->world; }

  /// A stream of what a source reads. The source is a class with an `OutputType`, as KafkaSource's builder makes.
  template <class S, class Strategy>
  auto from_source(std::shared_ptr<const S> source, Strategy strategy, std::string name) {
    constexpr bool kIsSource = requires { typename S::OutputType; };
    static_assert(kIsSource,
                  "Yeoul: from_source() needs a source that says what it reads: `using OutputType = …;` in its class");
    if constexpr (kIsSource) {
      return from_source<typename S::OutputType>(std::shared_ptr<const Source>(std::move(source)), std::move(strategy),
                                                 std::move(name));
    }
  }
  template <class S, class Strategy>
  auto from_source(std::shared_ptr<S> source, Strategy strategy, std::string name) {
    return from_source(std::shared_ptr<const S>(std::move(source)), std::move(strategy), std::move(name));
  }

  template <class NoSource, class Strategy>
    requires(!kIsSharedPtr<NoSource>)
  void from_source(const NoSource&, Strategy, std::string) {
    static_assert(!std::is_same_v<NoSource, NoSource>,
                  "Yeoul: from_source() takes a std::shared_ptr to a source: call build() on its builder");
  }

  /// The same for a source that does not say what it reads, e.g. that of a table: `from_source<Row>(…)`.
  template <class T, class Strategy>
  DataStream<T> from_source(std::shared_ptr<const Source> source, Strategy strategy, std::string name) {
    if constexpr (check_strategy<T, Strategy>()) {
      const SourceWithStrategy parts = apply_strategy<T>(std::move(source), strategy);
      return DataStream<T>(state_, state_->plan.add_source(std::move(name), parts.source, parts.strategy));
    }
  }

  /// A bounded stream of these records, in this order; it cannot be read in parallel.
  template <class T>
  DataStream<T> from_collection(std::vector<T> values) {
    check_record_type<T>();
    const int id = state_->plan.add_source("Collection Source",
                                           std::make_shared<const CollectionSource<T>>(std::move(values)), nullptr);
    state_->plan.set_not_parallel(id);
    return DataStream<T>(state_, id);
  }
  template <class T>
  DataStream<T> from_collection(std::initializer_list<T> values) {
    return from_collection(std::vector<T>(values));
  }
  template <class T>
  DataStream<T> from_elements(T first, std::type_identity_t<T> second, auto... more) {
    return from_collection(std::vector<T>{std::move(first), std::move(second), std::move(more)...});
  }
  /// The numbers from `start` to `end`, both included, dealt out over the subtasks.
  DataStream<int64_t> from_sequence(int64_t start, int64_t end);

  /// Runs the job to its end and returns it, for its counters. @throws what failed it
  std::unique_ptr<Job> execute(const std::string& job_name = "");
  /// Starts the job and returns it running. Dropping it cancels it.
  std::unique_ptr<Job> execute_async(const std::string& job_name = "");
  /// What execute() would run; for tests and tools.
  StreamGraph get_stream_graph() { return state_->plan.take_graph(false); }
  /// For those who add to the program, as StreamTableEnvironment does.
  const std::shared_ptr<EnvironmentState>& shared_state() const { return state_; }

 private:
  StreamExecutionEnvironment() : state_(std::make_shared<EnvironmentState>()) {}

  std::shared_ptr<EnvironmentState> state_;
};

}  // namespace yeoul
