#include "yeoul/runtime/task.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "yeoul/runtime/checkpoint_storage.h"
#include "yeoul/state/hashmap/hashmap_backend.h"
#include "yeoul/testing/number_operators.h"
#include "yeoul/testing/stepped_job.h"
#include "yeoul/testing/test_sink.h"
#include "yeoul/testing/test_source.h"

namespace yeoul {
namespace {

TEST(Channel, IsBoundedByBytesAndControlAlwaysFits) {
  WakeUp producer, consumer;
  Channel channel(20, producer, consumer);
  EXPECT_TRUE(channel.has_room());
  EXPECT_EQ(channel.peek(), nullptr);
  channel.push(BatchPtr(numbers({1, 2})));
  EXPECT_FALSE(channel.has_room());
  channel.push(Barrier{7});
  EXPECT_EQ(std::get<BatchPtr>(*channel.peek())->num_records(), 2u);
  channel.pop();
  EXPECT_TRUE(channel.has_room());
  EXPECT_EQ(std::get<Barrier>(channel.pop()).checkpoint_id, 7);
  EXPECT_EQ(channel.peek(), nullptr);
}

/// Two channels into one gate.
struct TwoChannels {
  WakeUp wake_up;
  Channel left{1000, wake_up, wake_up};
  Channel right{1000, wake_up, wake_up};
  InputGate gate{{{&left, 0}, {&right, 1}}};
};

TEST(InputGate, DoesNotReadPastABarrierUntilAllHaveCome) {
  TwoChannels world;
  world.left.push(Barrier{1});
  world.left.push(Watermark{5});
  EXPECT_EQ(world.gate.next(), 0);
  world.gate.pop(0);
  EXPECT_FALSE(world.gate.on_barrier(0, 1));
  EXPECT_EQ(world.gate.next(), -1);
  world.right.push(Watermark{6});
  world.right.push(Barrier{1});
  EXPECT_EQ(world.gate.next(), 1);
  world.gate.pop(1);
  EXPECT_EQ(world.gate.next(), 1);
  world.gate.pop(1);
  EXPECT_TRUE(world.gate.on_barrier(1, 1));
  world.gate.release();
  EXPECT_EQ(world.gate.next(), 0);
}

TEST(InputGate, NewerBarrierOrAbortEndsAnAlignment) {
  TwoChannels world;
  EXPECT_FALSE(world.gate.on_barrier(0, 1));
  EXPECT_FALSE(world.gate.on_barrier(1, 2));  // 1 will not come any more
  EXPECT_EQ(world.gate.aligning(), 2);
  EXPECT_FALSE(world.gate.on_barrier(0, 1));
  world.gate.abort(2);
  EXPECT_EQ(world.gate.aligning(), 0);
  EXPECT_FALSE(world.gate.on_barrier(0, 2));
  EXPECT_FALSE(world.gate.on_barrier(0, 3));
  EXPECT_TRUE(world.gate.on_closed(1));  // nothing more comes there
}

TEST(Task, DoesNotWaitForTimersThatCannotFire) {
  FakeClock clock;
  FakeFileSystem files;
  auto source = std::make_shared<TestSource>(std::vector<BatchPtr>{number_range(0, 1000)}, number_splitter());
  auto sink = std::make_shared<TestSink>(number_lines);
  StreamGraph graph;
  const int s = graph.add_source("source", "source", 1, source, std::make_shared<NumberWatermarks>());
  const int k = graph.add_sink("sink", "sink", 1, sink);
  graph.connect(partitioned(s, k, Partitioning::kRebalance));
  sink->set_room(false);
  SteppedJob job(graph, {.name = "job", .job_id = "1", .channel_bytes_max = 200, .auto_watermark_interval_ms = 10},
                 clock, files);
  job.run_for(50);
  const Task& full = *job.job().execution()->tasks()[0];
  EXPECT_EQ(full.wait_ms(), -1);  // else its thread would spin: the watermark is due, and there is no room
  sink->set_room(true);
  job.run_until_idle();
  EXPECT_EQ(job.status(), JobStatus::kFinished);
}

TEST(Task, AnswersMailUnderBackpressure) {
  FakeClock clock;
  FakeFileSystem files;
  auto source = std::make_shared<TestSource>(std::vector<BatchPtr>{number_range(0, 1000)}, number_splitter());
  auto sink = std::make_shared<TestSink>(number_lines);
  StreamGraph graph;
  const int s = graph.add_source("source", "source", 1, source);
  const int k = graph.add_sink("sink", "sink", 1, sink);
  graph.connect(partitioned(s, k, Partitioning::kRebalance));
  sink->set_room(false);
  SteppedJob job(graph,
                 {.name = "job",
                  .job_id = "1",
                  .batch_records_max = 10,
                  .channel_bytes_max = 200,
                  .checkpoint_interval_ms = 100,
                  .checkpoint_directory = "/state"},
                 clock, files);
  job.run_until_idle();
  const int64_t read = job.job().progress().records_in;
  EXPECT_GT(read, 0);
  EXPECT_LE(read, 20);  // bounded by the channel, with one batch over
  job.run_for(110);     // the trigger is answered: the barrier waits behind what is in the channel
  EXPECT_FALSE(job.job().progress().last_checkpoint.has_value());
  sink->set_room(true);
  job.run_until_idle();
  EXPECT_EQ(job.status(), JobStatus::kFinished);
  EXPECT_EQ(sink->lines().size(), 1000u);
  const auto mailed = job.job().progress().last_checkpoint;
  ASSERT_TRUE(mailed.has_value());
  EXPECT_EQ(mailed->id, 2);  // the one triggered under backpressure, and the last
}

TEST(Task, NoInputComesWhileACursorIsOpen) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    FakeClock clock;
    FakeFileSystem files;
    auto source = std::make_shared<TestSource>(std::vector<BatchPtr>{number_range(0, 50)}, number_splitter());
    auto sink = std::make_shared<TestSink>(number_lines);
    StreamGraph graph;
    const int s = graph.add_source("source", "source", 1, source);
    const int a = graph.add_operator("first", "first", 1, 1, factory_of<ExplodeOperator>());
    const int b = graph.add_operator("second", "second", 1, 1, factory_of<ExplodeOperator>());
    const int k = graph.add_sink("sink", "sink", 1, sink);
    graph.connect(forward(s, a));
    graph.connect(forward(a, b));
    graph.connect(partitioned(b, k, Partitioning::kRebalance));
    SteppedJob job(graph, {.batch_records_max = 5, .channel_bytes_max = 40}, clock, files, nullptr, seed);
    job.run_until_idle();
    EXPECT_EQ(job.status(), JobStatus::kFinished);
    std::vector<std::string> expected;
    for (int64_t n = 0; n < 50; ++n) {
      for (int64_t i = 0; i < 10; ++i) {
        for (int64_t j = 0; j < 10; ++j) expected.push_back(std::to_string(n + i + j));
      }
    }
    EXPECT_EQ(sink->lines(), expected);  // in order
  }
}

