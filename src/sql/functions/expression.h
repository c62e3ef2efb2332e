#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/types/logical_type.h"
#include "yeoul/types/value.h"

namespace yeoul {

struct Expression;
/// Bound expressions are immutable and shared: a plan is plain data.
using ExpressionPtr = std::shared_ptr<const Expression>;

class KernelContext;
struct Argument;
class Column;
/// Computes a whole column: one call a batch. Arguments have the types the resolver asked for; `num_rows` cells are
/// wanted, all of them live (docs/architecture.md, D4). Row errors go to the context, the cell is then NULL.
using Kernel = std::shared_ptr<const Column> (*)(KernelContext& context, const Expression& call,
                                                 std::span<const Argument> arguments, size_t num_rows);

/// A bound, typed expression over the columns of one input row.
struct Expression {
  enum class Kind : uint8_t {
    kInputRef,  ///< column `index` of the input
    kLiteral,   ///< `value`
    kCall,      ///< `kernel` over `arguments`; `name` is the function, as printed
    kCast,      ///< kCall of a cast: one argument, target `type`
    kTryCast,   ///< as kCast, NULL where the cast fails
    kCase,      ///< arguments: when, then, when, then, …, else; branches see only the rows that need them
    kCoalesce,  ///< the first argument that is not NULL; later ones see only the rows that need them
    kAnd,       ///< three-valued; the right side sees only the rows the left leaves open
    kOr,
  };

  Kind kind = Kind::kLiteral;
  LogicalType type;
  int index = -1;
  Value value;
  std::string name;
  Kernel kernel = nullptr;
  std::vector<ExpressionPtr> arguments;
  /// Some cell may raise a row error, so it must not be computed for rows that are not live.
  bool can_fail = false;
  /// RAND, UUID, CURRENT_TIMESTAMP …: not to be folded or computed twice.
  bool deterministic = true;

  /// SQL-like text with columns as $0 or by the given names: for EXPLAIN and for uids.
  std::string to_string(std::span<const std::string> column_names = {}) const;
};

/// Builders that the binder and planner use. All throw user errors 11xx in Flink's words where types do not fit.
ExpressionPtr make_input_ref(int index, const LogicalType& type);
ExpressionPtr make_literal(const LogicalType& type, Value value);
/// A call of a scalar function or operator by its SQL name ("+", "=", "LIKE", "UPPER", "IS NULL", "NOT", "CASE",
/// "COALESCE", "AND", "BETWEEN", "IN", "[]" for element access, "EXTRACT" with its unit as a STRING literal first …),
/// with implicit casts put in. User error 1103 for argument types that do not fit, 1104 for a function that does not
/// exist (naming the nearest).
ExpressionPtr make_call(std::string_view name, std::vector<ExpressionPtr> arguments);
/// CAST or TRY_CAST; the same expression where the type is already right. User error 1105 for a pair that has no cast.
ExpressionPtr make_cast(ExpressionPtr argument, const LogicalType& type, bool try_cast = false);
/// The cast an assignment makes (INSERT into a column): also narrows CHAR/VARCHAR and precision as Flink's sink does.
/// User error 1106 where the types are not assignable.
ExpressionPtr make_assignment_cast(ExpressionPtr argument, const LogicalType& type);
/// Field `index` of a ROW.
ExpressionPtr make_field_access(ExpressionPtr row, int index);

/// The least restrictive common type, as CASE, UNION, VALUES and IN find it; nothing common: user error 1107.
LogicalType common_type(std::span<const LogicalType> types);

/// True for a name that make_call knows.
bool is_scalar_function(std::string_view name);
/// Names of all scalar and aggregate functions, sorted; SHOW FUNCTIONS and error messages.
std::vector<std::string> function_names();

/// Input columns that the expression reads, ascending, no repeats.
std::vector<int> input_columns(std::span<const ExpressionPtr> expressions);
/// The expression with every input ref i replaced by `replacements[i]`.
ExpressionPtr substitute(const ExpressionPtr& expression, std::span<const ExpressionPtr> replacements);

}  // namespace yeoul
