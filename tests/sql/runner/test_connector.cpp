#include "test_connector.h"

#include <algorithm>

#include "yeoul/common/bytes.h"
#include "yeoul/types/row_literal.h"

namespace yeoul {
namespace {

/// The rows of an input, in file order; each belongs to a split and a segment.
struct InputRows {
  std::shared_ptr<const RowBatch> batch;
  std::vector<int> split_of_row;
  std::vector<size_t> segment_end;  ///< row behind the last of each segment
  int num_splits = 1;
};

std::string split_id(int number) {
  return fmt::format("rows-{}", number);
}

/// All rows of a key go into one split, so that its changes stay in order at any parallelism.
std::vector<int> deal_out(const RowBatch& batch, const std::vector<int>& key, int num_splits) {
  RowBatch keys;
  keys.num_rows = batch.num_rows;
  for (const int column : key) {
    keys.columns.push_back(batch.columns[static_cast<size_t>(column)]);
  }
  std::vector<ResultRow> texts;
  append_rows(keys, {}, texts);
  std::vector<int> out;
  for (const ResultRow& row : texts) {
    uint32_t hash = 0;
    for (const char c : row.cells) hash = hash * 31 + static_cast<uint8_t>(c);
    out.push_back(static_cast<int>(hash % static_cast<uint32_t>(num_splits)));
  }
  return out;
}

std::shared_ptr<const InputRows> read_rows(const TestTable& table, const TableContext& context, size_t num_segments,
                                           int num_splits) {
  auto out = std::make_shared<InputRows>();
  std::string text;
  size_t num_rows = 0;
  for (const auto& segment : table.segments) {
    for (const std::string& line : segment) text += line + "\n";
    num_rows += segment.size();
    out->segment_end.push_back(num_rows);
  }
  out->segment_end.resize(num_segments, num_rows);
  out->batch = rows(context.physical, text);
  out->num_splits = num_splits;
  out->split_of_row =
      deal_out(*out->batch, context.primary_key.empty() ? std::vector<int>{0} : context.primary_key, num_splits);
  return out;
}

class InputEnumerator final : public SplitEnumerator {
 public:
  InputEnumerator(SplitEnumeratorContext& context, int num_splits, bool assigned)
      : context_(context), num_splits_(num_splits), assigned_(assigned) {}
  void start() override {}
  void add_reader(int subtask) override {
    // Split i goes to reader i, the rest to the last.
    std::vector<SourceSplit> splits;
    for (int i = 0; i < num_splits_ && !assigned_; ++i) {
      if (std::min(i, context_.parallelism() - 1) == subtask) splits.push_back({split_id(i), std::string(1, '\0')});
    }
    if (!splits.empty()) context_.assign_splits(subtask, std::move(splits));
    context_.signal_no_more_splits(subtask);
  }
  void add_splits_back(std::vector<SourceSplit>, int) override {}
  std::string snapshot(int64_t) override { return "1"; }

 private:
  SplitEnumeratorContext& context_;
  const int num_splits_;
  const bool assigned_;
};

class InputReader final : public SourceReader {
 public:
  InputReader(std::shared_ptr<TestLeg> leg, std::shared_ptr<const InputRows> rows, std::vector<int> columns,
              SourceReaderContext context)
      : leg_(std::move(leg)), rows_(std::move(rows)), columns_(std::move(columns)), context_(std::move(context)) {}

  PollResult poll(SourceOutput& output) override {
    Selection selection;
    std::vector<int> splits;
    const size_t end = rows_->segment_end[leg_->last_segment()];
    for (size_t row = next_row(); row < end; ++row) {
      const int split = rows_->split_of_row[row];
      const auto position = positions_.find(split);
      if (position == positions_.end() || row < position->second) continue;
      if (static_cast<int64_t>(selection.size()) == context_.batch_records_max()) break;
      selection.push_back(static_cast<uint32_t>(row));
      splits.push_back(split);
      position->second = row + 1;
    }
    if (!selection.empty()) {
      emit(selection, splits, output);
      return PollResult::kMore;
    }
    for (auto& [split, position] : positions_) position = end;
    if (!leg_->ends() || !no_more_splits_) return PollResult::kNothing;
    for (const auto& [split, position] : positions_) output.finish_split(split_id(split));
    positions_.clear();
    return PollResult::kEnd;
  }
  void add_splits(std::vector<SourceSplit> splits) override {
    for (const SourceSplit& split : splits) {
      const int number = std::stoi(split.id.substr(5));
      positions_[number] = ByteReader(split.bytes).varint();
    }
  }
  void notify_no_more_splits() override { no_more_splits_ = true; }
  std::vector<SourceSplit> snapshot(int64_t checkpoint_id) override {
    std::vector<SourceSplit> out;
    for (const auto& [split, position] : positions_) {
      ByteWriter writer;
      writer.varint(position);
      out.push_back({split_id(split), writer.take()});
      const size_t end = rows_->segment_end[leg_->last_segment()];
      if (is_done(split, position, end)) leg_->stood_at(this, split_id(split), checkpoint_id);
    }
    return out;
  }
  void pause_or_resume_splits(std::span<const std::string>, std::span<const std::string>) override {}

