#include "yeoul/testing/simulated_kafka_source.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "yeoul/common/bytes.h"

namespace yeoul {
namespace {

/// The end of a split of a topic that is not closed.
constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();

SourceSplit make_split(int partition, int64_t position, int64_t end) {
  ByteWriter out;
  out.svarint(partition);
  out.svarint(position);
  out.svarint(end);
  return {.id = fmt::format("p-{}", partition), .bytes = out.take()};
}

}  // namespace

class SimulatedKafkaSource::Enumerator final : public SplitEnumerator {
 public:
  Enumerator(const SimulatedKafkaSource& source, SplitEnumeratorContext& context,
             const std::optional<std::string>& restored)
      : kafka_(source.kafka_), options_(source.options_), context_(context) {
    if (!restored) return;
    ByteReader in(*restored);
    known_ = read(in);
    waiting_ = read(in);
  }

  void start() override {
    if (!options_.list_async) {
      take({.num_partitions = kafka_.num_created(options_.topic)});
      return;
    }
    context_.call_async([this] { return list(); }, options_.discovery_interval_ms);
  }
  void add_reader(int subtask) override {
    told_.erase(subtask);
    if (listed_) assign(subtask);
  }
  void add_splits_back(std::vector<SourceSplit> splits, int subtask) override {
    context_.assign_splits(subtask, std::move(splits));
  }
  std::string snapshot(int64_t checkpoint_id) override {
    (void)checkpoint_id;
    std::set<int> known = known_;
    if (options_.bug == PlantedBug::kAssignedForgotten) {
      std::erase_if(known, [&](int partition) { return partition >= num_first_ && !waiting_.contains(partition); });
    }
    ByteWriter out;
    write(known, out);
    write(options_.bug == PlantedBug::kWaitingForgotten ? std::set<int>() : waiting_, out);
    return out.take();
  }

 private:
  /// What the cluster says.
  struct Listing {
    int num_partitions = 0;
    bool closed = false;
  };

  static std::set<int> read(ByteReader& in) {
    std::set<int> partitions;
    for (int64_t n = in.svarint(); n > 0; --n) partitions.insert(static_cast<int>(in.svarint()));
    return partitions;
  }
  static void write(const std::set<int>& partitions, ByteWriter& out) {
    out.svarint(static_cast<int64_t>(partitions.size()));
    for (const int partition : partitions) out.svarint(partition);
  }

  /// On the I/O pool.
  std::function<void()> list() {
    if (kafka_.draw_lost_connection()) {
      if (!listed_) throw external_error(4504, "the simulated cluster does not answer");
      return [] {};  // later is soon enough
    }
    const Listing listing{kafka_.num_created(options_.topic), kafka_.input_closed()};
    return [this, listing] { take(listing); };
  }

  void take(const Listing& listing) {
    if (!listed_) num_first_ = listing.num_partitions;
    listed_ = true;
    closed_ = closed_ || listing.closed;
    for (int partition = 0; partition < listing.num_partitions; ++partition) {
      if (known_.insert(partition).second) waiting_.insert(partition);
    }
    for (const int subtask : context_.registered_readers()) assign(subtask);
  }

  void assign(int subtask) {
    std::vector<SourceSplit> splits;
    std::erase_if(waiting_, [&](int partition) {
      if (partition % context_.parallelism() != subtask) return false;
      const bool bounded = options_.discovery_interval_ms == 0;
      splits.push_back(make_split(partition, 0, bounded ? kafka_.end_offset(options_.topic, partition) : kNoEnd));
      return true;
    });
    if (!splits.empty()) context_.assign_splits(subtask, std::move(splits));
    if (options_.discovery_interval_ms > 0) {
      if (!closed_ || !told_.insert(subtask).second) return;
      context_.send_event_to_reader(subtask, "closed");
    }
    context_.signal_no_more_splits(subtask);
  }

  SimulatedKafka& kafka_;
  const Options options_;
  SplitEnumeratorContext& context_;
  std::set<int> known_;
  std::set<int> waiting_;  ///< of those: for their reader
  std::set<int> told_;     ///< readers, that the topic is closed
  int num_first_ = 0;      ///< partitions of the first listing
  bool listed_ = false;
  bool closed_ = false;
};

class SimulatedKafkaSource::Reader final : public SourceReader {
 public:
  Reader(const SimulatedKafkaSource& source, SourceReaderContext context)
      : kafka_(source.kafka_), options_(source.options_), context_(std::move(context)), client_(kafka_.open_client()) {}
  ~Reader() override { kafka_.close_client(client_); }

  PollResult poll(SourceOutput& output) override {
    std::vector<SimRecord> records;
    std::vector<SourceRun> runs;
    if (!splits_.empty()) turn_ = (turn_ + 1) % splits_.size();
    for (size_t i = 0; i < splits_.size(); ++i) {
      take_some(splits_[(turn_ + i) % splits_.size()], records, runs);
      if (!records.empty() && !options_.mix_splits) break;
    }
    for (Split& split : splits_) {
      output.set_caught_up(split.id, split.buffer.empty() && split.position >= split.high_watermark);
      fetch_more(split);
    }
    if (!records.empty()) {
      context_.metrics->records_in.add(static_cast<int64_t>(records.size()));
      output.emit(sim_batch(std::move(records)), runs);
    }
    std::erase_if(splits_, [&](const Split& split) {
      if (split.position < split.end) return false;
      output.finish_split(split.id);
      return true;
    });
    if (splits_.empty() && no_more_) return PollResult::kEnd;
    return runs.empty() ? PollResult::kNothing : PollResult::kMore;
  }

