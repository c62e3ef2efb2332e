#include "yeoul/connectors/base/fetching_source_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

/// A split counts from its position to its end; one fetched batch holds ten numbers.
struct Numbers : FetchedBatch {
  int64_t next = 0;
  int64_t end = 0;
};

struct NumbersState : SplitState {
  int64_t position = 0;
};

std::atomic<int> fetched_batches{0};

class NumbersReader : public SplitReader {
 public:
  std::vector<std::unique_ptr<FetchedBatch>> fetch(std::stop_token stop) override {
    std::vector<std::unique_ptr<FetchedBatch>> batches;
    for (auto it = splits_.begin(); it != splits_.end();) {
      if (it->first == "bad") throw external_error(4500, "split 'bad' cannot be read");
      auto batch = std::make_unique<Numbers>();
      batch->split_id = it->first;
      batch->num_bytes = 10;
      batch->next = it->second.first;
      batch->end = std::min(batch->next + 10, it->second.second);
      it->second.first = batch->end;
      batch->finished = batch->end == it->second.second;
      it = batch->finished ? splits_.erase(it) : std::next(it);
      batches.push_back(std::move(batch));
      ++fetched_batches;
    }
    if (batches.empty()) wake_.wait(stop, -1);
    return batches;
  }
  void add_splits(const std::vector<SourceSplit>& splits, std::stop_token) override {
    for (const SourceSplit& split : splits) {
      const size_t dash = split.bytes.find('-');
      splits_[split.id] = {std::stoll(split.bytes.substr(0, dash)), std::stoll(split.bytes.substr(dash + 1))};
    }
  }
  void pause_or_resume(std::span<const std::string>, std::span<const std::string>) override {}
  void wake_up() override { wake_.raise(); }

 private:
  WakeUp wake_;
  std::map<std::string, std::pair<int64_t, int64_t>> splits_;
};

class NumbersSourceReader : public FetchingSourceReader {
 public:
  NumbersSourceReader(SourceReaderContext context, size_t queue_bytes)
      : FetchingSourceReader(std::move(context), "numbers", queue_bytes) {}

 protected:
  std::unique_ptr<SplitReader> create_split_reader() override { return std::make_unique<NumbersReader>(); }
  std::unique_ptr<SplitState> create_state(const SourceSplit& split) override {
    auto state = std::make_unique<NumbersState>();
    state->position = std::stoll(split.bytes);
    return state;
  }
  SourceSplit to_split(const SplitState& state) const override {
    return {state.id, std::to_string(static_cast<const NumbersState&>(state).position)};
  }
  bool append_rows(SplitState& state, FetchedBatch& base, size_t rows_max) override {
    auto& batch = static_cast<Numbers&>(base);
    for (; rows_max > 0 && batch.next < batch.end; --rows_max) rows_->values.push_back(batch.next++);
    static_cast<NumbersState&>(state).position = batch.next;
    return batch.next == batch.end;
  }
  size_t num_rows() const override { return rows_->values.size(); }
  bool is_batch_full() const override { return false; }
  BatchPtr take_rows() override { return std::exchange(rows_, std::make_shared<Batch<int64_t>>()); }

 private:
  std::shared_ptr<Batch<int64_t>> rows_ = std::make_shared<Batch<int64_t>>();
};

class FetchingReader : public testing::Test, public SourceOutput {
 protected:
  FetchingReader() { fetched_batches = 0; }

  NumbersSourceReader& make(size_t queue_bytes = 1000, int64_t rows_max = 7) {
    SourceReaderContext context;
    context.wake_up = [this] { wake.raise(); };
    context.fail = [this](std::exception_ptr failure) {
      error = std::move(failure);
      failed = true;
      wake.raise();
    };
    context.batch_records_max = [rows_max] { return rows_max; };
    reader = std::make_unique<NumbersSourceReader>(std::move(context), queue_bytes);
    return *reader;
  }
  void run_until(const std::function<bool()>& condition) {
    while (!condition()) {
      if (reader->poll(*this) == PollResult::kNothing) wake.wait({}, 10'000);
    }
  }
  void emit(BatchPtr batch, std::span<const SourceRun> runs) override {
    const auto& values = static_cast<const Batch<int64_t>&>(*batch).values;
    EXPECT_LE(values.size(), 7u);
    size_t next = 0;
    for (const SourceRun& run : runs) {
      EXPECT_EQ(run.first_row, next);
      for (; next < run.first_row + run.num_rows; ++next) rows[std::string(run.split_id)].push_back(values[next]);
    }
    EXPECT_EQ(next, values.size());
  }
  void set_caught_up(std::string_view, bool) override {}
  void finish_split(std::string_view split_id) override { finished.emplace_back(split_id); }

  WakeUp wake;
  std::exception_ptr error;
  std::atomic<bool> failed{false};
  std::map<std::string, std::vector<int64_t>> rows;
  std::vector<std::string> finished;
  std::unique_ptr<NumbersSourceReader> reader;
};

TEST_F(FetchingReader, ReadsAllSplitsAndEnds) {
  make().add_splits({{"a", "0-25"}, {"b", "100-103"}});
  reader->notify_no_more_splits();
  bool ended = false;
  run_until([&] { return ended = ended || finished.size() == 2; });
  EXPECT_EQ(reader->poll(*this), PollResult::kEnd);
  EXPECT_EQ(rows["a"].size(), 25u);
  EXPECT_EQ(rows["a"].back(), 24);
  EXPECT_EQ(rows["b"], (std::vector<int64_t>{100, 101, 102}));
}

TEST_F(FetchingReader, PositionsFollowWhatWasEmittedNotWhatWasFetched) {
  make().add_splits({{"a", "0-1000"}});
  run_until([&] { return rows["a"].size() >= 21; });
  const std::vector<SourceSplit> splits = reader->snapshot(1);
  ASSERT_EQ(splits.size(), 1u);
  EXPECT_EQ(splits[0].bytes, std::to_string(rows["a"].size()));
}

TEST_F(FetchingReader, FetchesAheadOnlyUntilTheQueueIsFull) {
  make(/*queue_bytes=*/50).add_splits({{"a", "0-1000000"}});
  run_until([&] { return rows["a"].size() >= 200; });
  // Taken: 200 and one batch begun; ahead: 50 bytes, and the one batch that overshoots.
  EXPECT_LE(fetched_batches, static_cast<int>(rows["a"].size() / 10) + 8);
}

TEST_F(FetchingReader, PausedSplitsWaitAndLoseNothing) {
  make().add_splits({{"a", "0-100"}, {"b", "0-100"}});
  run_until([&] { return !rows["a"].empty(); });
  const std::vector<std::string> a{"a"};
  reader->pause_or_resume_splits(a, {});
  const size_t before = rows["a"].size();
  run_until([&] { return rows["b"].size() == 100; });
  EXPECT_EQ(rows["a"].size(), before);
  reader->pause_or_resume_splits({}, a);
  run_until([&] { return rows["a"].size() == 100; });
  for (int64_t n = 0; n < 100; ++n) ASSERT_EQ(rows["a"][static_cast<size_t>(n)], n);
}

TEST_F(FetchingReader, AFailureOfTheFetcherFailsTheTask) {
  make().add_splits({{"bad", "0-1"}});
  run_until([&] { return failed.load(); });
  EXPECT_THROW(std::rethrow_exception(error), Error);
}

}  // namespace
}  // namespace yeoul
