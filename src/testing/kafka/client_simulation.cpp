#include "yeoul/testing/kafka/client_simulation.h"

#include <algorithm>
#include <memory>

#include "yeoul/testing/kafka/simulated_consumer.h"
#include "yeoul/testing/kafka/simulated_network.h"
#include "yeoul/testing/kafka/simulated_producer.h"

namespace yeoul {
namespace {

constexpr int kNumNodes = 3;
constexpr int64_t kStepMs = 4;
constexpr int64_t kPatienceMs = 300'000;

ModelSabotage sabotage_of(std::string_view bug) {
  return {.no_deduplication = bug == "no-deduplication",
          .loses_acknowledged = bug == "loses-acknowledged",
          .ignores_aborts = bug == "ignores-aborts",
          .skips_batch = bug == "skips-batch",
          .hides_truncation = bug == "hides-truncation",
          .tells_undecided = bug == "tells-undecided",
          .keeps_topic_id = bug == "keeps-topic-id"};
}

ClientSabotage client_sabotage_of(std::string_view bug) {
  return {.takes_any_answer = bug == "takes-any-answer",
          .waits_for_ever = bug == "waits-for-ever",
          .ignores_quotas = bug == "ignores-quotas"};
}

/// What costs records that were acknowledged. Producers have no transactions then, which would break with it.
enum class Upheaval {
  kNone,
  kUncleanElections,
  kRecreatedTopic,  ///< with topic ids: without them nobody can tell
};

/// One seed's world.
class World {
 public:
  World(uint64_t seed, std::string_view bug)
      : random_(seed),
        generation_(random_.one_of(
            {ModelGeneration::kOldest, ModelGeneration::kMiddle, ModelGeneration::kNewest, ModelGeneration::kNewest})),
        cluster_(random_, kNumNodes, generation_, sabotage_of(bug)),
        network_(clock_, random_, cluster_, client_sabotage_of(bug)),
        num_partitions_(static_cast<int>(random_.between(1, 4))),
        upheaval_(choose_upheaval()),
        followers_catch_up_(upheaval_ == Upheaval::kNone && random_.chance(250) ? random_.between(1, 200) : 0),
        habits_{.only_to_begin = upheaval_ != Upheaval::kNone, .forgets_epochs = bug == "forgets-epochs"} {
    cluster_.create_topic("t", num_partitions_, clock_.wall_ms());
    choose_moods();
    create_clients();
  }

  ClientSimulationResult run() {
    const int64_t calm_from_ms = clock_.wall_ms() + random_.between(1'000, 6'000);
    while (clock_.wall_ms() < calm_from_ms && finding_.empty()) {
      disturb();
      turn(false);
    }
    calm_down();
    const int64_t give_up_ms = clock_.wall_ms() + kPatienceMs;
    while (finding_.empty() && !is_finished()) {
      if (clock_.wall_ms() > give_up_ms) finding_ = "it does not end:" + states();
      turn(true);
    }
    if (finding_.empty()) check();
    return result();
  }

 private:
  Upheaval choose_upheaval() {
    const int64_t draw = random_.below(1000);
    if (draw < 150) return Upheaval::kUncleanElections;
    return draw < 300 && generation_ == ModelGeneration::kNewest ? Upheaval::kRecreatedTopic : Upheaval::kNone;
  }

