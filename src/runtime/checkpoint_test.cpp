#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "yeoul/common/hash.h"
#include "yeoul/runtime/checkpoint_metadata.h"
#include "yeoul/runtime/checkpoint_storage.h"
#include "yeoul/testing/number_operators.h"
#include "yeoul/testing/stepped_job.h"
#include "yeoul/testing/test_sink.h"
#include "yeoul/testing/test_source.h"

namespace yeoul {
namespace {

constexpr int64_t kInterval = 1000;

JobConfig config_with_checkpoints() {
  return {.name = "job",
          .job_id = "0123",
          .batch_records_max = 3,
          .channel_bytes_max = 100,
          .checkpoint_interval_ms = kInterval,
          .checkpoint_directory = "/state",
          .restart = {.type = RestartSettings::Type::kNone}};
}

int code_of(const std::exception_ptr& failure) {
  if (!failure) return 0;
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.code();
  }
}

/// What outlives a process: clock, files, and the external systems. 0…99 and 100…199 go through a hash exchange.
struct World {
  FakeClock clock;
  FakeFileSystem files;
  std::shared_ptr<TestSource> source = std::make_shared<TestSource>(
      std::vector<BatchPtr>{number_range(0, 100), number_range(100, 100)}, number_splitter());
  std::shared_ptr<TestSink> sink = std::make_shared<TestSink>(number_lines, true);

  StreamGraph graph(const std::shared_ptr<const OperatorFactory>& factory, int parallelism = 2) const {
    StreamGraph graph;
    const int s = graph.add_source("source", "source", parallelism, source);
    const int o = graph.add_operator("operator", "operator", parallelism, 1, factory);
    const int k = graph.add_sink("sink", "sink", parallelism, sink);
    graph.connect(partitioned(s, o, Partitioning::kHash));
    graph.connect(forward(o, k));
    return graph;
  }
  std::string latest() { return find_latest_checkpoint(files, "/state", "job").value_or(""); }
  int64_t sum_of_lines() const {
    int64_t sum = 0;
    for (const std::string& line : sink->lines()) sum += std::stoll(line);
    return sum;
  }
};

TEST(Checkpoint, RestartCountsEveryRecordOnce) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    World world;
    JobConfig config = config_with_checkpoints();
    config.restart.type = RestartSettings::Type::kFixedDelay;
    config.restart.attempts = 2;
    config.restart.delay_ms = 50;
    world.source->set_limit(seed % 60);
    world.source->fail_once_at(seed % 2, 60 + seed);
    SteppedJob job(world.graph(factory_of<SumOperator>()), config, world.clock, world.files, nullptr, seed);
    job.run_for(kInterval + 10);
    ASSERT_EQ(job.job().progress().last_checkpoint->id, 1) << "seed " << seed;
    world.source->set_limit(1000);
    EXPECT_EQ(job.run_for(10 * kInterval), JobStatus::kFinished) << "seed " << seed;
    EXPECT_EQ(job.job().progress().restarts, 1);
    EXPECT_EQ(world.sum_of_lines(), 199 * 200 / 2) << "seed " << seed;
    EXPECT_EQ(world.sink->lines().size(), 2u);
  }
}

TEST(Checkpoint, RestartDeliversEveryRecordOnce) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    World world;
    JobConfig config = config_with_checkpoints();
    config.restart.type = RestartSettings::Type::kFixedDelay;
    config.restart.attempts = 1;
    world.source->set_limit(seed);
    world.source->fail_once_at(0, 50);
    SteppedJob job(world.graph(factory_of<AddOperator>(0)), config, world.clock, world.files, nullptr, seed);
    job.run_for(kInterval + 10);
    world.source->set_limit(1000);
    EXPECT_EQ(job.run_for(10 * kInterval), JobStatus::kFinished) << "seed " << seed;
    EXPECT_EQ(sorted_lines(world.sink->lines()), sorted_lines(number_lines(*number_range(0, 200)))) << "seed " << seed;
  }
}

TEST(Checkpoint, RestartWithoutOneBeginsAfresh) {
  World world;
  JobConfig config = config_with_checkpoints();
  config.restart.type = RestartSettings::Type::kFixedDelay;
  world.source->fail_once_at(1, 10);
  SteppedJob job(world.graph(factory_of<SumOperator>()), config, world.clock, world.files);
  EXPECT_EQ(job.run_for(10 * kInterval), JobStatus::kFinished);
  EXPECT_EQ(world.sum_of_lines(), 199 * 200 / 2);
}

