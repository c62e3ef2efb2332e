#include "yeoul/testing/kafka/simulated_network.h"

#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/kafka/native/cluster_client.h"

namespace yeoul {
namespace {

/// A client that asks for a topic's metadata again and again over a network that damages what brokers answer once they
/// are connected.
class DamagedAnswersTest : public testing::Test {
 protected:
  DamagedAnswersTest() : cluster_(random_, 1, ModelGeneration::kNewest, {}), network_(clock_, random_, cluster_, {}) {
    cluster_.create_topic("t", 1, clock_.wall_ms());
    ClusterClientSettings settings;
    settings.bootstrap_servers = "node0:9092";
    settings.links = network_.links();
    settings.link.request_timeout_ns = 200 * kNanosPerMs;
    settings.link.answer_bytes_max = size_t{1} << 20;
    settings.cluster.max_age_ns = 100 * kNanosPerMs;
    settings.cluster.backoff_ns = settings.cluster.backoff_max_ns = 20 * kNanosPerMs;
    client_ = std::make_unique<ClusterClient>(settings, pool_, clock_);
    client_->set_topics({"t"});
  }

  /// A minute.
  void run(int64_t num_damaged_max) {
    for (const int64_t end_ms = clock_.wall_ms() + 60'000; clock_.wall_ms() < end_ms;) {
      const bool damages = network_.num_damaged() < num_damaged_max && client_->any_ready_link() != nullptr;
      network_.moods.damaged = damages ? 1000 : 0;
      const int64_t now_ns = clock_.steady_ns();
      client_->take_answers(now_ns, [](int32_t, LinkAnswer&) {});
      client_->send_due(now_ns);
      client_->turn(now_ns);
      network_.step(5);
    }
  }

  FakeClock clock_{1'000'000};
  SeededRandom random_{1};
  ModelCluster cluster_;
  SimulatedNetwork network_;
  BufferPool pool_{size_t{1} << 20};
  std::unique_ptr<ClusterClient> client_;
};

TEST_F(DamagedAnswersTest, FourAreLostConnections) {
  run(4);
  EXPECT_EQ(network_.num_damaged(), 4);
  EXPECT_NE(client_->cluster().find("t"), nullptr);
  EXPECT_NE(client_->any_ready_link(), nullptr);
}

TEST_F(DamagedAnswersTest, OneAfterTheOtherIsNotTheNetworksFault) {
  try {
    run(INT64_MAX);
    FAIL() << "nothing was thrown for " << network_.num_damaged() << " answers";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 4010);
    EXPECT_NE(error.to_string().find("node0"), std::string::npos) << error.to_string();
    EXPECT_GE(network_.num_damaged(), 5);
  }
}

}  // namespace
}  // namespace yeoul
