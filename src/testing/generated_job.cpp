#include "yeoul/testing/generated_job.h"

#include <algorithm>

#include "yeoul/testing/simulated_kafka_source.h"

namespace yeoul {
namespace {

constexpr int64_t kStartMs = 1'000'000;  // FakeClock's
/// How far behind the log a reader may be that believes to have caught up: some round trips.
constexpr int64_t kFetchLagMs = 60;
/// At most about that many records in a stream, also if all had one key.
constexpr int64_t kRecordsMax = 6000;
/// The same with idleness: rows that wait for a sink come late where another input has ended, as they do in Flink.
constexpr int64_t kIdleRecordsMax = 600;
constexpr int64_t kExplodeMax = 4;
/// With idleness: when all partitions are written to, and how long before they end.
constexpr int64_t kCloseMs = kStartMs + 900;
constexpr int64_t kClosingMs = 130;
/// How far ahead the event times of a partition are that is found late: were they not, its records would be late where
/// those of others have been read meanwhile, as they are in Flink.
constexpr int64_t kLateShiftMs = 20'000;
/// Longer than that, and longer than it takes the slowest actors to tell all others that a partition is not idle.
constexpr int64_t kIdleTimeoutMs = 180;
constexpr int64_t kIdleTimeoutMsMax = 260;

std::string_view name_of(SimOperator what) {
  constexpr std::string_view kNames[] = {"map",  "filter",    "owned",  "explode", "hold-back",     "dedup",
                                         "join", "aggregate", "window", "process", "stream-window", "enrich"};
  return kNames[static_cast<size_t>(what)];
}

std::string_view name_of(Partitioning partitioning) {
  constexpr std::string_view kNames[] = {"forward", "hash", "rebalance", "broadcast"};
  return kNames[static_cast<size_t>(partitioning)];
}

std::string_view name_of(SimulatedKafkaSink::Guarantee guarantee) {
  constexpr std::string_view kNames[] = {"at least once", "upsert by key", "upsert by id", "exactly once"};
  return kNames[static_cast<size_t>(guarantee)];
}

bool has_two_inputs(SimOperator what) {
  return what == SimOperator::kJoin || what == SimOperator::kEnrich;
}

}  // namespace

GeneratedJob::GeneratedJob(uint64_t seed, SimOperatorMaker maker) : random_(seed), maker_(std::move(maker)) {
  max_parallelism_ = random_.one_of({3, 8, 128});
  disorder_ms_ = random_.one_of({0, 5, 20});
  if (random_.chance(300)) idle_timeout_ms_ = random_.between(kIdleTimeoutMs, kIdleTimeoutMsMax);
  auto_watermark_interval_ms_ = idleness() ? random_.one_of({1, 10, 40}) : random_.one_of({0, 1, 10, 40});
  if (!idleness() && auto_watermark_interval_ms_ > 0 && random_.chance(250))
    alignment_drift_ms_ = random_.one_of({1, 10, 50});
  for (int64_t i = random_.between(1, 3); i > 0; --i) draw_source();
  for (int64_t i = random_.between(1, 6); i > 0; --i) draw_operator();
  for (const Stream& stream : open_) draw_sink(stream);
}

int GeneratedJob::add(Node node) {
  nodes_.push_back(std::move(node));
  return static_cast<int>(nodes_.size()) - 1;
}

// --- Sources -----------------------------------------------------------------------------------------------------

void GeneratedJob::draw_source() {
  const int64_t num_keys = random_.one_of({1, 3, 10, 40});
  const int64_t discovery_interval_ms = !idleness() && random_.chance(400) ? random_.one_of({5, 20, 100}) : 0;
  std::vector<SimulatedKafka::Partition> partitions;
  std::vector<int64_t> created_at_ms;
  int64_t records = 0;
  int64_t at_ms = kStartMs;
  int64_t shift_ms = 0;
  for (int64_t i = random_.between(1, 4); i > 0; --i) {
    if (discovery_interval_ms > 0 && random_.chance(500)) {
      at_ms += random_.between(1, 150);
      shift_ms += kLateShiftMs;
    }
    created_at_ms.push_back(at_ms);
    partitions.push_back(draw_partition(static_cast<int>(partitions.size()), num_keys, at_ms, shift_ms));
    records += static_cast<int64_t>(partitions.back().size());
  }
  topics_.push_back(std::move(partitions));
  created_at_ms_.push_back(std::move(created_at_ms));
  // A reader without a partition ends at once, with the same effect.
  if (idleness()) limits_[num_groups_] = static_cast<int>(topics_.back().size());
  const int node = add({.kind = NodeKind::kSource,
                        .group = num_groups_++,
                        .topic = static_cast<int>(topics_.size()) - 1,
                        .watermarks = random_.chance(850),
                        .on_event = random_.chance(300),
                        .discovery_interval_ms = discovery_interval_ms});
  open_.push_back({.node = node, .records = records});
}

SimulatedKafka::Partition GeneratedJob::draw_partition(int partition, int64_t num_keys, int64_t created_at_ms,
                                                       int64_t shift_ms) {
  SimulatedKafka::Partition log;
  const auto add_record = [&](int64_t at_ms, int64_t disorder_ms) {
    const int64_t id =
        static_cast<int64_t>(topics_.size()) * 1'000'000 + partition * 10'000 + static_cast<int64_t>(log.size());
    const int64_t time_ms = at_ms + shift_ms - random_.below(disorder_ms + 1);
    const SimRecord record{random_.below(num_keys), time_ms, id, random_.below(100)};
    log.push_back({record, at_ms});
  };
  int64_t at_ms = created_at_ms + random_.below(50);
  const int64_t pauses = random_.one_of({0, 20, 100});
  for (int64_t left = random_.one_of({0, 3, 20, 40}); left > 0; --left) {
    // Shorter and longer ones than the idle timeout.
    const int64_t pause = random_.between(50, 250) * (idleness() ? 2 : 1);
    at_ms += random_.chance(pauses) ? pause : random_.below(4);
    if (idleness() && at_ms >= kCloseMs) break;
    add_record(at_ms, disorder_ms_);
  }
  if (!idleness()) return log;
  // An input that ends has the largest watermark there is, and idle ones do not hold it back, nor do those that are
  // active again but still behind. So all partitions reach one time together, and end before any is idle again.
  add_record(kCloseMs, 0);
  add_record(kCloseMs + kClosingMs, 0);
  return log;
}

// --- Operators ---------------------------------------------------------------------------------------------------

size_t GeneratedJob::draw_stream() {
  return static_cast<size_t>(random_.below(static_cast<int64_t>(open_.size())));
}

Partitioning GeneratedJob::draw_partitioning() {
  return random_.one_of(
      {Partitioning::kForward, Partitioning::kForward, Partitioning::kHash, Partitioning::kRebalance});
}

void GeneratedJob::add_input(Node& node, size_t stream, int input, Partitioning partitioning) {
  node.inputs.push_back({open_[stream].node, input, partitioning});
  if (!random_.chance(250))
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(stream));  // else others read it too
}

