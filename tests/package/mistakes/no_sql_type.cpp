// A field that no column can be made of.
#include "yeoul/datastream/datastream.h"
#include "yeoul/table/stream_table_environment.h"

struct Size {
  uint64_t bytes = 0;
  static constexpr auto fields() { return yeoul::describe("Size", 1, yeoul::field("bytes", &Size::bytes)); }
};

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  auto tables = yeoul::StreamTableEnvironment::create(env);
  tables.create_temporary_view("sizes", env.from_collection<Size>({{1}}));
}
// expected: Yeoul: SQL has no unsigned integers: use int8_t, int16_t, int32_t or int64_t