TEST(Checkpoint, WithCheckpointsAJobRestartsByItself) {
  World world;
  JobConfig config = config_with_checkpoints();
  config.restart = {};
  world.source->fail_once_at(1, 10);
  SteppedJob job(world.graph(factory_of<SumOperator>()), config, world.clock, world.files);
  EXPECT_EQ(job.run_for(990), JobStatus::kRestarting);  // Flink's exponential-delay begins with a second
  EXPECT_EQ(job.run_for(1000 + 10 * kInterval), JobStatus::kFinished);
  EXPECT_EQ(job.job().progress().restarts, 1);
  EXPECT_EQ(world.sum_of_lines(), 199 * 200 / 2);
}

TEST(Checkpoint, AttemptsRunOut) {
  World world;
  JobConfig config = config_with_checkpoints();
  config.restart.type = RestartSettings::Type::kFixedDelay;
  config.restart.attempts = 1;
  world.source->set_limit(20);
  world.source->fail_once_at(1, 10);
  SteppedJob job(world.graph(factory_of<SumOperator>()), config, world.clock, world.files);
  job.run_until_idle();
  EXPECT_EQ(job.status(), JobStatus::kRestarting);
  world.source->fail_once_at(1, 15);
  EXPECT_EQ(job.run_for(5000), JobStatus::kFailed);
  EXPECT_EQ(code_of(job.job().failure()), 4501);
  EXPECT_NE(job.failure_text().find("'source' (subtask 2/2)"), std::string::npos);
}

TEST(Checkpoint, EndOfInputIsOneAndNothingRunsAgain) {
  World world;
  {
    SteppedJob job(world.graph(factory_of<SumOperator>()), config_with_checkpoints(), world.clock, world.files);
    job.run_until_idle();  // the clock stands: the last checkpoint does not wait for the interval
    EXPECT_EQ(job.status(), JobStatus::kFinished);
  }
  EXPECT_EQ(world.sum_of_lines(), 199 * 200 / 2);
  EXPECT_EQ(world.sink->num_final_prepares(), 2);
  const std::string latest = world.latest();
  ASSERT_EQ(latest, "/state/job/0123/chk-1");
  for (const NodeCheckpoint& node : read_checkpoint(world.files, latest).nodes) EXPECT_TRUE(node.finished());

  JobConfig config = config_with_checkpoints();
  config.restore_path = latest;
  const size_t num_hand_overs = world.source->hand_overs().size();
  SteppedJob again(world.graph(factory_of<SumOperator>()), config, world.clock, world.files);
  again.run_until_idle();
  EXPECT_EQ(again.status(), JobStatus::kFinished);
  EXPECT_EQ(world.sink->lines().size(), 2u);
  EXPECT_EQ(world.source->hand_overs().size(), num_hand_overs);
}

TEST(Checkpoint, KilledAndRestoredAtAnotherParallelism) {
  for (const int parallelism : {1, 2, 3}) {
    World world;
    {
      world.source->set_limit(40);
      SteppedJob job(world.graph(factory_of<SumOperator>()), config_with_checkpoints(), world.clock, world.files);
      job.run_for(kInterval + 10);
      world.source->set_limit(70);
      job.run_until_idle();
      job.kill();
      world.files.crash();
    }
    JobConfig config = config_with_checkpoints();
    config.restore_path = world.latest();
    ASSERT_EQ(config.restore_path, "/state/job/0123/chk-1");
    world.source->set_limit(1000);
    SteppedJob job(world.graph(factory_of<SumOperator>(), parallelism), config, world.clock, world.files);
    job.run_until_idle();
    EXPECT_EQ(job.status(), JobStatus::kFinished);
    EXPECT_EQ(world.sum_of_lines(), 199 * 200 / 2) << "parallelism " << parallelism;
    EXPECT_EQ(world.latest(), "/state/job/0123/chk-2");
    EXPECT_EQ(world.sink->restored_states().size(), 2u);
  }
}

TEST(Checkpoint, CommittablesOfTheRestoredOneAreCommittedFirst) {
  World world;
  world.source->set_limit(40);
  world.sink->set_commit_failures(1);
  {
    SteppedJob job(world.graph(factory_of<AddOperator>(0)), config_with_checkpoints(), world.clock, world.files);
    EXPECT_EQ(job.run_for(kInterval + 10), JobStatus::kFailed);  // no restart strategy
    EXPECT_EQ(code_of(job.job().failure()), 4502);
    EXPECT_TRUE(world.sink->lines().empty());
  }
  JobConfig config = config_with_checkpoints();
  config.restore_path = world.latest();
  SteppedJob job(world.graph(factory_of<AddOperator>(0)), config, world.clock, world.files);
  job.run_until_idle();
  EXPECT_EQ(world.sink->lines().size(), 80u);
  world.source->set_limit(1000);
  EXPECT_EQ(job.run_for(10), JobStatus::kFinished);
  EXPECT_EQ(sorted_lines(world.sink->lines()), sorted_lines(number_lines(*number_range(0, 200))));
}