SimOperator GeneratedJob::draw_what(const Stream& stream) {
  if (maker_ && random_.chance(600)) {
    const SimOperator what = random_.one_of({SimOperator::kProcess, SimOperator::kStreamWindow, SimOperator::kEnrich});
    // What an idle input brings after others went on would be missing; and a record is in two windows at most.
    const bool fits = what == SimOperator::kEnrich         ? !idleness()
                      : what == SimOperator::kStreamWindow ? stream.records * 2 <= records_max()
                                                           : true;
    return fits ? what : SimOperator::kProcess;
  }
  const auto what = static_cast<SimOperator>(random_.below(static_cast<int64_t>(SimOperator::kWindow) + 1));
  if (what == SimOperator::kExplode && stream.records * kExplodeMax > records_max()) return SimOperator::kFilter;
  // What it holds would be late when an input that was idle goes on.
  if (what == SimOperator::kHoldBack && idleness()) return SimOperator::kFilter;
  return what;
}

void GeneratedJob::draw_parameters(Node& node) {
  switch (node.what) {
    case SimOperator::kMap:
      node.a = random_.one_of({0, 5, 20});
      return;
    case SimOperator::kHoldBack:
      node.a = random_.between(1, 10);
      return;
    case SimOperator::kAggregate:
      node.a = random_.below(3);
      return;
    case SimOperator::kWindow:
    case SimOperator::kProcess:
    case SimOperator::kStreamWindow:
    case SimOperator::kEnrich:
      node.a = random_.one_of({5, 20, 100});
      node.b = random_.below(2);
      return;
    default:
      return;
  }
}