 private:
  size_t next_row() const {
    size_t first = rows_->batch->num_rows;
    for (const auto& [split, position] : positions_) first = std::min<size_t>(first, position);
    return first;
  }
  bool is_done(int split, size_t position, size_t end) const {
    for (size_t row = position; row < end; ++row) {
      if (rows_->split_of_row[row] == split) return false;
    }
    return true;
  }
  void emit(const Selection& selection, const std::vector<int>& splits, SourceOutput& output) const {
    const std::shared_ptr<RowBatch> all = take(*rows_->batch, selection);
    auto batch = std::make_shared<RowBatch>();
    batch->num_rows = all->num_rows;
    batch->kinds = all->kinds;
    for (const int column : columns_) batch->columns.push_back(all->columns[static_cast<size_t>(column)]);
    std::vector<std::string> ids;
    for (const int split : splits) ids.push_back(split_id(split));
    std::vector<SourceRun> runs;
    for (uint32_t i = 0; i < ids.size(); ++i) {
      if (!runs.empty() && runs.back().split_id == ids[i]) {
        ++runs.back().num_rows;
      } else {
        runs.push_back({ids[i], i, 1});
      }
    }
    context_.metrics->records_in.add(static_cast<int64_t>(selection.size()));
    output.emit(std::move(batch), runs);
  }

  const std::shared_ptr<TestLeg> leg_;
  const std::shared_ptr<const InputRows> rows_;
  const std::vector<int> columns_;
  const SourceReaderContext context_;
  std::map<int, size_t> positions_;
  bool no_more_splits_ = false;
};

class InputSource final : public Source {
 public:
  InputSource(std::shared_ptr<TestLeg> leg, std::shared_ptr<const InputRows> rows, std::vector<int> columns)
      : leg_(std::move(leg)), rows_(std::move(rows)), columns_(std::move(columns)) {}
  bool bounded() const override { return true; }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override {
    return std::make_unique<InputEnumerator>(context, rows_->num_splits, restored.has_value());
  }
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override {
    return std::make_unique<InputReader>(leg_, rows_, columns_, std::move(context));
  }

 private:
  std::shared_ptr<TestLeg> leg_;
  std::shared_ptr<const InputRows> rows_;
  std::vector<int> columns_;
};

class InputTable final : public TableSource {
 public:
  InputTable(std::shared_ptr<TestLeg> leg, const TableContext& context) : leg_(std::move(leg)) {
    const TestTable& table = leg_->table(context.name);
    // Watermarks are taken per split; with one split the same rows are late at every parallelism.
    const int num_splits = table.columns.find("WATERMARK") == std::string::npos ? 2 : 1;
    rows_ = read_rows(table, context, leg_->num_segments(), num_splits);
    bool kinds[4] = {};
    for (const RowKind kind : rows_->batch->kinds) kinds[static_cast<int>(kind)] = true;
    const bool updates = kinds[static_cast<int>(RowKind::kUpdateAfter)];
    const bool before = kinds[static_cast<int>(RowKind::kUpdateBefore)];
    const bool deletes = kinds[static_cast<int>(RowKind::kDelete)];
    if (updates && !before) {
      mode_ = ChangelogMode::upsert();
    } else if (updates || before || deletes) {
      mode_ = ChangelogMode::all();
    }
  }
  ChangelogMode changelog_mode() const override { return mode_; }
  bool bounded() const override { return true; }
  std::shared_ptr<const Source> create_source(const ScanRequest& request) const override {
    leg_->expect_splits(rows_->num_splits);
    return std::make_shared<InputSource>(leg_, rows_, request.columns);
  }

 private:
  std::shared_ptr<TestLeg> leg_;
  std::shared_ptr<const InputRows> rows_;
  ChangelogMode mode_ = ChangelogMode::insert_only();
};

class InputFactory final : public TableFactory {
 public:
  explicit InputFactory(std::shared_ptr<TestLeg> leg) : leg_(std::move(leg)) {}
  std::string_view identifier() const override { return "test-input"; }
  std::unique_ptr<TableSource> create_table_source(const TableContext& context) const override {
    return std::make_unique<InputTable>(leg_, context);
  }
  std::unique_ptr<TableSink> create_table_sink(const TableContext&) const override { return nullptr; }