TEST(Task, ProcessingTimersFireByTheClock) {
  class Ticks final : public Operator {
   public:
    void open(OperatorContext& context) override {
      context.register_processing_timer(context.clock().wall_ms() + 50,
                                        [&context] { context.output().emit(numbers({42})); });
    }
    void process_batch(int, const BatchPtr&, OperatorOutput&) override {}
  };
  FakeClock clock;
  FakeFileSystem files;
  auto source = std::make_shared<TestSource>(std::vector<BatchPtr>{numbers({1})}, number_splitter(), false);
  auto sink = std::make_shared<TestSink>(number_lines);
  StreamGraph graph;
  const int s = graph.add_source("source", "source", 1, source);
  const int o = graph.add_operator("ticks", "ticks", 1, 1, factory_of<Ticks>());
  const int k = graph.add_sink("sink", "sink", 1, sink);
  graph.connect(forward(s, o));
  graph.connect(forward(o, k));
  SteppedJob job(graph, {}, clock, files);
  job.run_for(40);
  EXPECT_TRUE(sink->lines().empty());
  job.run_for(20);
  EXPECT_EQ(sink->lines(), std::vector<std::string>{"42"});
}

TEST(Task, SplitsFoundLaterAreRead) {
  FakeClock clock;
  FakeFileSystem files;
  auto source = std::make_shared<TestSource>(std::vector<BatchPtr>{number_range(0, 10)}, number_splitter(), false);
  source->set_discovery_period_ms(100);
  auto sink = std::make_shared<TestSink>(number_lines);
  StreamGraph graph;
  const int s = graph.add_source("source", "source", 2, source);
  const int k = graph.add_sink("sink", "sink", 2, sink);
  graph.connect(forward(s, k));
  SteppedJob job(graph, {}, clock, files);
  job.run_for(50);
  EXPECT_EQ(sink->lines().size(), 10u);
  source->add_split(number_range(10, 10));
  job.run_for(200);
  EXPECT_EQ(sink->lines().size(), 20u);
  EXPECT_EQ(source->hand_overs(), (std::vector<std::string>{"0<-s0", "1<-s1"}));
}