void GeneratedJob::draw_operator() {
  const size_t stream = draw_stream();
  if (open_[stream].last) return;
  Node node{.kind = NodeKind::kOperator, .what = draw_what(open_[stream])};
  draw_parameters(node);
  const int first = open_[stream].node;
  int64_t records = open_[stream].records;
  Partitioning partitioning = draw_partitioning();
  if (node.what >= SimOperator::kDedup) partitioning = Partitioning::kHash;
  if (node.what == SimOperator::kOwned) partitioning = Partitioning::kBroadcast;
  node.group = partitioning == Partitioning::kForward ? nodes_[static_cast<size_t>(first)].group : num_groups_++;
  add_input(node, stream, 0, partitioning);
  if (has_two_inputs(node.what) || random_.chance(250)) draw_second_input(node, partitioning, records);
  if (node.what == SimOperator::kExplode) records *= kExplodeMax;
  if (node.what == SimOperator::kStreamWindow) records *= 2;
  // Windows that wait while their input is idle are late for whoever else goes on.
  const bool last = node.what == SimOperator::kAggregate || (node.what >= SimOperator::kWindow && idleness());
  const bool updates = node.what == SimOperator::kAggregate;
  open_.push_back({.node = add(std::move(node)), .last = last, .updates = updates, .records = records});
}

void GeneratedJob::draw_second_input(Node& node, Partitioning partitioning, int64_t& records) {
  const bool join = node.what == SimOperator::kJoin;
  const bool enrich = node.what == SimOperator::kEnrich;
  const auto made_with = [&](const Stream& stream) {
    return join ? records * stream.records : enrich ? records : records + stream.records;
  };
  const auto fits = [&](const Stream& stream) {
    const int64_t windows = node.what == SimOperator::kStreamWindow ? 2 : 1;
    return !stream.last && made_with(stream) * windows <= records_max();
  };
  std::vector<size_t> fitting;
  for (size_t i = 0; i < open_.size(); ++i) {
    if (fits(open_[i])) fitting.push_back(i);
  }
  if (fitting.empty()) {
    if (join) node.what = SimOperator::kDedup;
    if (enrich) node.what = SimOperator::kProcess;
    return;
  }
  const size_t second = fitting[static_cast<size_t>(random_.below(static_cast<int64_t>(fitting.size())))];
  records = made_with(open_[second]);
  if (partitioning == Partitioning::kForward) partitioning = Partitioning::kRebalance;
  if (enrich) partitioning = Partitioning::kBroadcast;
  add_input(node, second, has_two_inputs(node.what) ? 1 : 0, partitioning);
}

// --- Sinks -------------------------------------------------------------------------------------------------------

void GeneratedJob::draw_sink(const Stream& stream) {
  using Guarantee = SimulatedKafkaSink::Guarantee;
  Node node{.kind = NodeKind::kSink, .topic = static_cast<int>(topics_.size() + outputs_.size())};
  Partitioning partitioning = draw_partitioning();
  if (stream.updates) {
    if (partitioning == Partitioning::kRebalance) partitioning = Partitioning::kHash;  // keeps the order of a key
    node.guarantee = Guarantee::kUpsertByKey;
  } else {
    node.guarantee = random_.one_of({Guarantee::kAtLeastOnce, Guarantee::kUpsertById, Guarantee::kExactlyOnce});
  }
  node.group = partitioning == Partitioning::kForward ? nodes_[static_cast<size_t>(stream.node)].group : num_groups_++;
  node.inputs.push_back({stream.node, 0, partitioning});
  outputs_.push_back({node.topic, node.guarantee});
  add(std::move(node));
}

int64_t GeneratedJob::records_max() const {
  return idleness() ? kIdleRecordsMax : kRecordsMax;
}

bool GeneratedJob::unbounded() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.discovery_interval_ms > 0; });
}

int64_t GeneratedJob::num_late_partitions() const {
  int64_t count = 0;
  for (const auto& created : created_at_ms_) {
    count += std::count_if(created.begin(), created.end(), [](int64_t at_ms) { return at_ms > kStartMs; });
  }
  return count;
}

int GeneratedJob::parallelism_max(int group) const {
  const auto limit = limits_.find(group);
  return std::min(3, limit == limits_.end() ? max_parallelism_ : limit->second);
}

// --- What is run -------------------------------------------------------------------------------------------------