 private:
  std::shared_ptr<TestLeg> leg_;
};

class RowsWriter final : public SinkWriter {
 public:
  RowsWriter(std::shared_ptr<TestLeg> leg, const std::string& table, const std::vector<int>& key)
      : leg_(std::move(leg)), table_(table), key_(key) {}
  void write(const BatchPtr& batch) override { leg_->take_rows(table_, static_cast<const RowBatch&>(*batch), key_); }
  bool has_room() const override { return true; }
  void begin_prepare(int64_t, bool, Prepared done) override { done({}); }

 private:
  std::shared_ptr<TestLeg> leg_;
  std::string table_;
  std::vector<int> key_;
};

class RowsSink final : public Sink {
 public:
  RowsSink(std::shared_ptr<TestLeg> leg, std::string table, std::vector<int> key)
      : leg_(std::move(leg)), table_(std::move(table)), key_(std::move(key)) {}
  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext) const override {
    return std::make_unique<RowsWriter>(leg_, table_, key_);
  }

 private:
  std::shared_ptr<TestLeg> leg_;
  std::string table_;
  std::vector<int> key_;
};

class SinkTable final : public TableSink {
 public:
  SinkTable(std::shared_ptr<TestLeg> leg, const TableContext& context)
      : leg_(std::move(leg)),
        name_(context.name),
        key_(context.primary_key),
        insert_only_(leg_->table(context.name).insert_only) {}
  ChangelogMode accepted_mode(ChangelogMode query) const override {
    if (insert_only_) return ChangelogMode::insert_only();
    return key_.empty() ? query : query.without(RowKind::kUpdateBefore);
  }
  std::shared_ptr<const Sink> create_sink(const std::vector<std::string>&) const override {
    return std::make_shared<RowsSink>(leg_, name_, key_);
  }

 private:
  std::shared_ptr<TestLeg> leg_;
  std::string name_;
  std::vector<int> key_;
  bool insert_only_;
};

class SinkFactory final : public TableFactory {
 public:
  explicit SinkFactory(std::shared_ptr<TestLeg> leg) : leg_(std::move(leg)) {}
  std::string_view identifier() const override { return "test-sink"; }
  std::unique_ptr<TableSource> create_table_source(const TableContext&) const override { return nullptr; }
  std::unique_ptr<TableSink> create_table_sink(const TableContext& context) const override {
    return std::make_unique<SinkTable>(leg_, context);
  }

 private:
  std::shared_ptr<TestLeg> leg_;
};

}  // namespace

void append_rows(const RowBatch& batch, const std::vector<int>& key, std::vector<ResultRow>& out) {
  const std::vector<std::string> lines = row_lines(batch);
  std::vector<std::string> keys;
  if (!key.empty()) {
    RowBatch projected;
    projected.num_rows = batch.num_rows;
    for (const int column : key) projected.columns.push_back(batch.columns[static_cast<size_t>(column)]);
    keys = row_lines(projected);
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    out.push_back({batch.kind(i), lines[i].size() > 3 ? lines[i].substr(3) : "", key.empty() ? "" : keys[i]});
  }
}

const TestTable& TestLeg::table(const std::string& name) const {
  for (const TestTable& table : file_.tables) {
    if (table.name == name) return table;
  }
  throw user_error(9100, "the test file has no table '{}'", name);
}

void TestLeg::expect_splits(int num_splits) {
  const std::scoped_lock lock(mutex_);
  num_splits_ += num_splits;
}

void TestLeg::stood_at(const void* reader, const std::string& split, int64_t checkpoint_id) {
  const std::scoped_lock lock(mutex_);
  standing_.emplace(std::pair(reader, split), checkpoint_id);
}

std::optional<int64_t> TestLeg::first_checkpoint_at_end() const {
  const std::scoped_lock lock(mutex_);
  if (static_cast<int>(standing_.size()) < num_splits_) return std::nullopt;
  int64_t last = 0;
  for (const auto& [split, id] : standing_) last = std::max(last, id);
  return last;
}

bool TestLeg::has_sources() const {
  const std::scoped_lock lock(mutex_);
  return num_splits_ > 0;
}

void TestLeg::take_rows(const std::string& sink, const RowBatch& batch, const std::vector<int>& key) {
  const std::scoped_lock lock(mutex_);
  append_rows(batch, key, sink_rows_[sink]);
}

std::map<std::string, std::vector<ResultRow>> TestLeg::sink_rows() const {
  const std::scoped_lock lock(mutex_);
  return sink_rows_;
}

std::unique_ptr<TableFactory> make_test_input(std::shared_ptr<TestLeg> leg) {
  return std::make_unique<InputFactory>(std::move(leg));
}

std::unique_ptr<TableFactory> make_test_sink(std::shared_ptr<TestLeg> leg) {
  return std::make_unique<SinkFactory>(std::move(leg));
}

}  // namespace yeoul
