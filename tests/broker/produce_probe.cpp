// Yeoul's own Kafka producer against a real broker, for the tests that compare it with Kafka's own tools.
// usage: produce_probe BOOTSTRAP TOPIC[,TOPIC]... [property=value]...
// Standard input is what to do, a line each, done in order:
//   topic, partition, timestamp (-1: none), key, value, headers (name=value), with tabs between; \N is null: a record
//   !many COUNT PARTITIONS BYTES [FIRST]   COUNT records "<number> xxx…" of topic 0, in turn over the partitions
//   !file FILE   the records in a file, as record_stream.h says, to partition 0 of topic 0
//   !flush !init !begin !prepare !commit !abort
//   !resume ID PRODUCER EPOCH, !finish ID, !list PREFIX, !describe ID: through TransactionAdmin
// Standard output says what has been done: "flush", "prepare ID PRODUCER EPOCH", …; a failure goes to standard error,
// and ends all with exit code 1, unless `!abort` is the next command.

#include <condition_variable>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record_stream.h"
#include "yeoul/common/error.h"
#include "yeoul/kafka/native/produce_client.h"
#include "yeoul/kafka/native/transaction_admin.h"

namespace {

using namespace yeoul;

constexpr std::string_view kNull = "\\N";

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find(separator, begin), line.size());
    parts.emplace_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string_view or_null(std::string_view text) {
  return text == kNull ? std::string_view() : text;
}

void set(ProduceClientSettings& settings, const std::string& name, const std::string& value) {
  ProduceSettings& produce = settings.produce;
  const auto number = [&] { return std::stoll(value); };
  if (name == "acks") produce.acks = static_cast<int16_t>(value == "all" ? -1 : number());
  if (name == "enable.idempotence") produce.idempotent = value == "true";
  if (name == "linger.ms") produce.linger_ns = number() * kNanosPerMs;
  if (name == "batch.size") produce.batch_bytes = static_cast<size_t>(number());
  if (name == "buffer.memory") produce.buffer_bytes = static_cast<size_t>(number());
  if (name == "max.request.size") produce.request_bytes_max = static_cast<size_t>(number());
  if (name == "max.in.flight.requests.per.connection") produce.in_flight_max = static_cast<size_t>(number());
  if (name == "delivery.timeout.ms") produce.delivery_timeout_ns = number() * kNanosPerMs;
  if (name == "request.timeout.ms") {
    produce.request_timeout_ms = static_cast<int32_t>(number());
    settings.link.request_timeout_ns = number() * kNanosPerMs;
  }
  if (name == "compression.type") produce.compression = find_compression(value).value();
  if (name == "transactional.id") produce.transactional_id = value;
  if (name == "transaction.timeout.ms") produce.transaction_timeout_ns = number() * kNanosPerMs;
  if (name == "transaction.version") produce.newest_transaction_version = static_cast<int16_t>(number());
  if (name == "max.block.ms") settings.max_block_ns = number() * kNanosPerMs;
}

/// What the producer's thread has said.
class Happenings {
 public:
  void tell(std::string what) {
    const std::scoped_lock lock(mutex_);
    told_.push_back(std::move(what));
    changed_.notify_all();
  }
  void fail(std::string why) {
    const std::scoped_lock lock(mutex_);
    failure_ = std::move(why);
    changed_.notify_all();
  }
  /// What was told; empty: it failed.
  std::string wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !told_.empty() || !failure_.empty(); });
    if (told_.empty()) return "";
    std::string what = std::move(told_.front());
    told_.erase(told_.begin());
    return what;
  }
  std::string failure() {
    const std::scoped_lock lock(mutex_);
    return failure_;
  }
  void forgive() {
    const std::scoped_lock lock(mutex_);
    failure_.clear();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> told_;
  std::string failure_;
};

class Probe {
 public:
  Probe(const ProduceClientSettings& settings, const std::vector<std::string>& topics)
      : admin_(settings, {}, {}),
        client_(settings, topics,
                {[this] { happenings_.tell("room"); },
                 [this](std::exception_ptr error) {
                   try {
                     std::rethrow_exception(std::move(error));
                   } catch (const Error& failure) {
                     happenings_.fail(failure.to_string());
                   }
                 }}) {}