TEST(Checkpoint, CommitIsTriedAgainAtEveryRestart) {
  World world;
  world.source->set_limit(40);
  world.sink->set_commit_failures(3);
  JobConfig config = config_with_checkpoints();
  config.restart.type = RestartSettings::Type::kFixedDelay;
  config.restart.attempts = 3;
  config.restart.delay_ms = 10;
  SteppedJob job(world.graph(factory_of<AddOperator>(0)), config, world.clock, world.files);
  job.run_for(kInterval + 100);
  EXPECT_EQ(job.status(), JobStatus::kRunning);
  EXPECT_EQ(job.job().progress().restarts, 3);
  EXPECT_EQ(world.sink->lines().size(), 80u);
}

TEST(Checkpoint, FailedCommitOfTheLastOneIsTriedAgainBeforeTheJobEnds) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {  // in some orders all tasks have ended by then
    World world;
    world.sink->set_commit_failures(1);
    JobConfig config = config_with_checkpoints();
    config.restart.type = RestartSettings::Type::kFixedDelay;
    config.restart.delay_ms = 10;
    SteppedJob job(world.graph(factory_of<AddOperator>(0)), config, world.clock, world.files, nullptr, seed);
    EXPECT_EQ(job.run_for(100), JobStatus::kFinished);
    EXPECT_EQ(job.job().progress().restarts, 1) << seed;
    EXPECT_EQ(world.sink->lines().size(), 200u) << seed;
  }
}

TEST(Checkpoint, FullDiskIsToleratedAsOftenAsAllowed) {
  World world;
  world.source->set_limit(40);
  JobConfig config = config_with_checkpoints();
  config.tolerable_failed_checkpoints = 2;
  SteppedJob job(world.graph(factory_of<AddOperator>(0)), config, world.clock, world.files);
  world.files.set_failure([](const std::string& what, const std::string&) { return what == "write"; });
  job.run_for(2 * kInterval + 20);
  EXPECT_EQ(job.status(), JobStatus::kRunning);
  EXPECT_EQ(world.latest(), "");
  world.files.set_failure(nullptr);
  job.run_for(kInterval);
  EXPECT_EQ(world.latest(), "/state/job/0123/chk-3");
  // What the sinks prepared for the failed ones is part of the next.
  EXPECT_EQ(world.sink->lines().size(), 80u);
  world.files.set_failure([](const std::string& what, const std::string&) { return what == "create"; });
  EXPECT_EQ(job.run_for(4 * kInterval), JobStatus::kFailed);
  EXPECT_EQ(code_of(job.job().failure()), 6020);
  EXPECT_NE(job.failure_text().find("No space left on device"), std::string::npos);
  EXPECT_NE(job.failure_text().find("tolerable-failed-checkpoints"), std::string::npos);
}

TEST(Checkpoint, DoesNotExistBeforeTheRename) {
  World world;
  world.source->set_limit(40);
  SteppedJob job(world.graph(factory_of<AddOperator>(0)), config_with_checkpoints(), world.clock, world.files);
  bool reached = false;
  world.files.set_failure([&](const std::string& what, const std::string&) { return reached |= what == "rename"; });
  job.run_for(kInterval - 10);
  world.clock.advance(10);
  EXPECT_TRUE(job.run_until([&] { return reached; }));
  job.kill();
  world.files.crash();
  EXPECT_EQ(world.latest(), "");
}

TEST(Checkpoint, SurvivesPowerLossOnceComplete) {
  World world;
  world.source->set_limit(40);
  SteppedJob job(world.graph(factory_of<AddOperator>(0)), config_with_checkpoints(), world.clock, world.files);
  job.run_for(kInterval + 10);
  job.kill();
  world.files.crash();
  EXPECT_EQ(read_checkpoint(world.files, world.latest()).id, 1);
}

