#pragma once

#include <string_view>

namespace yeoul::ast {

/// Whether the word, in capitals, is no name unless it stands in back-ticks.
bool is_reserved_word(std::string_view word);
/// Whether the reserved word may still be called as a function: COUNT(…), LEFT(…).
bool is_callable_reserved_word(std::string_view word);
/// Whether the word alone is a function call: CURRENT_DATE.
bool is_niladic_function(std::string_view word);

}  // namespace yeoul::ast
