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
      : source_(source), context_(context) {
    if (!restored) return;
    ByteReader in(*restored);
    while (!in.at_end()) assigned_.insert(static_cast<int>(in.svarint()));
  }

  void start() override {
    if (!source_.options_.list_async) {
      listed_ = true;
      return;
    }
    context_.call_async([this]() -> std::function<void()> {
      if (source_.kafka_.draw_lost_connection()) throw external_error(4504, "the simulated cluster does not answer");
      return [this] {
        listed_ = true;
        for (const int subtask : context_.registered_readers()) assign(subtask);
      };
    });
  }
  void add_reader(int subtask) override {
    if (listed_) assign(subtask);
  }
  void add_splits_back(std::vector<SourceSplit> splits, int subtask) override {
    context_.assign_splits(subtask, std::move(splits));
  }
  std::string snapshot(int64_t checkpoint_id) override {
    (void)checkpoint_id;
    ByteWriter out;
    for (const int partition : assigned_) out.svarint(partition);
    return out.take();
  }

 private:
  void assign(int subtask) {
    const int topic = source_.options_.topic;
    std::vector<SourceSplit> splits;
    for (int partition = 0; partition < source_.kafka_.num_partitions(topic); ++partition) {
      if (partition % context_.parallelism() != subtask || !assigned_.insert(partition).second) continue;
      splits.push_back(make_split(partition, 0, source_.kafka_.end_offset(topic, partition)));
    }
    if (!splits.empty()) context_.assign_splits(subtask, std::move(splits));
    context_.signal_no_more_splits(subtask);
  }

  const SimulatedKafkaSource& source_;
  SplitEnumeratorContext& context_;
  std::set<int> assigned_;
  bool listed_ = false;
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
      fetch_more(added);
    }
  }
  void notify_no_more_splits() override { no_more_ = true; }

  std::vector<SourceSplit> snapshot(int64_t checkpoint_id) override {
    (void)checkpoint_id;
    std::vector<SourceSplit> splits;
    for (const Split& split : splits_) {
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

  void take_some(Split& split, std::vector<SimRecord>& records, std::vector<SourceRun>& runs) {
    const size_t room = static_cast<size_t>(context_.batch_records_max) - records.size();
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
};

std::unique_ptr<SplitEnumerator> SimulatedKafkaSource::create_enumerator(
    SplitEnumeratorContext& context, const std::optional<std::string>& restored) const {
  return std::make_unique<Enumerator>(*this, context, restored);
}

std::unique_ptr<SourceReader> SimulatedKafkaSource::create_reader(SourceReaderContext context) const {
  return std::make_unique<Reader>(*this, std::move(context));
}

}  // namespace yeoul