  void choose_moods() {
    const auto sometimes = [&](int64_t most) { return random_.chance(400) ? random_.below(most) : 0; };
    network_.moods = {.cut_request = sometimes(30),
                      .cut_answer = sometimes(30),
                      .half_answer = sometimes(30),
                      .damaged = sometimes(30),
                      .refused = sometimes(300),
                      .slow = sometimes(100),
                      .slow_ms_max = random_.between(50, 1500),
                      // Where a log has lost records, and its producer a new epoch, what comes late is written twice,
                      // against which no client can do anything.
                      .late = upheaval_ == Upheaval::kUncleanElections ? 0 : 500,
                      .idle_ms_max = random_.chance(300) ? random_.between(50, 2'000) : 0};
    cluster_.moods = {.refused_write = sometimes(100),
                      .write_not_confirmed = sometimes(100),
                      .lost_session = sometimes(100),
                      .lost_coordinator = sometimes(200),
                      .throttled = random_.chance(250) ? random_.below(60) : 0,
                      .throttle_ms_max = random_.between(10, 2'000)};
  }

  ClusterClientSettings client_settings() {
    ClusterClientSettings settings;
    settings.bootstrap_servers = "node0:9092,node1:9092,node2:9092";
    settings.links = network_.links();
    settings.link.request_timeout_ns = random_.between(300, 2'000) * kNanosPerMs;
    settings.link.connect_timeout_ns = 500 * kNanosPerMs;
    settings.link.backoff_ns = 20 * kNanosPerMs;
    settings.link.backoff_max_ns = 200 * kNanosPerMs;
    settings.link.answer_bytes_max = size_t{1} << 20;
    if (random_.chance(300)) settings.link.idle_max_ns = random_.between(50, 2'000) * kNanosPerMs;
    // What is wrong is to be noticed, not to grow old.
    const int64_t max_age_ms = random_.chance(500) ? 2 * kPatienceMs : random_.between(500, 5'000);
    settings.cluster.max_age_ns = max_age_ms * kNanosPerMs;
    settings.cluster.backoff_ns = 20 * kNanosPerMs;
    settings.cluster.backoff_max_ns = 200 * kNanosPerMs;
    return settings;
  }

  void create_clients() {
    for (int64_t i = random_.between(1, 2); i > 0; --i) {
      ProduceClientSettings settings;
      static_cast<ClusterClientSettings&>(settings) = client_settings();
      settings.max_block_ns = kPatienceMs * kNanosPerMs;
      ProduceSettings& produce = settings.produce;
      produce.linger_ns = random_.below(20) * kNanosPerMs;
      produce.batch_bytes = static_cast<size_t>(random_.between(100, 3'000));
      produce.in_flight_max = static_cast<size_t>(random_.between(1, 5));
      produce.delivery_timeout_ns = kPatienceMs * kNanosPerMs;
      produce.backoff_ns = 20 * kNanosPerMs;
      produce.backoff_max_ns = 200 * kNanosPerMs;
      produce.compression = random_.one_of(
          {Compression::kNone, Compression::kNone, Compression::kLz4, Compression::kZstd, Compression::kSnappy});
      if (random_.chance(600) && upheaval_ == Upheaval::kNone)
        produce.transactional_id = fmt::format("transactions-{}", i);
      producers_.push_back(
          std::make_unique<SimulatedProducer>(fmt::format("p{}", i), settings, "t", num_partitions_, clock_, random_));
    }
    for (const bool committed : {true, false}) {
      FetchConsumerSettings settings;
      static_cast<ClusterClientSettings&>(settings) = client_settings();
      settings.patience_ns = kNever;
      settings.fetch.read_committed = committed;
      settings.fetch.partition_max_bytes = static_cast<int32_t>(random_.between(100, 4'000));
      settings.fetch.max_bytes = static_cast<int32_t>(random_.between(200, 8'000));
      settings.fetch.retry_backoff_ns = 20 * kNanosPerMs;
      if (followers_catch_up_ > 0) {
        settings.fetch.rack = ModelCluster::rack_of(static_cast<int32_t>(random_.below(kNumNodes)));
      }
      consumers_.push_back(std::make_unique<SimulatedConsumer>(committed ? "committed" : "uncommitted", settings, "t",
                                                               num_partitions_, habits_, clock_, random_));
    }
  }

  void disturb() {
    if (random_.chance(300) && cluster_.coordinator().has_unwritten_ends()) cluster_.coordinator().write_ends();
    const int64_t now_ms = clock_.wall_ms();
    if (random_.chance(4)) {
      ++num_faults_;
      cluster_.move_a_leader(now_ms);
    }
    if (upheaval_ == Upheaval::kUncleanElections && random_.chance(6)) {
      ++num_faults_;
      cluster_.elect_unclean(now_ms);
    }
    if (upheaval_ == Upheaval::kRecreatedTopic && random_.chance(3) && cluster_.has_topic("t")) recreate_topic();
    const auto node = static_cast<int32_t>(random_.below(kNumNodes));
    if (random_.chance(2)) {
      ++num_faults_;
      network_.freeze(node, now_ms + random_.between(100, 3'000));
    }
    if (random_.chance(3)) {
      ++num_faults_;
      network_.cut(node);
    }
    if (random_.chance(3)) {
      ++num_faults_;
      kill(node);
    }
  }

  void recreate_topic() {
    ++num_faults_;
    const int64_t now_ms = clock_.wall_ms();
    cluster_.delete_topic("t", now_ms);
    const int64_t away_ms = random_.chance(900) ? random_.below(3'000) : random_.between(8'000, 20'000);
    network_.at(now_ms + away_ms, [this] { cluster_.create_topic("t", num_partitions_, clock_.wall_ms()); });
  }

  void kill(int32_t node) {
    if (!cluster_.is_alive(node)) return;
    for (int32_t other = 0; other < kNumNodes; ++other) {
      if (other != node && !cluster_.is_alive(other)) return;
    }
    const int64_t now_ms = clock_.wall_ms();
    cluster_.set_alive(node, false);
    network_.die(node, random_.chance(500));
    // It may be back before anybody has noticed.
    const int64_t noticed_ms = now_ms + (random_.chance(500) ? random_.below(2'000) : 0);
    network_.at(noticed_ms, [this, node] { cluster_.fence(node, clock_.wall_ms()); });
    network_.at(noticed_ms + random_.between(20, 1'000), [this] { cluster_.elect_missing(clock_.wall_ms()); });
    network_.at(now_ms + random_.between(100, 4'000), [this, node] {
      cluster_.set_alive(node, true);
      cluster_.elect_missing(clock_.wall_ms());
    });
  }

  void calm_down() {
    network_.moods = {.late = network_.moods.late};
    cluster_.moods = {};
    for (int32_t node = 0; node < kNumNodes; ++node) cluster_.set_alive(node, true);
    cluster_.elect_missing(clock_.wall_ms());
  }

  void turn(bool winding_up) {
    if (winding_up && cluster_.coordinator().has_unwritten_ends()) cluster_.coordinator().write_ends();
    for (const auto& producer : producers_) {
      producer->step(winding_up);
      note(producer->finding());
    }
    for (const auto& consumer : consumers_) {
      consumer->step(winding_up, cluster_);
      note(consumer->finding());
    }
    if (followers_catch_up_ > 0) cluster_.replicate(winding_up ? 1000 : followers_catch_up_);
    network_.step(random_.between(1, kStepMs));
    note(network_.finding());
  }

  void note(const std::string& finding) {
    if (finding_.empty()) finding_ = finding;
  }

  bool is_finished() const {
    const auto producer_done = [](const auto& producer) { return producer->is_finished(); };
    const auto consumer_done = [this](const auto& consumer) { return consumer->is_finished(cluster_); };
    return std::all_of(producers_.begin(), producers_.end(), producer_done) &&
           !cluster_.coordinator().has_unwritten_ends() &&
           std::all_of(consumers_.begin(), consumers_.end(), consumer_done);
  }

  std::string states() const {
    std::string out;
    for (size_t i = 0; i < producers_.size(); ++i) {
      if (!producers_[i]->is_finished()) out += fmt::format(" producer {} waits;", i);
    }
    for (const auto& consumer : consumers_) out += " " + consumer->state(cluster_);
    return out;
  }

  void check() {
    for (const auto& producer : producers_) note(producer->check(cluster_));
    for (const auto& consumer : consumers_) note(consumer->check(cluster_));
  }

  ClientSimulationResult result() const {
    ClientSimulationResult out;
    out.finding = finding_;
    for (const auto& producer : producers_) {
      out.num_records += producer->num_sent();
      out.num_transactions += producer->num_transactions();
    }
    for (const auto& consumer : consumers_) {
      out.num_truncations += consumer->num_truncations();
      out.num_recreations += consumer->num_recreations();
    }
    out.num_throttled = network_.num_throttled();
    for (const auto& consumer : consumers_)
      out.trace ^= consumer->trace() + static_cast<uint64_t>(consumer->num_read());
    out.trace ^= static_cast<uint64_t>(network_.num_events());
    out.num_faults = num_faults_;
    out.num_damaged = network_.num_damaged();
    constexpr std::string_view kGenerations[] = {"oldest", "middle", "newest"};
    out.story = fmt::format(
        "{} brokers, {} partitions, {} producers, {} records, {} transactions, {} faults, "
        "{} damaged answers, {} throttled, {} reads from followers, {} truncations noticed, {} topics made anew, {} ms",
        kGenerations[static_cast<size_t>(generation_)], num_partitions_, producers_.size(), out.num_records,
        out.num_transactions, num_faults_, out.num_damaged, out.num_throttled, cluster_.num_fetches_from_followers(),
        out.num_truncations, out.num_recreations, clock_.wall_ms() - kBeginMs);
    return out;
  }

  static constexpr int64_t kBeginMs = 1'000'000;

  FakeClock clock_{kBeginMs};
  SeededRandom random_;
  ModelGeneration generation_;
  ModelCluster cluster_;
  SimulatedNetwork network_;
  int num_partitions_;
  Upheaval upheaval_;
  int64_t followers_catch_up_;  ///< how often in a thousand turns; 0: nobody reads from them
  ConsumerHabits habits_;
  std::vector<std::unique_ptr<SimulatedProducer>> producers_;
  std::vector<std::unique_ptr<SimulatedConsumer>> consumers_;
  int64_t num_faults_ = 0;
  std::string finding_;
};

}  // namespace

ClientSimulationResult simulate_client(uint64_t seed, std::string_view bug) {
  return World(seed, bug).run();
}

std::vector<std::string_view> planted_client_bugs() {
  return {"no-deduplication", "loses-acknowledged", "ignores-aborts",   "skips-batch",
          "takes-any-answer", "waits-for-ever",     "hides-truncation", "forgets-epochs",
          "keeps-topic-id",   "ignores-quotas",     "tells-undecided"};
}

}  // namespace yeoul