void GeneratedJob::create_topics(SimulatedKafka& kafka) const {
  for (size_t i = 0; i < topics_.size(); ++i) kafka.add_input_topic(topics_[i], created_at_ms_[i]);
  for (const Output& output : outputs_) {
    kafka.add_output_topic(output.guarantee == SimulatedKafkaSink::Guarantee::kExactlyOnce ? 1 : 2);
  }
}

StreamEdge GeneratedJob::edge(const Node& node, int id, const Input& input) const {
  (void)node;
  StreamEdge edge{.source = input.node, .target = id, .target_input = input.input, .partitioning = input.partitioning};
  if (input.partitioning == Partitioning::kForward) return edge;
  edge.splitter = std::make_shared<TypedBatchSplitter<SimRecord>>();
  if (input.partitioning == Partitioning::kHash) edge.key_selector = std::make_shared<SimKeySelector>();
  return edge;
}

StreamGraph GeneratedJob::graph(const std::vector<int>& parallelism, SimulatedKafka& kafka,
                                SimulationFindings& findings, PlantedBug bug) const {
  StreamGraph graph;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const int id = static_cast<int>(i);
    const std::string uid = fmt::format("n{}", i);
    const int p = parallelism[static_cast<size_t>(node.group)];
    if (node.kind == NodeKind::kSource) {
      std::shared_ptr<SimWatermarks> watermarks;
      if (node.watermarks) {
        watermarks = std::make_shared<SimWatermarks>(disorder_ms_ + (idleness() ? kFetchLagMs : 1));
        watermarks->on_event = node.on_event;
        watermarks->idle_timeout_ms = idle_timeout_ms_;
        if (alignment_drift_ms_ > 0) {
          watermarks->alignment_group = "all";
          watermarks->alignment_max_drift_ms = alignment_drift_ms_;
          watermarks->alignment_update_interval_ms = 10;
        }
      }
      const SimulatedKafkaSource::Options options{.topic = node.topic,
                                                  .list_async = !idleness(),
                                                  .discovery_interval_ms = node.discovery_interval_ms,
                                                  .bug = bug};
      graph.add_source("source " + uid, uid, p, std::make_shared<SimulatedKafkaSource>(kafka, options), watermarks);
    } else if (node.kind == NodeKind::kOperator) {
      graph.add_operator(fmt::format("{} {}", name_of(node.what), uid), uid, p, has_two_inputs(node.what) ? 2 : 1,
                         node.what > SimOperator::kWindow ? maker_(node.what, id, node.a, node.b)
                                                          : sim_operator(node.what, id, node.a, node.b, findings));
    } else {
      const SimulatedKafkaSink::Options options{.topic = node.topic, .guarantee = node.guarantee, .bug = bug};
      graph.add_sink("sink " + uid, uid, p, std::make_shared<SimulatedKafkaSink>(kafka, options));
    }
    for (const Input& input : node.inputs) graph.connect(edge(node, id, input));
  }
  return graph;
}

std::string GeneratedJob::describe() const {
  std::string text =
      fmt::format("disorder {} ms, idle timeout {} ms, watermarks every {} ms, drift {} ms, maximum parallelism {}\n",
                  disorder_ms_, idle_timeout_ms_, auto_watermark_interval_ms_, alignment_drift_ms_, max_parallelism_);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    text += fmt::format("  n{} group {}: ", i, node.group);
    if (node.kind == NodeKind::kSource) {
      std::vector<size_t> sizes;
      for (const auto& partition : topics_[static_cast<size_t>(node.topic)]) sizes.push_back(partition.size());
      text += fmt::format("source of partitions with {} records{}{}", fmt::join(sizes, ", "),
                          node.watermarks ? ", watermarks" : "", node.watermarks && node.on_event ? " on event" : "");
      if (node.discovery_interval_ms > 0) {
        text +=
            fmt::format(", unbounded, looks every {} ms for partitions created at {} ms", node.discovery_interval_ms,
                        fmt::join(created_at_ms_[static_cast<size_t>(node.topic)], ", "));
      }
    } else if (node.kind == NodeKind::kOperator) {
      text += fmt::format("{}({}, {})", name_of(node.what), node.a, node.b);
    } else {
      text += fmt::format("sink {}", name_of(node.guarantee));
    }
    for (const Input& input : node.inputs) {
      text += fmt::format(" <-{}- n{}{}", name_of(input.partitioning), input.node, input.input == 1 ? " (second)" : "");
    }
    text += "\n";
  }
  return text;
}

}  // namespace yeoul
