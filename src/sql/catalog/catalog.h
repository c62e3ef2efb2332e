#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "yeoul/common/options.h"
#include "yeoul/types/logical_type.h"

namespace yeoul {

/// A column of a table. Expressions are kept as SQL text, as Flink's catalogs keep them; the binder binds them.
struct CatalogColumn {
  enum class Kind : uint8_t { kPhysical, kMetadata, kComputed };
  std::string name;
  LogicalType type;
  Kind kind = Kind::kPhysical;
  std::string metadata_key;  ///< kMetadata
  bool is_virtual = false;   ///< kMetadata: not written
  std::string expression;    ///< kComputed
  std::string comment;

  /// True when an INSERT writes it.
  bool persisted() const { return kind == Kind::kPhysical || (kind == Kind::kMetadata && !is_virtual); }
};

struct CatalogWatermark {
  std::string column;
  std::string expression;  ///< SQL text
};

struct CatalogTable {
  std::vector<CatalogColumn> columns;
  std::optional<CatalogWatermark> watermark;
  std::vector<std::string> primary_key;  ///< column names
  std::string primary_key_name;
  std::vector<std::string> partition_keys;
  OptionMap options;
  std::string comment;

  /// All columns, as a query sees them.
  Schema schema() const;
  /// Position of a column, or -1.
  int index_of(std::string_view name) const;
};

struct CatalogView {
  Schema schema;      ///< as of its creation, columns renamed
  std::string query;  ///< SQL text
  std::string comment;
};

using CatalogObject = std::variant<CatalogTable, CatalogView>;

/// A path of three names.
struct ObjectPath {
  std::string catalog;
  std::string database;
  std::string object;
  /// "`default_catalog`.`default_database`.`orders`", as Flink prints it.
  std::string to_string() const;
  auto operator<=>(const ObjectPath&) const = default;
};

/// Tables and views of a session, in memory; temporary objects hide permanent ones of the same name. Threads: one.
class Catalog {
 public:
  static constexpr std::string_view kDefaultCatalog = "default_catalog";
  static constexpr std::string_view kDefaultDatabase = "default_database";

  /// Completes one to three names by the current catalog and database.
  /// @throws user error 2030 for another number of names.
  ObjectPath resolve(const std::vector<std::string>& names) const;
  /// @throws user error 2031 when the name is taken (of the same kind of lifetime) and not `if_not_exists`.
  void create(const ObjectPath& path, CatalogObject object, bool temporary, bool if_not_exists);
  /// @throws user error 2032 when it does not exist (with the nearest) and not `if_exists`, or is the other kind.
  void drop(const ObjectPath& path, bool table, bool temporary, bool if_exists);
  /// Null when there is none.
  std::shared_ptr<const CatalogObject> find(const ObjectPath& path) const;
  bool is_temporary(const ObjectPath& path) const { return temporary_.contains(path); }
  /// Names in the current database, sorted.
  std::vector<std::string> names(bool tables, bool views) const;
  /// @throws user error 2033 for a catalog or database other than the default ones.
  void use_catalog(const std::string& name);
  void use_database(const std::string& catalog, const std::string& name);
  /// The name nearest to one that was not found; empty when none is near.
  std::string nearest(const ObjectPath& path) const;

 private:
  std::map<ObjectPath, std::shared_ptr<const CatalogObject>> permanent_;
  std::map<ObjectPath, std::shared_ptr<const CatalogObject>> temporary_;
};

}  // namespace yeoul
