#pragma once

#include "yeoul/sql/parser/ast_expression.h"

namespace yeoul::ast {

/// How tightly operators bind, in Calcite's numbers; higher binds tighter.
inline constexpr int kOrPrecedence = 22;
inline constexpr int kAndPrecedence = 24;
inline constexpr int kNotPrecedence = 26;
inline constexpr int kIsPrecedence = 28;
inline constexpr int kComparisonPrecedence = 30;
inline constexpr int kInPrecedence = 32;  ///< IN, BETWEEN, LIKE, SIMILAR TO
inline constexpr int kSignPrecedence = 80;
inline constexpr int kPrimaryPrecedence = 100;

/// The precedence of a binary operator; all of them associate to the left.
int precedence_of(BinaryOperator op);
/// The precedence of the outermost operator of an expression; kPrimaryPrecedence if there is none.
int precedence_of(const Expression& expression);

}  // namespace yeoul::ast