TEST(Checkpoint, TimesOutAndGoesOn) {
  World world;
  world.source->set_limit(40);
  JobConfig config = config_with_checkpoints();
  config.tolerable_failed_checkpoints = 1;
  config.checkpoint_timeout_ms = 300;
  SteppedJob job(world.graph(factory_of<AddOperator>(0)), config, world.clock, world.files);
  world.sink->hold_preparing(true);
  job.run_for(kInterval + 400);
  EXPECT_EQ(world.latest(), "");
  world.sink->hold_preparing(false);
  job.run_for(kInterval);
  EXPECT_EQ(world.latest(), "/state/job/0123/chk-2");
  EXPECT_EQ(world.sink->lines().size(), 80u);
  world.sink->hold_preparing(true);
  EXPECT_EQ(job.run_for(4 * kInterval), JobStatus::kFailed);
  EXPECT_NE(job.failure_text().find("had not acknowledged it: operator -> sink (1/2)"), std::string::npos)
      << job.failure_text();
  world.sink->hold_preparing(false);
}

TEST(Checkpoint, KeepsAsManyAsConfigured) {
  World world;
  world.source->set_limit(40);
  JobConfig config = config_with_checkpoints();
  config.retained_checkpoints = 2;
  SteppedJob job(world.graph(factory_of<AddOperator>(0)), config, world.clock, world.files);
  job.run_for(5 * kInterval + 50);
  EXPECT_EQ(world.files.list("/state/job/0123"), (std::vector<std::string>{"chk-4", "chk-5"}));
}

TEST(Checkpoint, OneLeftUnfinishedIsRemovedAtTheNextStartOfTheJob) {
  World world;
  world.source->set_limit(40);
  SteppedJob job(world.graph(factory_of<AddOperator>(0)), config_with_checkpoints(), world.clock, world.files);
  world.sink->hold_preparing(true);
  job.run_for(kInterval + 10);
  job.kill();
  world.sink->hold_preparing(false);
  EXPECT_EQ(world.files.list("/state/job/0123"), std::vector<std::string>{"chk-1"});
  SteppedJob again(world.graph(factory_of<AddOperator>(0)), config_with_checkpoints(), world.clock, world.files);
  again.run_for(10);
  EXPECT_EQ(world.files.list("/state/job/0123"), std::vector<std::string>());
  again.run_for(kInterval);
  EXPECT_EQ(world.files.list("/state/job/0123"), std::vector<std::string>{"chk-2"});
}

TEST(Checkpoint, LatestPassesOverDamagedOnes) {
  World world;
  world.source->set_limit(40);
  JobConfig config = config_with_checkpoints();
  config.retained_checkpoints = 3;
  SteppedJob job(world.graph(factory_of<AddOperator>(0)), config, world.clock, world.files);
  job.run_for(2 * kInterval + 50);
  EXPECT_EQ(world.latest(), "/state/job/0123/chk-2");
  world.files.damage("/state/job/0123/chk-2/_metadata", 40);
  EXPECT_EQ(world.latest(), "/state/job/0123/chk-1");
  EXPECT_THROW(read_checkpoint(world.files, "/state/job/0123/chk-2"), Error);
  EXPECT_THROW(read_checkpoint(world.files, "/state/job/0123/chk-9"), Error);
}

TEST(Checkpoint, EveryCutOrFlippedByteIsNoticed) {
  World world;
  world.source->set_limit(40);
  SteppedJob job(world.graph(factory_of<AddOperator>(0)), config_with_checkpoints(), world.clock, world.files);
  job.run_for(kInterval + 50);
  const std::string bytes = world.files.read_file(world.latest() + "/_metadata");
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_THROW(decode_checkpoint(std::string_view(bytes).substr(0, i), "cut"), Error) << i;
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    EXPECT_THROW(decode_checkpoint(flipped, "flipped"), Error) << i;
  }
}

TEST(Checkpoint, StateThatMatchesNothingIsAnError) {
  World world;
  world.source->set_limit(40);
  {
    SteppedJob job(world.graph(factory_of<SumOperator>()), config_with_checkpoints(), world.clock, world.files);
    job.run_for(kInterval + 10);
    job.kill();
  }
  StreamGraph graph = world.graph(factory_of<SumOperator>());
  graph.nodes()[1].uid = "other";
  JobConfig config = config_with_checkpoints();
  config.restore_path = world.latest();
  try {
    SteppedJob(graph, config, world.clock, world.files);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 6011);
    EXPECT_NE(error.message().find("'operator' (uid operator)"), std::string::npos);
  }
  config.max_parallelism = 64;
  config.allow_non_restored_state = true;
  try {
    SteppedJob(graph, config, world.clock, world.files);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 6012);
  }
  config.max_parallelism = 0;
  world.source->set_limit(1000);
  SteppedJob job(graph, config, world.clock, world.files);
  job.run_until_idle();
  EXPECT_EQ(job.status(), JobStatus::kFinished);
}

