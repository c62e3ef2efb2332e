#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yeoul {

/// What came of one seed.
struct ClientSimulationResult {
  std::string finding;  ///< empty: all was as it should be
  std::string story;    ///< what the seed was about
  uint64_t trace = 0;   ///< the same for the same seed
  int64_t num_records = 0;
  int64_t num_transactions = 0;
  int64_t num_faults = 0;
  int64_t num_damaged = 0;      ///< answers
  int64_t num_throttled = 0;    ///< the same, of brokers that had a quota
  int64_t num_truncations = 0;  ///< that consumers were told of
  int64_t num_recreations = 0;  ///< of topics, the same
};

/// Runs producers and consumers of Yeoul's own Kafka client against a model of a cluster, in simulated time over a
/// network that loses, delays, damages and cuts, while brokers die, freeze and change leaders. All that was sent must
/// be in the logs once and in order, transactions whole or not at all, and read as it lies there.
/// @param bug  the name of a planted bug, see planted_client_bugs(); empty: none
ClientSimulationResult simulate_client(uint64_t seed, std::string_view bug = {});

/// Names of faults that the model or the client can be given and that must be found.
std::vector<std::string_view> planted_client_bugs();

}  // namespace yeoul
