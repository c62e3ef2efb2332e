#pragma once

#include "yeoul/sql/functions/expression.h"
#include "yeoul/sql/parser/ast_expression.h"

namespace yeoul {

/// A literal with Flink's type: 1 is INT, 1.50 is DECIMAL(3, 2), 1e0 DOUBLE, 'abc' CHAR(3), TIMESTAMP '…' has the
/// digits written. `negative`: a unary minus stands in front. @throws user error 1121 for a literal out of range or not
/// a valid date, time or interval.
ExpressionPtr bind_literal(const ast::Literal& literal, const ast::SourcePosition& position, bool negative = false);

/// True for units of INTERVAL YEAR TO MONTH.
bool is_year_month_unit(ast::TimeUnit unit);
/// Months (year-month units) or milliseconds of one unit.
int64_t interval_unit_size(ast::TimeUnit unit);
/// The type of an interval with these units.
LogicalType interval_type(const ast::IntervalQualifier& qualifier);

}  // namespace yeoul
