#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/kafka/native/cluster_client.h"
#include "yeoul/kafka/native/transaction_machine.h"
#include "yeoul/kafka/native/transaction_questions.h"

namespace yeoul {

/// What became of a transaction that was to be ended.
struct TransactionEnd {
  bool is_done = false;
  KafkaError code = KafkaError::kNone;  ///< why not
  std::string reason;
};

/// Deals with transactions from outside: commits those whose producer is no more, aborts what was left open, and looks
/// at them. Blocks, until its stop token is stopped. Threads: one at a time.
class TransactionAdmin {
 public:
  TransactionAdmin(ClusterClientSettings settings, QuestionSettings question, std::stop_token stop,
                   Clock& clock = system_clock());

  /// Commits what was prepared; repeating it is harmless. Not done: the broker has refused, for good: it was aborted
  /// meanwhile, or never known; or it was committed, and the id has been used since.
  /// @throws external error 4001 when nobody could be asked in time, 4013 as soon as a broker refuses TLS or the login,
  /// 4009 when stopped
  TransactionEnd commit(const PreparedTransaction& transaction);
  /// Aborts what is open under an id, and fences whoever uses it. @throws as commit()
  TransactionEnd abort(const std::string& transactional_id);
  /// Transactional ids that begin with a prefix. @throws as commit(), and 4011 for brokers before Kafka 3.0
  std::vector<ListedTransaction> list(const std::string& prefix);
  /// None: there is no such id. @throws as commit()
  std::optional<TransactionDescription> describe(const std::string& transactional_id);

 private:
  static constexpr size_t kPoolBytes = size_t{1} << 20;

  TransactionMachine machine_for(const std::string& transactional_id) const;
  TransactionEnd run(TransactionMachine& machine);

  ClusterClientSettings settings_;
  QuestionSettings question_;
  std::stop_token stop_;
  Clock& clock_;
  BufferPool pool_;
  ClusterClient client_;
};

/// Has the next request of a machine sent with a tag, if there is one and whoever is to be asked can be reached.
void send_next_request(TransactionMachine& machine, ClusterClient& client, uint64_t tag, int64_t now_ns);

}  // namespace yeoul
