#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/sql/functions/expression.h"

namespace yeoul {

struct Function;
using Arguments = std::vector<ExpressionPtr>;
using Resolver = ExpressionPtr (*)(const Function& function, Arguments arguments);
using ResultType = LogicalType (*)(std::span<const ExpressionPtr> arguments);

enum class NullRule : uint8_t {
  kAnyArgument,  ///< the result is nullable where an argument is
  kNullable,
  kNotNull,
};

/// A row of a group's table. `signature` has one letter an argument: s STRING (CHAR, VARCHAR), y BYTES, i INT, l BIGINT
/// (any integer, cast), x any exact numeric (kept), n any numeric (kept), d DOUBLE (any numeric, cast), b BOOLEAN, D
/// DATE, T TIMESTAMP or TIMESTAMP_LTZ, A ARRAY, M MAP, a anything; `?` in front of a letter: it and those after it may
/// be left out; `*` behind the last: it repeats. Several signatures are separated by `|`. Rows with a `resolver` decide
/// for themselves.
struct Function {
  std::string_view name;
  std::string_view signature = {};
  ResultType result = nullptr;
  Kernel kernel = nullptr;
  NullRule nulls = NullRule::kAnyArgument;
  bool can_fail = false;
  bool deterministic = true;
  Resolver resolver = nullptr;
};

// The groups, one table a file.
std::span<const Function> arithmetic_functions();
std::span<const Function> comparison_functions();
std::span<const Function> logic_functions();
std::span<const Function> conditional_functions();
std::span<const Function> like_functions();
std::span<const Function> string_functions();
std::span<const Function> string_position_functions();
std::span<const Function> string_encoding_functions();
std::span<const Function> string_format_functions();
std::span<const Function> regexp_functions();
std::span<const Function> random_functions();
std::span<const Function> datetime_arithmetic_functions();
std::span<const Function> datetime_functions();
std::span<const Function> datetime_format_functions();
std::span<const Function> datetime_part_functions();
std::span<const Function> math_functions();
std::span<const Function> rounding_functions();
std::span<const Function> json_query_functions();
std::span<const Function> json_construct_functions();
std::span<const Function> collection_functions();
std::span<const Function> collection_set_functions();

/// TO_TIMESTAMP_LTZ of a number.
ExpressionPtr resolve_instant_from_number(const Function& function, Arguments arguments);

/// The function of that name, in upper case; null when there is none.
const Function* find_function(std::string_view name);

/// A call node with its result type and kernel.
ExpressionPtr make_kernel_call(std::string_view name, LogicalType type, Kernel kernel, Arguments arguments,
                               bool can_fail = false, bool deterministic = true);
/// A node of another kind over arguments.
ExpressionPtr make_node(Expression::Kind kind, std::string_view name, LogicalType type, Arguments arguments);

/// "Cannot apply 'UPPER' to arguments of type 'UPPER(<INTEGER>)'", as Flink says it; user error 1103.
[[noreturn]] void fail_arguments(std::string_view name, std::span<const ExpressionPtr> arguments,
                                 std::string_view supported = {});
/// "Illegal use of 'NULL'" for an untyped NULL among the arguments; user error 1103.
void refuse_null_literals(std::string_view name, std::span<const ExpressionPtr> arguments);
/// The type as Calcite writes it in messages: INTEGER, VARCHAR(2147483647).
std::string calcite_type_name(const LogicalType& type);

bool any_nullable(std::span<const ExpressionPtr> arguments);
/// Whether it is a number without fraction that is known now; a typed NULL is none.
bool is_integer_literal(const Expression& expression);
/// The text of a STRING literal such as EXTRACT's unit, in upper case; empty when it is none.
std::string literal_keyword(const Expression& expression);
/// A type with room for both, or nothing.
bool find_common_type(const LogicalType& a, const LogicalType& b, LogicalType& common);
/// The decimal that holds every value of an exact numeric type: INT is DECIMAL(10, 0).
LogicalType decimal_of(const LogicalType& type);

}  // namespace yeoul
