#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "yeoul/testing/fake_clock.h"
#include "yeoul/testing/seeded_random.h"
#include "yeoul/testing/sim_record.h"
#include "yeoul/testing/simulation_findings.h"

namespace yeoul {

/// How badly a simulated cluster behaves; chances in a thousand per request.
struct KafkaFaults {
  int64_t delay_max_ms = 1;     ///< of each way
  int64_t slow_delay_ms = 0;    ///< of a request to a leader that answers slowly
  int64_t slow = 0;             ///< it does
  int64_t lost_fetch = 0;       ///< no answer to a fetch; the reader asks again
  int64_t fetch_error = 0;      ///< "not the leader"
  int64_t lost_produce = 0;     ///< the request does not arrive
  int64_t lost_ack = 0;         ///< it arrives, its answer does not
  int64_t lost_connection = 0;  ///< the client gives up: its task fails
  int64_t commit_failure = 0;   ///< of a transaction; before or after it took effect
};

/// What happened, for the report that a simulation tested something.
struct KafkaCounts {
  int64_t retries = 0;
  int64_t duplicates_refused = 0;
  int64_t duplicates = 0;
  int64_t commit_failures = 0;
};

/// A model of a Kafka cluster that outlives the jobs which use it: partitioned logs, leaders that answer late,
/// acknowledgements that are late or lost, idempotent producers, transactions that are prepared and committed. Records
/// of an input topic become visible as the clock goes on. Answers come in step(), as from a client's thread. One
/// thread.
class SimulatedKafka {
 public:
  struct InputRecord {
    SimRecord record;
    int64_t visible_at_ms = 0;
  };
  using Partition = std::vector<InputRecord>;
  /// @param records  from the offset asked for  @param high_watermark  the first offset that is not visible
  using Fetched = std::function<void(std::vector<SimRecord> records, int64_t high_watermark, bool ok)>;
  using Acknowledged = std::function<void(bool ok)>;

  SimulatedKafka(FakeClock& clock, uint64_t seed, SimulationFindings& findings)
      : clock_(clock), random_(seed), findings_(findings) {}

  void set_faults(const KafkaFaults& faults) { faults_ = faults; }
  /// @param created_at_ms  of each partition, ascending
  int add_input_topic(std::vector<Partition> partitions, std::vector<int64_t> created_at_ms);
  int add_output_topic(int num_partitions);
  int num_partitions(int topic) const { return static_cast<int>(topics_[index(topic)].num_partitions); }
  /// Partitions that a client is told of now; others may be added later.
  int num_created(int topic) const;
  /// Of all that will ever be written.
  int64_t end_offset(int topic, int partition) const;
  /// From when on everything can be read.
  int64_t complete_at_ms() const;
  /// Nothing is written to input topics any more, and whoever asks is told so: unbounded jobs have an end.
  void close_input() { input_closed_ = true; }
  bool input_closed() const { return input_closed_; }

  // Clients, each a reader or writer:
  int open_client() { return ++last_client_; }
  /// Of its requests under way the first few arrive and the others do not; it hears nothing any more.
  void close_client(int client);
  /// Calls `call` after that time, unless the client is closed.
  void after(int client, int64_t ms, std::function<void()> call);
  /// Answers when there is something to read, or after a while.
  void fetch(int client, int topic, int partition, int64_t offset, int64_t max_records, Fetched done);
  /// @param sequence  of an idempotent producer, from 0; -1: duplicates are not noticed
  void produce(int client, int topic, int partition, int64_t sequence, std::vector<SimRecord> records,
               Acknowledged done);
  void prepare(int client, int topic, const std::string& transaction, std::vector<SimRecord> records,
               Acknowledged done);
  /// Blocks, so to speak. Does nothing when it was committed before. @throws external error 4503, also when it did
  void commit(int topic, const std::string& transaction);
  void note_retry() { ++counts_.retries; }
  bool draw_lost_connection() { return random_.chance(faults_.lost_connection); }

  /// Delivers one message that is due; false: there is none.
  bool step();
  /// When the next message is due; TimerQueue::kNever: none is.
  int64_t next_at() const;

  /// All records of an output topic, partition by partition.
  std::vector<SimRecord> output(int topic) const;
  const KafkaCounts& counts() const { return counts_; }

 private:
  struct Topic {
    size_t num_partitions = 0;
    std::vector<Partition> input;
    std::vector<int64_t> created_at_ms;  ///< of its partitions
    std::vector<std::vector<SimRecord>> output;
    std::map<std::string, std::vector<SimRecord>> prepared;
    std::set<std::string> committed;
  };
  struct Message {
    int client;
    bool writes;  ///< a request that changes a log
    std::function<void()> deliver;
  };
  using PartitionKey = std::tuple<int, int, int>;  ///< client, topic, partition

  static size_t index(int topic) { return static_cast<size_t>(topic); }
  int64_t delay();
  void send(int64_t at_ms, Message message) { messages_.emplace(at_ms, std::move(message)); }
  /// To a partition's leader: in the order of sending.
  void request(const PartitionKey& key, bool writes, std::function<void()> deliver);
  void answer(int client, std::function<void()> deliver);
  void answer_fetch(int client, int topic, int partition, int64_t offset, int64_t max_records, int64_t until_ms,
                    const Fetched& done);
  void append(int topic, int partition, const std::vector<SimRecord>& records);

  FakeClock& clock_;
  SeededRandom random_;
  SimulationFindings& findings_;
  KafkaFaults faults_;
  KafkaCounts counts_;
  std::vector<Topic> topics_;
  std::multimap<int64_t, Message> messages_;
  std::map<PartitionKey, int64_t> last_arrival_ms_;
  std::map<PartitionKey, int64_t> last_sequence_;
  int last_client_ = 0;
  bool input_closed_ = false;
};

}  // namespace yeoul
