#include "yeoul/testing/simulated_kafka_sink.h"

#include <map>
#include <utility>
#include <vector>

#include "yeoul/common/error.h"

namespace yeoul {

class SimulatedKafkaSink::Writer final : public SinkWriter {
 public:
  Writer(const SimulatedKafkaSink& sink, SinkWriterContext context)
      : kafka_(sink.kafka_),
        options_(sink.options_),
        context_(std::move(context)),
        client_(kafka_.open_client()),
        sequences_(static_cast<size_t>(kafka_.num_partitions(options_.topic)), 0) {}
  ~Writer() override { kafka_.close_client(client_); }

  void write(const BatchPtr& batch) override {
    const std::vector<SimRecord>& records = records_of(*batch);
    context_.metrics->records_out.add(static_cast<int64_t>(records.size()));
    if (options_.guarantee == Guarantee::kExactlyOnce) {
      open_.insert(open_.end(), records.begin(), records.end());
      return;
    }
    std::vector<std::vector<SimRecord>> by_partition(sequences_.size());
    for (const SimRecord& record : records) by_partition[partition_of(record)].push_back(record);
    for (size_t partition = 0; partition < by_partition.size(); ++partition) {
      if (by_partition[partition].empty()) continue;
      const int64_t number = ++last_request_;
      const int64_t sequence = options_.guarantee == Guarantee::kAtLeastOnce ? -1 : sequences_[partition]++;
      Request& request = requests_[number];
      request = {static_cast<int>(partition), sequence, "", std::move(by_partition[partition])};
      send(number, request);
    }
  }

  bool has_room() const override { return requests_.size() < options_.requests_max; }

  void begin_prepare(int64_t checkpoint_id, bool end_of_input, Prepared done) override {
    (void)end_of_input;
    prepared_ = std::move(done);
    if (!open_.empty()) {
      const int64_t number = ++last_request_;
      transaction_ = fmt::format("{}-{}-{}-{}", client_, context_.subtask, checkpoint_id, number);
      Request& request = requests_[number];
      request = {0, -1, transaction_, std::exchange(open_, {})};
      send(number, request);
    }
    if (requests_.empty() || options_.bug == PlantedBug::kSinkNotFlushed) end_prepare();
  }

 private:
  struct Request {
    int partition = 0;
    int64_t sequence = -1;
    std::string transaction;
    std::vector<SimRecord> records;
  };

  size_t partition_of(const SimRecord& record) const {
    const int64_t by = options_.guarantee == Guarantee::kUpsertByKey ? record.key : record.id;
    return static_cast<size_t>(murmur3_32(key_bytes(by)) % sequences_.size());
  }

  void send(int64_t number, const Request& request) {
    const auto done = [this, number](bool ok) { on_answer(number, ok); };
    if (request.transaction.empty()) {
      kafka_.produce(client_, options_.topic, request.partition, request.sequence, request.records, done);
    } else {
      kafka_.prepare(client_, options_.topic, request.transaction, request.records, done);
    }
    again_after(options_.timeout_ms, number);
  }

  void again_after(int64_t ms, int64_t number) {
    kafka_.after(client_, ms, [this, number] {
      const auto it = requests_.find(number);
      if (it == requests_.end()) return;
      kafka_.note_retry();
      send(number, it->second);
    });
  }

  void on_answer(int64_t number, bool ok) {
    if (!ok || !requests_.contains(number)) return;  // out of sequence: sent again when its time is over
    if (kafka_.draw_lost_connection()) {
      context_.fail(std::make_exception_ptr(external_error(4504, "the simulated cluster does not answer")));
      return;
    }
    const bool was_full = !has_room();
    requests_.erase(number);
    if (was_full && has_room()) context_.wake_up();
    if (requests_.empty()) end_prepare();
  }

  void end_prepare() {
    if (!prepared_) return;
    std::vector<std::string> committables;
    if (!transaction_.empty()) committables.push_back(std::exchange(transaction_, {}));
    std::exchange(prepared_, nullptr)(std::move(committables));
  }

  SimulatedKafka& kafka_;
  const Options options_;
  SinkWriterContext context_;
  const int client_;
  std::vector<int64_t> sequences_;       ///< the next, by partition
  std::map<int64_t, Request> requests_;  ///< under way, by number
  int64_t last_request_ = 0;
  std::vector<SimRecord> open_;  ///< exactly once: since the last barrier
  std::string transaction_;      ///< exactly once: being prepared
  Prepared prepared_;            ///< null: no barrier waits
};

class SimulatedKafkaSink::TransactionCommitter final : public Committer {
 public:
  TransactionCommitter(SimulatedKafka& kafka, int topic) : kafka_(kafka), topic_(topic) {}
  void commit(const std::vector<std::string>& committables) override {
    for (const std::string& transaction : committables) kafka_.commit(topic_, transaction);
  }

 private:
  SimulatedKafka& kafka_;
  int topic_;
};

std::unique_ptr<SinkWriter> SimulatedKafkaSink::create_writer(SinkWriterContext context) const {
  return std::make_unique<Writer>(*this, std::move(context));
}

std::unique_ptr<Committer> SimulatedKafkaSink::create_committer() const {
  if (options_.guarantee != Guarantee::kExactlyOnce) return nullptr;
  return std::make_unique<TransactionCommitter>(kafka_, options_.topic);
}

}  // namespace yeoul
