#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yeoul {

/// A record for tests to write or as read back.
struct TestRecord {
  int32_t partition = 0;
  std::optional<std::string> key;
  std::optional<std::string> value;
  int64_t timestamp_ms = -1;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// The broker that YEOUL_TEST_BOOTSTRAP names, for tests: topics, records, transactions.
class TestBroker {
 public:
  TestBroker();
  ~TestBroker();

  /// False: the variable is not set, and tests are to be skipped.
  static bool is_available();
  static std::string bootstrap();

  /// A new topic with a name no other test has.
  std::string create_topic(int partitions, std::vector<std::pair<std::string, std::string>> configuration = {});
  void add_partitions(const std::string& topic, int partitions);
  void delete_records_before(const std::string& topic, int32_t partition, int64_t offset);
  void produce(const std::string& topic, const std::vector<TestRecord>& records);
  /// One transaction with the records, committed or aborted; its marker takes an offset of its own.
  void produce_transaction(const std::string& topic, const std::vector<TestRecord>& records, bool commit);
  void commit_offsets(const std::string& group, const std::string& topic, std::vector<int64_t> offsets);
  /// -1 where the group has none.
  std::vector<int64_t> committed_offsets(const std::string& group, const std::string& topic, int partitions);
  /// All records of all partitions, partition by partition.
  std::vector<TestRecord> read(const std::string& topic, int partitions);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace yeoul