TEST(Task, KeyedStateIsRestoredAtAnotherParallelism) {
  const HashMapBackendFactory backend;
  std::vector<int64_t> repeated;
  for (int64_t i = 0; i < 200; ++i) repeated.push_back(i % 20);
  std::vector<std::string> expected;
  for (int64_t key = 0; key < 20; ++key) expected.push_back(std::to_string(key * 1000 + 10));
  for (const int parallelism : {1, 2, 3}) {
    FakeClock clock;
    FakeFileSystem files;
    auto source = std::make_shared<TestSource>(std::vector<BatchPtr>{numbers(repeated)}, number_splitter());
    auto sink = std::make_shared<TestSink>(number_lines, true);
    const auto graph_at = [&](int p) {
      StreamGraph graph;
      const int s = graph.add_source("source", "source", 1, source);
      const int o = graph.add_operator("count", "count", p, 1, std::make_shared<CountOperatorFactory>());
      const int k = graph.add_sink("sink", "sink", p, sink);
      graph.connect(partitioned(s, o, Partitioning::kHash));
      graph.connect(forward(o, k));
      return graph;
    };
    JobConfig config{.name = "job",
                     .job_id = "1",
                     .batch_records_max = 7,
                     .checkpoint_interval_ms = 100,
                     .checkpoint_directory = "/state"};
    source->set_limit(130);
    {
      SteppedJob job(graph_at(2), config, clock, files, &backend);
      job.run_for(110);
      job.kill();
      files.crash();
    }
    source->set_limit(1000);
    config.restore_path = find_latest_checkpoint(files, "/state", "job").value();
    SteppedJob job(graph_at(parallelism), config, clock, files, &backend);
    job.run_until_idle();
    EXPECT_EQ(job.status(), JobStatus::kFinished);
    EXPECT_EQ(sorted_lines(sink->lines()), sorted_lines(expected)) << "parallelism " << parallelism;
  }
}

TEST(Task, UnknownKeyedStateIsAnError) {
  const HashMapBackendFactory backend;
  FakeClock clock;
  FakeFileSystem files;
  auto source = std::make_shared<TestSource>(std::vector<BatchPtr>{number_range(0, 10)}, number_splitter(), false);
  const auto graph_with = [&](const std::string& state) {
    StreamGraph graph;
    const int s = graph.add_source("source", "source", 1, source);
    const int o = graph.add_operator("count", "count", 1, 1, std::make_shared<CountOperatorFactory>(state));
    graph.connect(partitioned(s, o, Partitioning::kHash));
    return graph;
  };
  JobConfig config{.name = "job",
                   .job_id = "1",
                   .checkpoint_interval_ms = 100,
                   .checkpoint_directory = "/state",
                   .restart = {.type = RestartSettings::Type::kNone}};
  {
    SteppedJob job(graph_with("count"), config, clock, files, &backend);
    job.run_for(110);
    job.kill();
  }
  config.restore_path = find_latest_checkpoint(files, "/state", "job").value();
  {
    SteppedJob job(graph_with("number"), config, clock, files, &backend);
    job.run_until_idle();
    ASSERT_EQ(job.status(), JobStatus::kFailed);
    try {
      std::rethrow_exception(job.job().failure());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), 6011);
      EXPECT_NE(error.message().find("'count' (subtask 1/1)"), std::string::npos) << error.message();
    }
  }
  config.allow_non_restored_state = true;
  SteppedJob job(graph_with("number"), config, clock, files, &backend);
  job.run_until_idle();
  EXPECT_EQ(job.status(), JobStatus::kRunning);
}

TEST(Task, EveryFlippedByteOfKeyedStateIsNoticed) {
  const HashMapBackendFactory backend;
  FakeClock clock;
  FakeFileSystem files;
  auto source = std::make_shared<TestSource>(std::vector<BatchPtr>{number_range(0, 10)}, number_splitter(), false);
  StreamGraph graph;
  const int s = graph.add_source("source", "source", 1, source);
  const int o = graph.add_operator("count", "count", 1, 1, std::make_shared<CountOperatorFactory>());
  graph.connect(partitioned(s, o, Partitioning::kHash));
  JobConfig config{.name = "job",
                   .job_id = "1",
                   .checkpoint_interval_ms = 100,
                   .checkpoint_directory = "/state",
                   .restart = {.type = RestartSettings::Type::kNone}};
  {
    SteppedJob job(graph, config, clock, files, &backend);
    job.run_for(110);
    job.kill();
  }
  const std::string folder = find_latest_checkpoint(files, "/state", "job").value();
  config.restore_path = folder + "/_metadata";  // as good as its folder
  const Checkpoint checkpoint = read_checkpoint(files, config.restore_path);
  ASSERT_EQ(checkpoint.path, folder);
  const std::string path = folder + "/" + checkpoint.find("count")->subtasks[0].keyed->file;
  const std::string bytes = files.read_file(path);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    files.write_file(path, flipped);
    SteppedJob job(graph, config, clock, files, &backend);
    job.run_until_idle();
    ASSERT_EQ(job.status(), JobStatus::kFailed) << i;
    EXPECT_NE(job.failure_text().find(path), std::string::npos) << i;
  }
}

}  // namespace
}  // namespace yeoul
