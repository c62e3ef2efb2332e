#include <cstdio>

#include "yeoul/connectors/kafka/kafka_sink.h"
#include "yeoul/connectors/kafka/kafka_source.h"
#include "yeoul/datastream/datastream.h"
#include "yeoul/table/stream_table_environment.h"

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  auto tables = yeoul::StreamTableEnvironment::create(env);
  tables.create_temporary_view("squares", env.from_sequence(1, 10).map([](int64_t n) { return n * n; }));
  const yeoul::Table even = tables.sql_query("SELECT f0 FROM squares WHERE MOD(f0, 2) = 0");
  int64_t sum = 0;
  for (const int64_t n : tables.to_data_stream<int64_t>(even).execute_and_collect()) sum += n;
  bool refused = false;
  try {
    yeoul::KafkaSource<std::string>::builder().build();
  } catch (const yeoul::Error&) {
    refused = true;
  }
  std::printf("%lld %s\n", static_cast<long long>(sum), refused ? "refused" : "built");
}