/// A bounded source (0…9) and an unbounded one (100…199) into one sink.
struct HalfBounded {
  FakeClock clock;
  FakeFileSystem files;
  std::shared_ptr<TestSource> bounded =
      std::make_shared<TestSource>(std::vector<BatchPtr>{number_range(0, 10)}, number_splitter());
  std::shared_ptr<TestSource> unbounded =
      std::make_shared<TestSource>(std::vector<BatchPtr>{number_range(100, 100)}, number_splitter(), false);
  std::shared_ptr<TestSink> sink = std::make_shared<TestSink>(number_lines, true);
  StreamGraph graph;

  HalfBounded() {
    const int b = graph.add_source("bounded", "bounded", 1, bounded);
    const int u = graph.add_source("unbounded", "unbounded", 1, unbounded);
    const int m = graph.add_operator("merge", "merge", 1, 2, factory_of<MergeOperator>());
    const int k = graph.add_sink("sink", "sink", 1, sink);
    graph.connect(forward(b, m, 0));
    graph.connect(forward(u, m, 1));
    graph.connect(forward(m, k));
  }
};

TEST(Checkpoint, GoOnBesideEndedTasks) {
  HalfBounded world;
  world.unbounded->set_limit(50);
  {
    SteppedJob job(world.graph, config_with_checkpoints(), world.clock, world.files);
    job.run_for(4 * kInterval + 50);
    EXPECT_EQ(job.status(), JobStatus::kRunning);
    EXPECT_EQ(job.job().progress().last_checkpoint->id, 4);
    EXPECT_EQ(world.sink->lines().size(), 60u);
    job.kill();
  }
  JobConfig config = config_with_checkpoints();
  config.restore_path = find_latest_checkpoint(world.files, "/state", "job").value();
  world.unbounded->set_limit(1000);
  SteppedJob job(world.graph, config, world.clock, world.files);
  job.run_for(2 * kInterval + 50);
  EXPECT_EQ(job.job().progress().last_checkpoint->id, 6);
  EXPECT_EQ(world.bounded->hand_overs().size(), 1u);  // not run again
  EXPECT_EQ(world.sink->lines().size(), 110u);
  job.job().cancel();
  job.run_until_idle();
  EXPECT_EQ(job.status(), JobStatus::kCanceled);
}

/// What format 2 wrote: it knew no broadcast lists, so nothing tells their number behind the union lists.
TEST(Checkpoint, MetadataOfFormatTwoIsRead) {
  const std::map<std::string, std::vector<std::string>> lists{{"broadcast/rules", {"descriptor", "entry"}}};
  Checkpoint checkpoint{.id = 7, .job_id = "0123", .job_name = "job", .max_parallelism = 128};
  checkpoint.nodes.push_back({.uid = "u", .name = "n", .subtasks = {{.operator_state = {.union_lists = lists}}}});
  std::string bytes = encode_checkpoint(checkpoint);
  bytes.erase(bytes.find("entry") + std::string_view("entry").size(), 1);
  constexpr size_t kVersionAt = 8;
  constexpr size_t kSizeAt = 12;
  constexpr size_t kPayloadAt = 20;
  bytes[kVersionAt] = 2;
  --bytes[kSizeAt];
  const uint32_t checksum = crc32_of(std::string_view(bytes).substr(kPayloadAt, bytes.size() - kPayloadAt - 4));
  std::memcpy(bytes.data() + bytes.size() - 4, &checksum, 4);

  const Checkpoint read = decode_checkpoint(bytes, "chk-7");
  ASSERT_EQ(read.nodes.size(), 1u);
  ASSERT_EQ(read.nodes[0].subtasks.size(), 1u);
  EXPECT_EQ(read.nodes[0].subtasks[0].operator_state.union_lists, lists);
  EXPECT_TRUE(read.nodes[0].subtasks[0].operator_state.broadcast_lists.empty());
}

TEST(Checkpoint, RunsOnThreadsThroughAFailure) {
  World world;
  JobConfig config = config_with_checkpoints();
  config.checkpoint_interval_ms = 1;
  config.restart.type = RestartSettings::Type::kFixedDelay;
  config.restart.delay_ms = 1;
  world.source->fail_once_at(1, 50);
  const auto job = run_job(world.graph(factory_of<AddOperator>(0)), config, {.files = &world.files});
  EXPECT_EQ(job->wait(), JobStatus::kFinished);
  EXPECT_EQ(sorted_lines(world.sink->lines()), sorted_lines(number_lines(*number_range(0, 200))));
}

}  // namespace
}  // namespace yeoul
