#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "yeoul/datastream/datastream.h"
#include "yeoul/table/stream_table_environment.h"

namespace yeoul {

/// A record of the tests.
struct PageView {
  std::string user;
  std::string region;
  int64_t at = 0;
  bool operator==(const PageView&) const = default;
  static constexpr auto fields() {
    return describe("PageView", 1, field("user", &PageView::user), field("region", &PageView::region),
                    field("at", &PageView::at));
  }
};

/// What a query gives per region.
struct RegionCount {
  std::string region;
  int64_t pv = 0;
  int64_t uv = 0;
  bool operator==(const RegionCount&) const = default;
  static constexpr auto fields() {
    return describe("RegionCount", 1, field("region", &RegionCount::region), field("pv", &RegionCount::pv),
                    field("uv", &RegionCount::uv));
  }
};

using Texts = std::vector<std::string>;

/// Records as print() shows them.
template <class T>
Texts texts_of(const std::vector<T>& records) {
  Texts texts;
  for (const T& record : records) append_text(texts.emplace_back(), record);
  return texts;
}
template <class T>
Texts collect_texts(const DataStream<T>& stream) {
  return texts_of(stream.execute_and_collect().to_vector());
}

inline Texts sorted_texts(Texts texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

/// Code and text of the error that a call throws; empty without.
std::string error_of(const std::function<void()>& call);

/// `count` views of a few users in a few regions, one each 10 ms.
std::vector<PageView> page_views(int64_t count);
/// Watermarks directly behind each record.
DataStream<PageView> with_event_time(const DataStream<PageView>& views);

/// A program at a parallelism, with its tables.
struct Program {
  explicit Program(int parallelism = 1);

  StreamExecutionEnvironment env;
  StreamTableEnvironment tables;
};

}  // namespace yeoul
