#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "test_file.h"
#include "yeoul/connectors/api/table_factory.h"
#include "yeoul/types/row_kind.h"

namespace yeoul {

/// A row that a job gave: its kind, its cells as row_literal.h writes them, and the cells of its key.
struct ResultRow {
  RowKind kind = RowKind::kInsert;
  std::string cells;
  std::string key;  ///< upsert sinks only
};
/// Appends the rows of a compacted batch.
void append_rows(const RowBatch& batch, const std::vector<int>& key, std::vector<ResultRow>& out);

/// One run of a job over a test file's tables: how far its sources go, and what its sinks took.
/// Threads: any.
class TestLeg {
 public:
  /// @param last  the last segment that is read
  TestLeg(const TestFile& file, size_t last) : file_(file), last_(last) {}

  const TestTable& table(const std::string& name) const;
  size_t last_segment() const { return last_; }
  /// True when the sources end behind the last segment; false when they stand there.
  bool ends() const { return last_ + 1 >= file_.num_segments(); }
  size_t num_segments() const { return file_.num_segments(); }

  /// A source of so many splits is part of the job.
  void expect_splits(int num_splits);
  /// A split's position was stored while nothing was left of it.
  void stood_at(const void* reader, const std::string& split, int64_t checkpoint_id);
  /// The first checkpoint that holds every split at its end; nothing while there is none.
  std::optional<int64_t> first_checkpoint_at_end() const;
  bool has_sources() const;

  void take_rows(const std::string& sink, const RowBatch& batch, const std::vector<int>& key);
  std::map<std::string, std::vector<ResultRow>> sink_rows() const;

 private:
  const TestFile& file_;
  const size_t last_;
  mutable std::mutex mutex_;
  int num_splits_ = 0;
  std::map<std::pair<const void*, std::string>, int64_t> standing_;
  std::map<std::string, std::vector<ResultRow>> sink_rows_;
};

/// Connectors 'test-input' and 'test-sink' over one leg.
std::unique_ptr<TableFactory> make_test_input(std::shared_ptr<TestLeg> leg);
std::unique_ptr<TableFactory> make_test_sink(std::shared_ptr<TestLeg> leg);

}  // namespace yeoul
