#include "yeoul/kafka/native/transaction_admin.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"

namespace yeoul {

void send_next_request(TransactionMachine& machine, ClusterClient& client, uint64_t tag, int64_t now_ns) {
  const std::optional<int32_t> coordinator = machine.coordinator();
  if (coordinator && !client.cluster().brokers().contains(*coordinator)) client.cluster().request_refresh();
  if (machine.due_at_ns(now_ns) == kNever) return;
  BrokerLink* link = coordinator ? client.ready_link(*coordinator) : client.any_ready_link();
  if (link == nullptr) {
    if (coordinator) machine.on_unreachable(client.failure_of(*coordinator), now_ns);
    return;
  }
  const auto request = machine.next_request(link->versions().feature_level("transaction.version"), now_ns);
  if (!request) return;
  std::visit([&](const auto& r) { link->send(r, tag, now_ns, machine.newest_version(*request)); }, *request);
}

TransactionAdmin::TransactionAdmin(ClusterClientSettings settings, QuestionSettings question, std::stop_token stop,
                                   Clock& clock)
    : settings_(std::move(settings)),
      question_(question),
      stop_(std::move(stop)),
      clock_(clock),
      pool_(kPoolBytes),
      client_(settings_, pool_, clock) {}

TransactionMachine TransactionAdmin::machine_for(const std::string& transactional_id) const {
  return TransactionMachine({.transactional_id = transactional_id,
                             .patience_ns = question_.timeout_ns,
                             .backoff_ns = question_.backoff_ns,
                             .backoff_max_ns = question_.backoff_max_ns},
                            static_cast<uint32_t>(clock_.steady_ns()));
}

TransactionEnd TransactionAdmin::commit(const PreparedTransaction& transaction) {
  TransactionMachine machine = machine_for(transaction.transactional_id);
  machine.resume(transaction.producer, clock_.steady_ns());
  return run(machine);
}

TransactionEnd TransactionAdmin::abort(const std::string& transactional_id) {
  TransactionMachine machine = machine_for(transactional_id);
  machine.init(clock_.steady_ns());
  return run(machine);
}

TransactionEnd TransactionAdmin::run(TransactionMachine& machine) {
  constexpr uint64_t kTag = 1;
  const std::stop_callback wake(stop_, [this] { client_.wake_up(); });
  while (!stop_.stop_requested()) {
    const int64_t now_ns = clock_.steady_ns();
    client_.take_answers(now_ns, [&](int32_t broker, LinkAnswer& answer) {
      client_.note_throttle(broker, machine.on_answer(answer, now_ns), now_ns);
    });
    machine.on_time(now_ns);
    for (const TransactionMachine::Event& event : machine.take_events()) {
      if (event.kind != TransactionMachine::Event::Kind::kFailed) return {.is_done = true};
      if (event.code != KafkaError::kRequestTimedOut) return {false, event.code, event.error->message()};
      throw external_error(4001, "Kafka at {}: {}; {}", settings_.bootstrap_servers, event.error->message(),
                           client_.last_failure());
    }
    send_next_request(machine, client_, kTag, now_ns);
    client_.send_due(now_ns);
    client_.turn(std::min(client_.due_at_ns(now_ns), machine.due_at_ns(now_ns)));
    client_.throw_if_refused();
  }
  client_.throw_given_up("ending a transaction");
}

std::vector<ListedTransaction> TransactionAdmin::list(const std::string& prefix) {
  ListTransactionsQuestion question(prefix, question_, clock_.steady_ns());
  client_.ask_until_done(question, stop_);
  return question.transactions();
}

std::optional<TransactionDescription> TransactionAdmin::describe(const std::string& transactional_id) {
  DescribeTransactionQuestion question(transactional_id, question_, clock_.steady_ns());
  client_.ask_until_done(question, stop_);
  return question.description();
}

}  // namespace yeoul