  /// False: it failed.
  bool run(const std::string& line) {
    if (!line.starts_with('!')) return send(split(line, '\t'));
    const std::vector<std::string> words = split(line, ' ');
    if (words[0] == "!many") {
      const int64_t first = words.size() > 4 ? std::stoll(words[4]) : 0;
      return send_many(first, std::stoll(words[1]), std::stoi(words[2]), std::stoul(words[3]));
    }
    if (words[0] == "!file") return send_file(words[1]);
    if (words.size() > 1) return administrate(words);
    const std::string name = words[0].substr(1);
    const auto done = [this, name] { happenings_.tell(name); };
    if (name == "begin") {
      client_.begin_transaction();
      return true;
    }
    if (name == "flush") client_.flush(done);
    if (name == "init") client_.init_transactions(done);
    if (name == "commit") client_.commit_transaction(done);
    if (name == "abort") {
      happenings_.forgive();
      client_.abort_transaction(done);
    }
    if (name == "prepare") {
      client_.prepare_transaction([this](const std::optional<PreparedTransaction>& prepared) {
        if (!prepared) return happenings_.tell("prepare nothing");
        happenings_.tell("prepare " + prepared->transactional_id + " " + std::to_string(prepared->producer.id) + " " +
                         std::to_string(prepared->producer.epoch));
      });
    }
    return wait();
  }
  std::string failure() { return happenings_.failure(); }

 private:
  bool administrate(const std::vector<std::string>& words) {
    if (words[0] == "!list") {
      std::cout << "list";
      for (const auto& found : admin_.list(words[1])) std::cout << ' ' << found.transactional_id << '=' << found.state;
    } else if (words[0] == "!describe") {
      const auto found = admin_.describe(words[1]);
      std::cout << (found ? found->state : "unknown");
      if (found) std::cout << ' ' << found->producer.id << ' ' << found->producer.epoch << ' ' << found->timeout_ms;
      for (const TopicPartition& partition : found ? found->partitions : std::vector<TopicPartition>()) {
        std::cout << ' ' << to_string(partition);
      }
    } else {
      const TransactionEnd end =
          words[0] == "!finish"
              ? admin_.abort(words[1])
              : admin_.commit({words[1], {std::stoll(words[2]), static_cast<int16_t>(std::stoi(words[3]))}});
      std::cout << (end.is_done ? "done" : "refused " + end.reason);
    }
    std::cout << std::endl;
    return true;
  }

  bool wait() {
    for (std::string what = happenings_.wait(); !what.empty(); what = happenings_.wait()) {
      if (what == "room") continue;
      std::cout << what << std::endl;
      return true;
    }
    return false;
  }

  bool wait_for_room() {
    while (!client_.has_room()) {
      if (happenings_.wait().empty()) return false;
    }
    return true;
  }

  bool send(const std::vector<std::string>& columns) {
    if (!wait_for_room()) return false;
    std::vector<std::pair<std::string_view, std::string_view>> headers;
    for (size_t i = 5; i < columns.size(); ++i) {
      const std::string_view header = columns[i];
      headers.emplace_back(header.substr(0, header.find('=')), or_null(header.substr(header.find('=') + 1)));
    }
    const ProducedRecord record{or_null(columns.at(3)), or_null(columns.at(4)), std::stoll(columns.at(2)), headers};
    client_.send(std::stoul(columns.at(0)), std::stoi(columns.at(1)), {&record, 1});
    return true;
  }

  bool send_file(const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    for (StreamedRecord record; read_record(in, record);) {
      if (!wait_for_room()) return false;
      std::vector<std::pair<std::string_view, std::string_view>> headers;
      for (const auto& [header, value] : record.headers) headers.emplace_back(header, view_of(value));
      const ProducedRecord produced{view_of(record.key), view_of(record.value), record.timestamp_ms, headers};
      client_.send(0, 0, {&produced, 1});
    }
    return true;
  }

  bool send_many(int64_t first, int64_t count, int num_partitions, size_t bytes) {
    constexpr int64_t kRun = 100;
    const std::string filler(bytes, 'x');
    for (int64_t at = first; at < first + count; at += kRun) {
      if (!wait_for_room()) return false;
      std::vector<std::string> values;
      for (int64_t i = at; i < std::min(at + kRun, first + count); ++i) {
        values.push_back(std::to_string(i) + " " + filler);
      }
      std::vector<ProducedRecord> run(values.size());
      for (size_t i = 0; i < run.size(); ++i) run[i].value = values[i];
      client_.send(0, static_cast<int32_t>(at / kRun % num_partitions), run);
    }
    return true;
  }

  Happenings happenings_;
  TransactionAdmin admin_;
  ProduceClient client_;
};

int run(int argc, char** argv) {
  ProduceClientSettings settings;
  settings.bootstrap_servers = argv[1];
  settings.cluster.creates_topics = true;
  for (int i = 3; i < argc; ++i) {
    const std::string setting = argv[i];
    set(settings, setting.substr(0, setting.find('=')), setting.substr(setting.find('=') + 1));
  }
  Probe probe(settings, split(argv[2], ','));
  for (std::string line; std::getline(std::cin, line);) {
    if (probe.run(line)) continue;
    std::cerr << probe.failure() << std::endl;
    if (!std::getline(std::cin, line) || line != "!abort" || !probe.run(line)) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const yeoul::Error& error) {
    std::cerr << error.to_string() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "produce_probe: " << error.what() << '\n';
  }
  return 1;
}
