#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "yeoul/datastream/record_fields.h"
#include "yeoul/types/row_kind.h"

namespace yeoul {

/// A change of a table as a record: what it does, and the row. Flink keeps the kind inside its Row; here T stays a
/// plain struct.
template <class T>
struct ChangelogRecord {
  RowKind kind = RowKind::kInsert;
  T value{};

  bool operator==(const ChangelogRecord&) const = default;
  static constexpr auto fields() {
    return describe("ChangelogRecord", 1, field("kind", &ChangelogRecord::kind),
                    field("value", &ChangelogRecord::value));
  }
  /// "+I Click{user=ana, at=1}".
  friend std::string to_string(const ChangelogRecord& record) {
    std::string text(short_name(record.kind));
    text += ' ';
    append_text(text, record.value);
    return text;
  }
};

/// What a stream's record tells a table: the fields of a row, and its kind where it has one.
template <class Record>
struct TableRecord {
  using Value = Record;
  static constexpr bool kHasKind = false;
  template <class R>
  static auto& value(R& record) {
    return record;
  }
};
template <class T>
struct TableRecord<ChangelogRecord<T>> {
  using Value = T;
  static constexpr bool kHasKind = true;
  template <class R>
  static auto& value(R& record) {
    return record.value;
  }
};

}  // namespace yeoul
