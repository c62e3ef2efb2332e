#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/connectors/api/table_factory.h"
#include "yeoul/datastream/environment_state.h"
#include "yeoul/table/record_conversion.h"

namespace yeoul {

/// A field of a stream's records, as a table sees it.
struct StreamField {
  std::string name;
  std::string cpp_name;
  LogicalType type;  ///< the column it becomes by itself
  bool (*holds)(const LogicalType&) = nullptr;
};

/// A stream that is a table: what the connector 'data-stream' knows of it.
struct StreamTable {
  std::shared_ptr<EnvironmentState> state;
  std::vector<StreamInput> inputs;
  std::string record_type;          ///< for messages
  std::vector<StreamField> fields;  ///< empty: rows, whose columns are known when they come
  bool by_name = false;             ///< columns are found by the fields' names, not by place
  ChangelogMode mode = ChangelogMode::insert_only();
  std::shared_ptr<const OperatorFactory> (*make_to_rows)(ToRowsSpec) = nullptr;
};

/// A record that is made of a table's row.
struct RecordField {
  std::string name;
  std::string cpp_name;
  std::optional<LogicalType> (*target)(const LogicalType&) = nullptr;  ///< ColumnValues::target
};
struct RecordShape {
  std::string type;                 ///< for messages
  std::vector<RecordField> fields;  ///< none: rows, which take every column
  bool by_name = false;
};

/// The stream tables of a program. Threads: one.
class StreamTables {
 public:
  static constexpr std::string_view kConnector = "data-stream";

  /// Returns the value of the option 'stream' of its table.
  std::string add(StreamTable table);
  /// @throws user error 2012 for another number
  std::shared_ptr<const StreamTable> find(const std::string& number, const std::string& table_name) const;

 private:
  std::vector<std::shared_ptr<const StreamTable>> tables_;
};

/// Reads the tables that StreamTableEnvironment makes of streams.
std::unique_ptr<TableFactory> make_stream_table_factory(std::shared_ptr<const StreamTables> tables);

template <class T>
RecordShape record_shape() {
  RecordShape shape{.type = "Row"};
  if constexpr (!std::is_same_v<T, Row>) {
    static_assert(std::is_default_constructible_v<T>,
                  "Yeoul: a record that is made of a table's row needs a constructor without arguments");
    using Fields = RecordFields<T>;
    shape.type = Fields::type_name();
    shape.by_name = Fields::kNamed;
    Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I>) {
      using Values = ColumnValues<typename Fields::template Field<I>>;
      shape.fields.push_back({Fields::name(I), Values::name(), &Values::target});
    });
  }
  return shape;
}

/// A stream's fields as columns.
template <class Record>
StreamTable describe_stream(std::shared_ptr<EnvironmentState> state, std::vector<StreamInput> inputs) {
  StreamTable table{.state = std::move(state), .inputs = std::move(inputs), .make_to_rows = &make_to_rows<Record>};
  if constexpr (std::is_same_v<Record, Row>) {
    table.record_type = "Row";
  } else {
    using Value = typename TableRecord<Record>::Value;
    using Fields = RecordFields<Value>;
    table.record_type = Fields::type_name();
    table.by_name = Fields::kNamed;
    Fields::for_each([&]<size_t I>(std::integral_constant<size_t, I>) {
      using Values = ColumnValues<typename Fields::template Field<I>>;
      table.fields.push_back({Fields::name(I), Values::name(), Values::type(), &Values::holds});
    });
  }
  return table;
}

}  // namespace yeoul