  void add_splits(std::vector<SourceSplit> splits) override {
    for (const SourceSplit& split : splits) {
      ByteReader in(split.bytes);
      Split& added = splits_.emplace_back();
      added.id = split.id;
      added.partition = static_cast<int>(in.svarint());
      added.position = in.svarint();
      added.end = in.svarint();
      if (closed_) close(added);
      fetch_more(added);
    }
  }
  void notify_no_more_splits() override { no_more_ = true; }
  void handle_source_event(const std::string& event) override {
    (void)event;  // there is but one
    closed_ = true;
    for (Split& split : splits_) close(split);
  }

  std::vector<SourceSplit> snapshot(int64_t checkpoint_id) override {
    (void)checkpoint_id;
    std::vector<SourceSplit> splits;
    for (const Split& split : splits_) {
      if (options_.bug == PlantedBug::kCaughtUpForgotten && split.position == split.high_watermark) continue;
      const bool early = options_.bug == PlantedBug::kPositionTooEarly;
      const int64_t position = early ? split.fetched() : split.position;
      splits.push_back(make_split(split.partition, position, split.end));
    }
    return splits;
  }

  void pause_or_resume_splits(std::span<const std::string> pause, std::span<const std::string> resume) override {
    for (Split& split : splits_) {
      if (std::find(pause.begin(), pause.end(), split.id) != pause.end()) split.paused = true;
      if (std::find(resume.begin(), resume.end(), split.id) != resume.end()) split.paused = false;
    }
  }

 private:
  struct Split {
    std::string id;
    int partition = 0;
    int64_t position = 0;  ///< after the last record emitted
    int64_t end = 0;
    std::deque<SimRecord> buffer;  ///< from `position` on
    int64_t high_watermark = std::numeric_limits<int64_t>::max();
    int64_t request = 0;  ///< number of the fetch that is under way; 0: none
    bool paused = false;
    int64_t fetched() const { return position + static_cast<int64_t>(buffer.size()); }
  };

  void close(Split& split) const { split.end = kafka_.end_offset(options_.topic, split.partition); }

  void take_some(Split& split, std::vector<SimRecord>& records, std::vector<SourceRun>& runs) {
    const size_t room = static_cast<size_t>(context_.batch_records_max()) - records.size();
    const size_t count = split.paused ? 0 : std::min(room, split.buffer.size());
    if (count == 0) return;
    runs.push_back({split.id, static_cast<uint32_t>(records.size()), static_cast<uint32_t>(count)});
    const auto end = split.buffer.begin() + static_cast<std::ptrdiff_t>(count);
    records.insert(records.end(), split.buffer.begin(), end);
    split.buffer.erase(split.buffer.begin(), end);
    split.position += static_cast<int64_t>(count);
  }

  Split* find(int partition) {
    const auto it =
        std::find_if(splits_.begin(), splits_.end(), [&](const Split& s) { return s.partition == partition; });
    return it == splits_.end() ? nullptr : &*it;
  }

  void fetch_more(Split& split) {
    if (split.request != 0 || split.fetched() >= split.end) return;
    if (static_cast<int64_t>(split.buffer.size()) >= options_.fetch_records_max) return;
    const int64_t number = ++last_request_;
    split.request = number;
    kafka_.fetch(
        client_, options_.topic, split.partition, split.fetched(), options_.fetch_records_max,
        [this, partition = split.partition, number](std::vector<SimRecord> records, int64_t high_watermark, bool ok) {
          on_fetched(partition, number, std::move(records), high_watermark, ok);
        });
    again_after(options_.fetch_timeout_ms, split.partition, number);
  }

  void again_after(int64_t ms, int partition, int64_t number) {
    kafka_.after(client_, ms, [this, partition, number] {
      Split* split = find(partition);
      if (split == nullptr || split->request != number) return;
      kafka_.note_retry();
      split->request = 0;
      fetch_more(*split);
    });
  }

  void on_fetched(int partition, int64_t number, std::vector<SimRecord> records, int64_t high_watermark, bool ok) {
    Split* split = find(partition);
    if (split == nullptr || split->request != number) return;
    if (kafka_.draw_lost_connection()) {
      context_.fail(std::make_exception_ptr(external_error(4504, "the simulated cluster does not answer")));
      return;
    }
    if (!ok) {
      again_after(1, partition, number);
      return;
    }
    split->request = 0;
    split->buffer.insert(split->buffer.end(), records.begin(), records.end());
    split->high_watermark = high_watermark;
    fetch_more(*split);
    context_.wake_up();
  }

  SimulatedKafka& kafka_;
  const Options options_;
  SourceReaderContext context_;
  const int client_;
  std::vector<Split> splits_;
  size_t turn_ = 0;
  int64_t last_request_ = 0;
  bool no_more_ = false;
  bool closed_ = false;
};

std::unique_ptr<SplitEnumerator> SimulatedKafkaSource::create_enumerator(
    SplitEnumeratorContext& context, const std::optional<std::string>& restored) const {
  return std::make_unique<Enumerator>(*this, context, restored);
}

std::unique_ptr<SourceReader> SimulatedKafkaSource::create_reader(SourceReaderContext context) const {
  return std::make_unique<Reader>(*this, std::move(context));
}

}  // namespace yeoul
