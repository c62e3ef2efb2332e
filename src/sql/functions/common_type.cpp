#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/sql/functions/registry.h"

namespace yeoul {

namespace {

/// Rank of integer widths.
LogicalType wider_integer(const LogicalType& a, const LogicalType& b) {
  return a.root() >= b.root() ? a : b;
}

bool common_numeric(const LogicalType& a, const LogicalType& b, LogicalType& common) {
  if (a.is_integer() && b.is_integer()) {
    common = wider_integer(a, b);
  } else if (a.is_approximate() && b.is_approximate()) {
    common = a.is(TypeRoot::kDouble) ? a : b;
  } else if (a.is_approximate() || b.is_approximate()) {
    const LogicalType& approximate = a.is_approximate() ? a : b;
    const LogicalType& exact = a.is_approximate() ? b : a;
    common = exact.is(TypeRoot::kDecimal) ? LogicalType::double_() : approximate;
  } else {
    const LogicalType x = decimal_of(a);
    const LogicalType y = decimal_of(b);
    const int digits = std::min(38, std::max(x.precision() - x.scale(), y.precision() - y.scale()));
    const int scale = std::min(38 - digits, std::max(x.scale(), y.scale()));
    common = LogicalType::decimal(digits + scale, scale);
  }
  return true;
}

bool common_row(const LogicalType& a, const LogicalType& b, LogicalType& common) {
  if (a.fields().size() != b.fields().size()) return false;
  std::vector<RowField> fields;
  for (size_t i = 0; i < a.fields().size(); ++i) {
    LogicalType type;
    if (!find_common_type(a.child(i), b.child(i), type)) return false;
    fields.push_back({a.fields()[i].name, type});
  }
  common = LogicalType::row(std::move(fields));
  return true;
}

bool common_not_null(const LogicalType& a, const LogicalType& b, LogicalType& common) {
  if (a.is_numeric() && b.is_numeric()) return common_numeric(a, b, common);
  if (a.is_string() && b.is_string()) {
    const int length = std::max(a.length(), b.length());
    const bool fixed = a.is(TypeRoot::kChar) && b.is(TypeRoot::kChar) && a.length() == b.length();
    common = fixed ? LogicalType::char_(length) : LogicalType::varchar(length);
    return true;
  }
  if (a.is_binary() && b.is_binary()) {
    const int length = std::max(a.length(), b.length());
    const bool fixed = a.is(TypeRoot::kBinary) && b.is(TypeRoot::kBinary) && a.length() == b.length();
    common = fixed ? LogicalType::binary(length) : LogicalType::varbinary(length);
    return true;
  }
  if (a.is_timestamp() && b.is_timestamp()) {
    const int precision = std::max(a.precision(), b.precision());
    const bool local = a.is(TypeRoot::kTimestampLtz) || b.is(TypeRoot::kTimestampLtz);
    common = local ? LogicalType::timestamp_ltz(precision) : LogicalType::timestamp(precision);
    return true;
  }
  if (a.root() != b.root()) return false;
  LogicalType first;
  LogicalType second;
  switch (a.root()) {
    case TypeRoot::kTime:
      common = LogicalType::time(std::max(a.precision(), b.precision()));
      return true;
    case TypeRoot::kArray:
      if (!find_common_type(a.child(0), b.child(0), first)) return false;
      common = LogicalType::array(first);
      return true;
    case TypeRoot::kMultiset:
      if (!find_common_type(a.child(0), b.child(0), first)) return false;
      common = LogicalType::multiset(first);
      return true;
    case TypeRoot::kMap:
      if (!find_common_type(a.child(0), b.child(0), first) || !find_common_type(a.child(1), b.child(1), second)) {
        return false;
      }
      common = LogicalType::map(first, second);
      return true;
    case TypeRoot::kRow:
      return common_row(a, b, common);
    default:
      common = a;
      return true;
  }
}

}  // namespace

LogicalType decimal_of(const LogicalType& type) {
  switch (type.root()) {
    case TypeRoot::kTinyint:
      return LogicalType::decimal(3, 0);
    case TypeRoot::kSmallint:
      return LogicalType::decimal(5, 0);
    case TypeRoot::kInteger:
      return LogicalType::decimal(10, 0);
    case TypeRoot::kBigint:
      return LogicalType::decimal(19, 0);
    default:
      return type;
  }
}

bool find_common_type(const LogicalType& a, const LogicalType& b, LogicalType& common) {
  const bool nullable = a.nullable() || b.nullable();
  if (a.is(TypeRoot::kNull)) {
    common = b.as_nullable();
    return true;
  }
  if (b.is(TypeRoot::kNull)) {
    common = a.as_nullable();
    return true;
  }
  if (!common_not_null(a, b, common)) return false;
  common = common.as_nullable(nullable);
  return true;
}

LogicalType common_type(std::span<const LogicalType> types) {
  YEOUL_CHECK(!types.empty(), "no types");
  LogicalType common = types[0];
  for (const LogicalType& type : types.subspan(1)) {
    LogicalType next;
    if (!find_common_type(common, type, next)) {
      throw user_error(1107, "types {} and {} have nothing in common; cast one of them",
                       common.as_nullable().to_string(), type.as_nullable().to_string());
    }
    common = std::move(next);
  }
  return common;
}

}  // namespace yeoul
