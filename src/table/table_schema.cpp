#include "yeoul/table/table_schema.h"

#include <fmt/format.h>

namespace yeoul {

std::string quoted_name(const std::string& name) {
  std::string out = "`";
  for (const char c : name) out += c == '`' ? std::string("``") : std::string(1, c);
  return out + "`";
}

TableSchema::Builder TableSchema::new_builder() {
  return {};
}

std::string TableSchema::column_line(const std::string& name, const std::string& type) {
  return quoted_name(name) + " " + type;
}

TableSchema::Builder& TableSchema::Builder::column(const std::string& name, const std::string& type) {
  schema_.lines_.push_back(column_line(name, type));
  schema_.has_physical_columns_ = true;
  return *this;
}

TableSchema::Builder& TableSchema::Builder::column_by_expression(const std::string& name,
                                                                 const std::string& sql_expression) {
  schema_.lines_.push_back(fmt::format("{} AS {}", quoted_name(name), sql_expression));
  return *this;
}

TableSchema::Builder& TableSchema::Builder::column_by_metadata(const std::string& name, const std::string& type,
                                                               const std::string& key) {
  schema_.lines_.push_back(
      fmt::format("{} {} METADATA{}", quoted_name(name), type, key.empty() ? "" : fmt::format(" FROM '{}'", key)));
  return *this;
}

TableSchema::Builder& TableSchema::Builder::watermark(const std::string& column, const std::string& sql_expression) {
  schema_.constraints_.push_back(fmt::format("WATERMARK FOR {} AS {}", quoted_name(column), sql_expression));
  return *this;
}

TableSchema::Builder& TableSchema::Builder::primary_key(const std::vector<std::string>& columns) {
  std::string names;
  for (const std::string& column : columns) names += (names.empty() ? "" : ", ") + quoted_name(column);
  schema_.constraints_.push_back(fmt::format("PRIMARY KEY ({}) NOT ENFORCED", names));
  return *this;
}

TableSchema TableSchema::Builder::build() const {
  TableSchema schema = schema_;
  schema.lines_.insert(schema.lines_.end(), schema.constraints_.begin(), schema.constraints_.end());
  schema.constraints_.clear();
  return schema;
}

}  // namespace yeoul
