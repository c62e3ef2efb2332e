#include "yeoul/sql/catalog/catalog.h"

#include <algorithm>
#include <set>

#include "yeoul/common/error.h"

namespace yeoul {

Schema CatalogTable::schema() const {
  std::vector<RowField> fields;
  for (const CatalogColumn& column : columns) fields.push_back({column.name, column.type, column.comment});
  return Schema(std::move(fields));
}

int CatalogTable::index_of(std::string_view name) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::string ObjectPath::to_string() const {
  return fmt::format("`{}`.`{}`.`{}`", catalog, database, object);
}

ObjectPath Catalog::resolve(const std::vector<std::string>& names) const {
  switch (names.size()) {
    case 1:
      return {std::string(kDefaultCatalog), std::string(kDefaultDatabase), names[0]};
    case 2:
      return {std::string(kDefaultCatalog), names[0], names[1]};
    case 3:
      return {names[0], names[1], names[2]};
    default:
      throw user_error(2030, "a table name has one to three parts, not {}", names.size());
  }
}

void Catalog::create(const ObjectPath& path, CatalogObject object, bool temporary, bool if_not_exists) {
  use_database(path.catalog, path.database);
  auto& objects = temporary ? temporary_ : permanent_;
  if (objects.contains(path)) {
    if (if_not_exists) return;
    throw user_error(2031, "{}table or view {} exists already; DROP it first, or say IF NOT EXISTS",
                     temporary ? "temporary " : "", path.to_string());
  }
  objects[path] = std::make_shared<const CatalogObject>(std::move(object));
}

void Catalog::drop(const ObjectPath& path, bool table, bool temporary, bool if_exists) {
  auto& objects = temporary ? temporary_ : permanent_;
  const char* kind = table ? "table" : "view";
  const auto it = objects.find(path);
  if (it == objects.end() || std::holds_alternative<CatalogTable>(*it->second) != table) {
    if (it == objects.end() && if_exists) return;
    if (it != objects.end()) {
      throw user_error(2032, "{} is a {}, not a {}", path.to_string(), table ? "view" : "table", kind);
    }
    if (!temporary && temporary_.contains(path)) {
      throw user_error(2032, "{} is temporary: say DROP TEMPORARY {}", path.to_string(), table ? "TABLE" : "VIEW");
    }
    const std::string near = nearest(path);
    throw user_error(2032, "there is no {}{} {}{}", temporary ? "temporary " : "", kind, path.to_string(),
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
  // Flink refuses to drop a permanent object that a temporary one hides.
  if (!temporary && temporary_.contains(path)) {
    throw user_error(2032, "temporary {} {} hides the permanent one: drop the temporary one first", kind,
                     path.to_string());
  }
  objects.erase(it);
}

std::shared_ptr<const CatalogObject> Catalog::find(const ObjectPath& path) const {
  if (const auto it = temporary_.find(path); it != temporary_.end()) return it->second;
  if (const auto it = permanent_.find(path); it != permanent_.end()) return it->second;
  return nullptr;
}

std::vector<std::string> Catalog::names(bool tables, bool views) const {
  std::set<std::string> names;
  for (const auto* objects : {&permanent_, &temporary_}) {
    for (const auto& [path, object] : *objects) {
      const bool is_table = std::holds_alternative<CatalogTable>(*object);
      if (is_table ? tables : views) names.insert(path.object);
    }
  }
  return {names.begin(), names.end()};
}

void Catalog::use_catalog(const std::string& name) {
  if (name != kDefaultCatalog) {
    throw user_error(2033, "there is no catalog '{}'; there is only '{}'", name, kDefaultCatalog);
  }
}

void Catalog::use_database(const std::string& catalog, const std::string& name) {
  use_catalog(catalog);
  if (name != kDefaultDatabase) {
    throw user_error(2033, "there is no database '{}' in catalog '{}'; there is only '{}'", name, catalog,
                     kDefaultDatabase);
  }
}

std::string Catalog::nearest(const ObjectPath& path) const {
  return nearest_name(path.object, names(true, true));
}

}  // namespace yeoul
