#include "yeoul/datastream/datastream.h"
#include "yeoul/table/stream_table_environment.h"

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  auto tables = yeoul::StreamTableEnvironment::create(env);
  const auto rows = tables.to_data_stream(tables.sql_query("SELECT 1"));
  const auto keyed = rows.key_by([](const yeoul::RowView& row) { return row.get<int32_t>(0); });
  keyed.reduce([](const yeoul::RowView& a, const yeoul::RowView&) { return a; });
}
// expected: Yeoul: this needs a stream of records; map() the rows to some first
