#include "yeoul/kafka/native/produce_client.h"

#include <algorithm>
#include <set>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/common/threads.h"
#include "yeoul/kafka/native/transaction_admin.h"

namespace yeoul {
namespace {

// Kinds of requests; of a Produce request the rest of the tag is its number.
constexpr uint64_t kProducerIdTag = 1;
constexpr uint64_t kTransactionTag = 2;
constexpr uint64_t kFirstProduceTag = 16;

constexpr size_t kAnswerPoolBytes = size_t{1} << 20;
constexpr int64_t kReportNs = 1'000 * kNanosPerMs;

TransactionSettings transaction_settings(const ProduceClientSettings& settings) {
  const ProduceSettings& produce = settings.produce;
  return {.transactional_id = produce.transactional_id,
          .timeout_ns = produce.transaction_timeout_ns,
          .patience_ns = settings.max_block_ns,
          .backoff_ns = produce.backoff_ns,
          .backoff_max_ns = produce.backoff_max_ns,
          .newest_version = produce.newest_transaction_version};
}

}  // namespace

ProduceClient::ProduceClient(ProduceClientSettings settings, std::vector<std::string> topics, ProduceEvents events,
                             Clock& clock, Drive drive)
    : settings_(std::move(settings)),
      events_(std::move(events)),
      clock_(clock),
      pool_(kAnswerPoolBytes),
      accumulator_(settings_.produce, std::move(topics)),
      num_partitions_(accumulator_.topics().size()),
      client_(settings_, pool_, clock),
      machine_(settings_.produce, accumulator_, static_cast<uint32_t>(clock.steady_ns())),
      transaction_(transaction_settings(settings_), static_cast<uint32_t>(clock.steady_ns())),
      began_at_ns_(clock.steady_ns()) {
  set_topics();
  if (events_.report) report_at_ns_ = began_at_ns_;
  if (drive == Drive::kTurns) return;
  thread_ = start_thread("kafka-producer", [this](const std::stop_token& stop) { run(stop); });
}

ProduceClient::~ProduceClient() {
  thread_.request_stop();
  client_.wake_up();
}

// --- The user's thread -----------------------------------------------------------------------------------------------

size_t ProduceClient::add_topic(std::string topic) {
  size_t number = 0;
  {
    const std::scoped_lock lock(mutex_);
    num_partitions_.emplace_back(0);
    number = accumulator_.add_topic(std::move(topic));
    ready_ = false;
  }
  post([this] {
    set_topics();
    cluster_generation_ = 0;
    began_at_ns_ = clock_.steady_ns();
    told_of_missing_topics_ = false;
  });
  return number;
}

int32_t ProduceClient::led_partition(size_t topic, int32_t partition) const {
  if (!any_leaderless_) return partition;
  const std::scoped_lock lock(mutex_);
  const int32_t count = num_partitions_[topic];
  for (int32_t i = 0; i < count; ++i) {
    const int32_t next = (partition + i) % count;
    if (!leaderless_.contains({topic, next})) return next;
  }
  return partition;
}

bool ProduceClient::has_room() {
  const auto is_room = [&] {
    const size_t waiting = accumulator_.waiting_bytes();
    return ready_ && (waiting == 0 || waiting < settings_.produce.buffer_bytes);
  };
  if (is_room()) return true;
  // Set before looking again, so that a wake-up between the two is not missed.
  const bool is_news = !wants_room_.exchange(true);
  if (is_room()) return true;
  // What lingers is due now, or else there were no room until it is.
  if (int64_t until_ns = sleeps_until_ns_.load();
      is_news && until_ns != 0 && sleeps_until_ns_.compare_exchange_strong(until_ns, 0)) {
    client_.wake_up();
  }
  return false;
}

void ProduceClient::send(size_t topic, int32_t partition, std::span<const ProducedRecord> records) {
  const int64_t look_at_ns = accumulator_.append(topic, partition, records, clock_.steady_ns(), clock_.wall_ms());
  int64_t until_ns = sleeps_until_ns_.load();
  if (look_at_ns < until_ns && sleeps_until_ns_.compare_exchange_strong(until_ns, 0)) client_.wake_up();
}

void ProduceClient::post(std::function<void()> command) {
  {
    const std::scoped_lock lock(mutex_);
    commands_.push_back(std::move(command));
  }
  client_.wake_up();
}

void ProduceClient::flush(std::function<void()> done) {
  accumulator_.begin_flush();
  post([this, done = std::move(done)]() mutable {
    flushed_ = std::move(done);
    flush_began_ns_ = clock_.steady_ns();
  });
}

void ProduceClient::init_transactions(std::function<void()> done) {
  post([this, done = std::move(done)]() mutable {
    transaction_done_ = std::move(done);
    transaction_.init(clock_.steady_ns());
  });
}

void ProduceClient::begin_transaction() {
  post([this] {
    if (!failed_) transaction_.begin(clock_.steady_ns());
  });
}

void ProduceClient::prepare_transaction(std::function<void(std::optional<PreparedTransaction>)> done) {
  flush([this, done = std::move(done)]() mutable {
    prepared_ = std::move(done);
    end_ = End::kPrepare;
  });
}

void ProduceClient::commit_transaction(std::function<void()> done) {
  flush([this, done = std::move(done)]() mutable {
    transaction_done_ = std::move(done);
    end_ = End::kCommit;
  });
}

void ProduceClient::abort_transaction(std::function<void()> done) {
  post([this, done = std::move(done)]() mutable {
    if (transaction_.state() == TransactionMachine::State::kFailed) return;
    transaction_done_ = std::move(done);
    flushed_ = nullptr;
    end_ = End::kAbort;
  });
}

// --- The producer's thread -------------------------------------------------------------------------------------------

void ProduceClient::run(const std::stop_token& stop) {
  while (!stop.stop_requested() && try_turn(stop)) {
  }
}

bool ProduceClient::turn() {
  return try_turn({});
}

bool ProduceClient::try_turn(const std::stop_token& stop) {
  try {
    do_turn(stop);
    return true;
  } catch (const Error& error) {
    fail(error);
    // Nothing can be sent any more; transactions end by their time-out.
    ready_ = false;
    return false;
  }
}

void ProduceClient::do_turn(const std::stop_token& stop) {
  const int64_t now_ns = clock_.steady_ns();
  take_answers(now_ns);
  run_commands();
  look_for_topics(now_ns);
  const bool wants_room = wants_room_;
  machine_.update(client_.cluster(), now_ns, wants_room);
  report_deliveries();
  tell_of_stall();
  serve_waiting(now_ns);
  if (report_at_ns_ <= now_ns) report_stats(now_ns);
  ask_producer_id(now_ns);
  serve_transaction(now_ns);
  send_batches(now_ns);
  client_.send_due(now_ns);
  client_.flush();
  const int64_t due_ns = due_at_ns(now_ns);
  const bool is_saturated = machine_.is_saturated();
  // Then more records change nothing: whoever sends them need not wake it up.
  sleeps_until_ns_ = is_saturated ? 0 : due_ns;
  const bool is_news = accumulator_.has_news() || (wants_room_ && !wants_room);
  const bool rests = (is_saturated || !is_news) && !stop.stop_requested();
  client_.turn(rests ? due_ns : now_ns);
  sleeps_until_ns_ = 0;
  client_.throw_if_refused();
}

void ProduceClient::run_commands() {
  std::vector<std::function<void()>> commands;
  {
    const std::scoped_lock lock(mutex_);
    commands.swap(commands_);
  }
  for (const auto& command : commands) command();
}

void ProduceClient::set_topics() {
  const std::vector<std::string> topics = accumulator_.topics();
  client_.set_topics({topics.begin(), topics.end()});
}

void ProduceClient::look_for_topics(int64_t now_ns) {
  const ClusterView& cluster = client_.cluster();
  if (ready_ && cluster.generation() == cluster_generation_) return;
  const std::scoped_lock lock(mutex_);
  const std::vector<std::string> topics = accumulator_.topics();
  if (cluster.generation() != cluster_generation_) {
    cluster_generation_ = cluster.generation();
    bool complete = true;
    leaderless_.clear();
    for (size_t i = 0; i < topics.size(); ++i) {
      const TopicView* topic = cluster.find(topics[i]);
      if (topic != nullptr && topic->is_refused()) {
        throw external_error(4001, "topic '{}' cannot be written: {}", topics[i], name_of(topic->error));
      }
      if (topic != nullptr) num_partitions_[i] = static_cast<int32_t>(topic->partitions.size());
      if (topic != nullptr) note_leaderless(i, *topic);
      complete = complete && num_partitions_[i] > 0;
    }
    ready_ = ready_ || complete;
    any_leaderless_ = !leaderless_.empty();
  }
  if (ready_) return;
  if (now_ns >= began_at_ns_ + settings_.max_block_ns) {
    throw external_error(4001, "{} ('max.block.ms')", missing_topics(topics, settings_.max_block_ns));
  }
  if (now_ns < began_at_ns_ + ClusterClient::kLongNs || std::exchange(told_of_missing_topics_, true)) return;
  log(LogLevel::kWarn, "kafka", "{}; nothing is written until then", missing_topics(topics, ClusterClient::kLongNs));
}

void ProduceClient::note_leaderless(size_t topic, const TopicView& view) {
  for (size_t i = 0; i < view.partitions.size(); ++i) {
    if (client_.cluster().brokers().contains(view.partitions[i].leader)) continue;
    leaderless_.emplace(topic, static_cast<int32_t>(i));
  }
}

/// Which topics nothing is known of, and why.
std::string ProduceClient::missing_topics(const std::vector<std::string>& topics, int64_t waited_ns) const {
  std::string names;
  bool answered = true;
  for (size_t i = 0; i < topics.size(); ++i) {
    if (num_partitions_[i] > 0) continue;
    const TopicView* topic = client_.cluster().find(topics[i]);
    answered = answered && topic != nullptr;
    names += fmt::format("{}'{}'{}", names.empty() ? "" : ", ", topics[i],
                         topic == nullptr ? "" : fmt::format(" ({})", name_of(topic->error)));
  }
  const int64_t waited_ms = waited_ns / kNanosPerMs;
  if (answered) {
    return fmt::format("Kafka at {} has for {} ms had no topic {} to write; create it, if it does not exist",
                       settings_.bootstrap_servers, waited_ms, names);
  }
  const std::string& failure = client_.last_failure();
  return fmt::format("no metadata of topic {} from {} within {} ms; is the broker there?{}{}", names,
                     settings_.bootstrap_servers, waited_ms, failure.empty() ? "" : " The last attempt: ", failure);
}

void ProduceClient::tell_of_stall() {
  const std::optional<Stall> stall = machine_.take_stall();
  if (!stall) return;
  if (stall->ended) {
    if (failed_) return;  // they were given up
    return log(LogLevel::kWarn, "kafka", "no records to {} wait for long any more", settings_.bootstrap_servers);
  }
  std::string reason = stall->leader < 0 ? stall->reason : client_.failure_of(stall->leader);
  if (reason.empty()) reason = client_.throttle_of(stall->leader);
  if (reason.empty()) reason = stall->reason;
  if (reason.empty() && stall->leader < 0) reason = "no leader of it is known";
  if (reason.empty()) reason = fmt::format("broker {} does not answer", stall->leader);
  log(LogLevel::kWarn, "kafka", "topic={} partition={}: records have been waiting for {} s to be written: {}",
      stall->partition.topic, stall->partition.partition, stall->waited_ns / (1000 * kNanosPerMs), reason);
}

void ProduceClient::take_answers(int64_t now_ns) {
  client_.take_answers(now_ns, [&](int32_t broker, LinkAnswer& answer) { on_answer(broker, answer, now_ns); });
}

void ProduceClient::on_answer(int32_t broker, LinkAnswer& answer, int64_t now_ns) {
  if (answer.tag == kTransactionTag) {
    return client_.note_throttle(broker, transaction_.on_answer(answer, now_ns), now_ns);
  }
  if (answer.tag == kProducerIdTag) {
    if (!answer.failure.empty()) return machine_.on_producer_id_failure(now_ns);
    const auto response = decode_response<InitProducerIdRequest>(answer.version, answer.frame);
    client_.note_throttle(broker, response.throttle_time_ms, now_ns);
    return machine_.on_producer_id(response, now_ns);
  }
  const uint64_t id = answer.tag - kFirstProduceTag;
  if (!answer.failure.empty()) return machine_.on_failure(id, answer.failure, client_.cluster(), now_ns);
  if (settings_.produce.acks == 0) return machine_.on_sent(id, now_ns);
  const auto response = decode_response<ProduceRequest>(answer.version, answer.frame);
  client_.note_throttle(broker, response.throttle_time_ms, now_ns);
  machine_.on_answer(id, response, client_.cluster(), now_ns);
}

void ProduceClient::ask_producer_id(int64_t now_ns) {
  if (!machine_.wants_producer_id(now_ns)) return;
  BrokerLink* link = client_.any_ready_link();
  if (link != nullptr) link->send(machine_.producer_id_request(), kProducerIdTag, now_ns);
}

void ProduceClient::send_batches(int64_t now_ns) {
  for (const int32_t broker : machine_.brokers()) {
    BrokerLink* link = client_.ready_link(broker);
    if (link == nullptr) {
      // It may have gone for good, and others lead its partitions now.
      std::string failure = client_.failure_of(broker);
      if (failure.empty()) continue;
      machine_.set_unreachable(broker, std::move(failure));
      client_.cluster().request_refresh();
      continue;
    }
    machine_.set_unreachable(broker, {});
    uint64_t id = 0;
    while (const auto request = machine_.next_request(broker, now_ns, id)) {
      const int16_t newest = machine_.newest_version(*request);
      if (settings_.produce.acks != 0) {
        link->send(*request, kFirstProduceTag + id, now_ns, newest);
      } else {
        link->send_only(*request, kFirstProduceTag + id, newest);
      }
    }
    link->set_answers_wanted(machine_.answers_wanted(broker));
  }
}

void ProduceClient::serve_transaction(int64_t now_ns) {
  if (settings_.produce.transactional_id.empty()) return;
  transaction_.on_time(now_ns);
  for (bool happened = true; happened;) {
    send_next_request(transaction_, client_, kTransactionTag, now_ns);
    std::vector<TransactionMachine::Event> events = transaction_.take_events();
    for (TransactionMachine::Event& event : events) on_transaction_event(event);
    happened = !events.empty();
    if (transaction_.state() != TransactionMachine::State::kOpen) continue;
    if (end_ != End::kNone) {
      happened = end_transaction(now_ns);
    } else if (!transaction_.is_implicit()) {
      std::vector<TopicPartition> partitions = machine_.take_unregistered();
      if (partitions.empty()) continue;
      transaction_.register_partitions(std::move(partitions), now_ns);
      happened = true;
    }
  }
}

/// False: something is on its way still.
bool ProduceClient::end_transaction(int64_t now_ns) {
  if (end_ == End::kPrepare) {
    end_ = End::kNone;
    const auto done = std::exchange(prepared_, nullptr);
    if (!machine_.has_written()) {
      done(std::nullopt);
    } else {
      done(PreparedTransaction{settings_.produce.transactional_id, transaction_.producer()});
    }
    return true;
  }
  if (end_ == End::kAbort) {
    machine_.drop_transaction();
    if (machine_.has_in_flight()) return false;
    transaction_.abort(machine_.has_written(), now_ns);
  } else {
    machine_.end_transaction();
    commit_began_ns_ = now_ns;
    transaction_.commit(machine_.has_written(), now_ns);
  }
  end_ = End::kNone;
  return true;
}

void ProduceClient::on_transaction_event(TransactionMachine::Event& event) {
  using Kind = TransactionMachine::Event::Kind;
  switch (event.kind) {
    case Kind::kBegun:
      machine_.set_producer(transaction_.producer());
      return machine_.begin_transaction(transaction_.is_implicit());
    case Kind::kRegistered:
      return machine_.set_registered(event.partitions);
    case Kind::kFailed:
      transaction_done_ = nullptr;
      end_ = End::kNone;
      return fail(*event.error);
    case Kind::kAborted:
      failed_ = false;
      commit_began_ns_ = 0;
      [[fallthrough]];
    case Kind::kCommitted:
      if (commit_began_ns_ != 0) commit_ns_ += clock_.steady_ns() - std::exchange(commit_began_ns_, 0);
      [[fallthrough]];
    case Kind::kInitialised:
      if (auto done = std::exchange(transaction_done_, nullptr)) done();
  }
}

void ProduceClient::report_deliveries() {
  for (const Delivery& delivery : machine_.take_deliveries()) {
    if (!delivery.error.empty()) fail(external_error(4006, "{}", delivery.error));
  }
}

void ProduceClient::serve_waiting(int64_t now_ns) {
  if (accumulator_.take_flush_end() && !failed_) {
    flush_ns_ += std::max<int64_t>(now_ns - flush_began_ns_, 0);
    if (events_.report) report_stats(now_ns);
    if (auto done = std::exchange(flushed_, nullptr)) done();
  }
  // Not for every batch: what wakes up should find something to do.
  const size_t enough = settings_.produce.buffer_bytes / 4 * 3;
  if (wants_room_ && ready_ && accumulator_.waiting_bytes() <= enough && wants_room_.exchange(false)) {
    events_.wake_up();
  }
}

void ProduceClient::report_stats(int64_t now_ns) {
  report_at_ns_ = now_ns + kReportNs;
  ProduceStats stats = machine_.take_stats();
  stats.flush_ns = flush_ns_;
  stats.commit_ns = commit_ns_;
  stats.buffer_bytes = static_cast<int64_t>(settings_.produce.buffer_bytes);
  stats.waiting_bytes = static_cast<int64_t>(accumulator_.waiting_bytes());
  client_.count_links(stats);
  events_.report(stats);
}

void ProduceClient::fail(const Error& error) {
  if (std::exchange(failed_, true)) return;
  flushed_ = nullptr;
  if (events_.report) report_stats(clock_.steady_ns());
  events_.fail(std::make_exception_ptr(error));
}

int64_t ProduceClient::due_at_ns(int64_t now_ns) const {
  int64_t due = std::min(client_.due_at_ns(now_ns), machine_.due_at_ns(now_ns));
  due = std::min(due, transaction_.due_at_ns(now_ns));
  if (!ready_) {
    due = std::min(due, began_at_ns_ + settings_.max_block_ns);
    if (!told_of_missing_topics_) due = std::min(due, began_at_ns_ + ClusterClient::kLongNs);
  }
  return std::min(due, report_at_ns_);
}

}  // namespace yeoul
