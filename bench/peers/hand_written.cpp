// The Kafka jobs of bench/jobs as one would write them by hand: librdkafka, simdjson, two hash tables. No SQL, no
// checkpoints, no restarts; it stops at the first record that is not as expected.
// usage: hand_written a|b|c|e|f|g BOOTSTRAP TOPIC PARTITIONS OUT_TOPIC ROUNDS
#include <cstring>
#include <memory>
#include <unordered_map>

#include "kafka_peer.h"
#include "page_view.h"

namespace {

constexpr size_t kMessagesPerPoll = 2'000;
constexpr size_t kMiniBatch = 5'000;
/// Records without a key go to one partition in runs, which costs the client less.
constexpr uint64_t kRunRecords = 1'000;

/// A set of strings: open addressing, their bytes in one block.
class StringSet {
 public:
  bool add(std::string_view text) {
    const uint64_t hash = std::hash<std::string_view>()(text);
    size_t slot = hash & mask_;
    for (; slots_[slot].offset != 0; slot = (slot + 1) & mask_) {
      if (slots_[slot].hash == static_cast<uint32_t>(hash >> 32) && at(slots_[slot].offset) == text) return false;
    }
    slots_[slot] = {static_cast<uint32_t>(bytes_.size()), static_cast<uint32_t>(hash >> 32)};
    const auto size = static_cast<uint32_t>(text.size());
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes_.append(text);
    if (++size_ * 2 > slots_.size()) grow();
    return true;
  }
  size_t size() const { return size_; }

 private:
  struct Slot {
    uint32_t offset = 0;
    uint32_t hash = 0;
  };

  std::string_view at(uint32_t offset) const {
    uint32_t size;
    std::memcpy(&size, bytes_.data() + offset, sizeof size);
    return {bytes_.data() + offset + sizeof size, size};
  }
  void grow() {
    std::vector<Slot> larger(slots_.size() * 2);
    mask_ = larger.size() - 1;
    for (const Slot& old : slots_) {
      if (old.offset == 0) continue;
      size_t slot = std::hash<std::string_view>()(at(old.offset)) & mask_;
      while (larger[slot].offset != 0) slot = (slot + 1) & mask_;
      larger[slot] = old;
    }
    slots_.swap(larger);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  size_t mask_ = 1023;
  size_t size_ = 0;
  std::string bytes_ = " ";  // so that no offset is 0
};

struct Region {
  std::string name;
  int64_t views = 0;
  StringSet users;
  bool changed = false;
};

class Job {
 public:
  Job(char job, const std::string& bootstrap, const std::string& out, int num_partitions)
      : job_(job), num_partitions_(static_cast<uint64_t>(num_partitions)) {
    if (job != 'g') producer_ = std::make_unique<peer::Producer>(bootstrap, out);
  }

  void record(const rd_kafka_message_t& message) {
    ++num_records;
    if (buffer_.size() < message.len + simdjson::SIMDJSON_PADDING) {
      buffer_.resize(message.len + simdjson::SIMDJSON_PADDING);
    }
    std::memcpy(buffer_.data(), message.payload, message.len);
    const peer::PageView& view = parser_.parse(buffer_.data(), message.len, buffer_.size());
    switch (job_) {
      case 'a':
      case 'e':
      case 'f':
        return count(view);
      case 'b':
        return pass(view);
      case 'c':
        return filter(view);
      default:
        num_bytes += view.user_id.size() + view.page_id.size() + view.user_region.size();
        latest = std::max(latest, timestamp_.parse(view.viewtime));
    }
  }

  /// The end of a poll, or of the input.
  void flush(bool end) {
    if (job_ == 'e' && !end && num_folded_ < kMiniBatch) return;
    num_folded_ = 0;
    for (Region* region : changed_) {
      send(*region);
      region->changed = false;
    }
    changed_.clear();
    if (producer_) producer_->poll();
  }

  uint64_t num_records = 0;
  uint64_t num_bytes = 0;
  int64_t latest = 0;

 private:
  void count(const peer::PageView& view) {
    key_.assign(view.user_region);
    std::unique_ptr<Region>& region = regions_[key_];
    if (!region) {
      region = std::make_unique<Region>();
      region->name = view.user_region;
    }
    ++region->views;
    region->users.add(view.user_id);
    if (job_ == 'a') return send(*region);
    ++num_folded_;
    if (region->changed) return;
    region->changed = true;
    changed_.push_back(region.get());
  }

  void send(const Region& region) {
    key_writer_.begin(region.name.size());
    key_writer_.put("{\"user_region\":");
    key_writer_.put_string(region.name);
    key_writer_.put("}");
    writer_.begin(region.name.size());
    writer_.put("{\"user_region\":");
    writer_.put_string(region.name);
    writer_.put(",\"pv\":");
    writer_.put_number(region.views);
    writer_.put(",\"uv\":");
    writer_.put_number(static_cast<int64_t>(region.users.size()));
    writer_.put("}");
    producer_->send(key_writer_.text(), writer_.text());
  }

  int32_t next_partition() { return static_cast<int32_t>(num_sent_++ / kRunRecords % num_partitions_); }

  void pass(const peer::PageView& view) {
    producer_->send({},
                    writer_.page_view(view.user_id, view.page_id, timestamp_.parse(view.viewtime), view.user_region),
                    next_partition());
  }

  void filter(const peer::PageView& view) {
    const int64_t viewtime = timestamp_.parse(view.viewtime);
    if (view.user_region != "Region_3") return;
    page_.clear();
    for (const char c : view.page_id) page_ += static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    writer_.begin(view.user_id.size() + page_.size());
    writer_.put("{\"user_id\":");
    writer_.put_string(view.user_id);
    writer_.put(",\"page_id\":");
    writer_.put_string(page_);
    writer_.put(",\"viewtime\":\"");
    writer_.put_timestamp(viewtime);
    writer_.put("\"}");
    producer_->send({}, writer_.text(), next_partition());
  }

  const char job_;
  const uint64_t num_partitions_;
  uint64_t num_sent_ = 0;
  std::unique_ptr<peer::Producer> producer_;
  peer::Parser parser_;
  peer::Timestamp timestamp_;
  peer::Writer writer_;
  peer::Writer key_writer_;
  std::vector<char> buffer_ = std::vector<char>(4096);
  std::unordered_map<std::string, std::unique_ptr<Region>> regions_;
  std::vector<Region*> changed_;
  size_t num_folded_ = 0;
  std::string key_;
  std::string page_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) peer::fail("usage: hand_written a|b|c|e|f|g BOOTSTRAP TOPIC PARTITIONS OUT_TOPIC ROUNDS");
  rd_kafka_t* client = peer::make_client(RD_KAFKA_CONSUMER, peer::consumer_conf(argv[2]));
  rd_kafka_poll_set_consumer(client);
  {
    Job job(argv[1][0], argv[2], argv[5], std::atoi(argv[4]));
    for (int round = 0; round < std::atoi(argv[6]); ++round) {
      peer::read_all(
          client, argv[3], std::atoi(argv[4]), kMessagesPerPoll,
          [&](const rd_kafka_message_t& message) { job.record(message); }, [&] { job.flush(false); });
    }
    job.flush(true);
    std::printf("%llu records, %llu bytes, latest %lld\n", static_cast<unsigned long long>(job.num_records),
                static_cast<unsigned long long>(job.num_bytes), static_cast<long long>(job.latest));
  }
  rd_kafka_destroy(client);
  return 0;
}
