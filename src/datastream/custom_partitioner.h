#pragma once

#include <utility>
#include <vector>

#include "yeoul/datastream/row_view.h"
#include "yeoul/runtime/stream_graph.h"

namespace yeoul {

/// True for `int(const K& key, int num_partitions)` and objects with partition() of that form.
template <class P, class K>
concept PartitionerFor = std::is_invocable_r_v<int, const P&, const K&, int> || requires(const P& p, const K& key) {
  { p.partition(key, int{}) } -> std::convertible_to<int>;
};

/// @throws user error 7119: there is no such partition
[[noreturn]] void throw_no_such_partition(int partition, int num_partitions);

/// Deals records out as a function of the user's says, by a key. Const, shared by tasks.
template <class T, class P, class F>
class CustomPartitioner final : public RecordPartitioner {
 public:
  CustomPartitioner(P partitioner, F key) : partitioner_(std::move(partitioner)), key_(std::move(key)) {}

  void partitions(const BatchBase& batch, int num_partitions, std::vector<uint32_t>& out) const override {
    const auto& from = batch_cast<T>(batch);
    const size_t count = from.num_records();
    out.clear();
    for (size_t i = 0; i < count; ++i) {
      const int partition = call(key_(record_at(from, i)), num_partitions);
      if (partition < 0 || partition >= num_partitions) throw_no_such_partition(partition, num_partitions);
      out.push_back(static_cast<uint32_t>(partition));
    }
  }

 private:
  template <class K>
  int call(const K& key, int num_partitions) const {
    if constexpr (std::is_invocable_r_v<int, const P&, const K&, int>) {
      return partitioner_(key, num_partitions);
    } else {
      return partitioner_.partition(key, num_partitions);
    }
  }

  P partitioner_;
  F key_;
};

}  // namespace yeoul
