#include "yeoul/sql/binder/binder.h"
#include "yeoul/sql/binder/literal.h"

namespace yeoul {
namespace {

using ast::TypeSyntaxKind;

int in_range(const ast::DataTypeSyntax& syntax, std::optional<int> value, int fallback, int min, int max,
             std::string_view what) {
  const int result = value.value_or(fallback);
  if (result < min || result > max) {
    throw bind_error(1120, syntax.position, "{} of {} must be between {} and {}, not {}", what, ast::to_sql(syntax),
                     min, max, result);
  }
  return result;
}

LogicalType bind_row(const ast::DataTypeSyntax& syntax) {
  std::vector<RowField> fields;
  for (const ast::RowFieldSyntax& field : syntax.fields) {
    fields.push_back({field.name.name, bind_data_type(field.type), field.comment.value_or("")});
  }
  return LogicalType::row(std::move(fields));
}

LogicalType bind_decimal_type(const ast::DataTypeSyntax& syntax) {
  const int precision = in_range(syntax, syntax.precision, 10, 1, 38, "the precision");
  return LogicalType::decimal(precision, in_range(syntax, syntax.scale, 0, 0, precision, "the scale"));
}

LogicalType bind_nullable_type(const ast::DataTypeSyntax& syntax) {
  constexpr int kMax = LogicalType::kMaxLength;
  switch (syntax.kind) {
    case TypeSyntaxKind::kBoolean:
      return LogicalType::boolean();
    case TypeSyntaxKind::kTinyInt:
      return LogicalType::tinyint();
    case TypeSyntaxKind::kSmallInt:
      return LogicalType::smallint();
    case TypeSyntaxKind::kInt:
      return LogicalType::integer();
    case TypeSyntaxKind::kBigInt:
      return LogicalType::bigint();
    case TypeSyntaxKind::kFloat:
      return LogicalType::real();
    case TypeSyntaxKind::kDouble:
      return LogicalType::double_();
    case TypeSyntaxKind::kDecimal:
      return bind_decimal_type(syntax);
    case TypeSyntaxKind::kChar:
      return LogicalType::char_(in_range(syntax, syntax.precision, 1, 1, kMax, "the length"));
    case TypeSyntaxKind::kVarchar:
      return LogicalType::varchar(in_range(syntax, syntax.precision, 1, 1, kMax, "the length"));
    case TypeSyntaxKind::kString:
      return LogicalType::string();
    case TypeSyntaxKind::kBinary:
      return LogicalType::binary(in_range(syntax, syntax.precision, 1, 1, kMax, "the length"));
    case TypeSyntaxKind::kVarbinary:
      return LogicalType::varbinary(in_range(syntax, syntax.precision, 1, 1, kMax, "the length"));
    case TypeSyntaxKind::kBytes:
      return LogicalType::bytes();
    case TypeSyntaxKind::kDate:
      return LogicalType::date();
    case TypeSyntaxKind::kTime:
      return LogicalType::time(in_range(syntax, syntax.precision, 0, 0, 9, "the precision"));
    case TypeSyntaxKind::kTimestamp:
      return LogicalType::timestamp(in_range(syntax, syntax.precision, 6, 0, 9, "the precision"));
    case TypeSyntaxKind::kTimestampLtz:
      return LogicalType::timestamp_ltz(in_range(syntax, syntax.precision, 6, 0, 9, "the precision"));
    case TypeSyntaxKind::kInterval:
      return interval_type(syntax.interval);
    case TypeSyntaxKind::kArray:
      return LogicalType::array(bind_data_type(syntax.arguments[0]));
    case TypeSyntaxKind::kMultiset:
      return LogicalType::multiset(bind_data_type(syntax.arguments[0]));
    case TypeSyntaxKind::kMap:
      return LogicalType::map(bind_data_type(syntax.arguments[0]), bind_data_type(syntax.arguments[1]));
    case TypeSyntaxKind::kRow:
      return bind_row(syntax);
    case TypeSyntaxKind::kNull:
      return LogicalType::null();
    case TypeSyntaxKind::kTimestampTz:
    case TypeSyntaxKind::kRaw:
    case TypeSyntaxKind::kVariant:
    case TypeSyntaxKind::kBitmap:
    case TypeSyntaxKind::kUserDefined:
      break;
  }
  throw bind_error(1120, syntax.position, "type {} is not supported", ast::to_sql(syntax));
}

}  // namespace

LogicalType bind_data_type(const ast::DataTypeSyntax& syntax) {
  return bind_nullable_type(syntax).as_nullable(syntax.nullable.value_or(true));
}

}  // namespace yeoul
