#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "yeoul/common/error.h"
#include "yeoul/sql/parser/parser.h"

using yeoul::Error;

// Any bytes parse or are refused with an Error; what parses is printed as SQL that parses to the same tree.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view script(reinterpret_cast<const char*>(data), size);
  std::string printed;
  try {
    for (const yeoul::ast::StatementText& text : yeoul::ast::split_statements(script)) {
      printed.clear();
      yeoul::ast::Statement statement = yeoul::ast::parse_statement(text.text, text.position);
      if (std::holds_alternative<yeoul::ast::UnsupportedStatement>(statement.node)) continue;
      printed = to_sql(statement);
      break;
    }
  } catch (const Error&) {
    return 0;
  }
  if (printed.empty()) return 0;
  std::string again = to_sql(yeoul::ast::parse_statement(printed));
  if (again != printed) __builtin_trap();
  return 0;
}
