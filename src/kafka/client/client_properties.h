#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/options.h"

namespace yeoul {

/// What a client is for; some properties belong to one role only.
enum class ClientRole { kConsumer, kProducer, kAdmin };

/// Kafka client properties under their Java names, checked, with the Java client's defaults.
class ClientProperties {
 public:
  /// @param owner  for messages, e.g. "table 'orders' (connector 'kafka')"
  /// @param java   names and values as users write them, without "properties."
  /// @throws user error 2011 for a misspelt name with the nearest known one, 2013 for a property that is refused, with
  ///         the reason, 2010 for a value that the client does not take. A name that resembles no known one is taken
  ///         with a note, as the Java client does.
  ClientProperties(std::string owner, ClientRole role, const OptionMap& java);

  ClientRole role() const { return role_; }
  /// A property as the user knows it: "table 't': option 'properties.group.id'".
  std::string label(std::string_view name) const;
  /// All that the user set, under Java's names. There are passwords among them.
  const OptionMap& java() const { return java_; }
  /// The user's value of a property under its Java name.
  std::optional<std::string> get(std::string_view java_name) const;
  /// The user's value as a number, else `fallback`. @throws user error 2010.
  int64_t integer(std::string_view java_name, int64_t fallback) const;
  bool boolean(std::string_view java_name, bool fallback) const;
  /// As the Java producer: idempotent unless a setting that excludes it was made without asking for it.
  bool is_idempotent() const;
  /// Whether records with a key go where those without one do: 'partitioner.ignore.keys', and what Java's producer had
  /// before it, `UniformStickyPartitioner`.
  bool ignores_keys() const;
  /// One line for each property that has no effect here, or not the whole, with the reason.
  const std::vector<std::string>& notes() const { return notes_; }
  const std::string& owner() const { return owner_; }
  std::string bootstrap_servers() const { return get("bootstrap.servers").value_or(""); }
  /// The client id that brokers log, the user's if there is one.
  std::string client_id() const { return get("client.id").value_or(client_id_); }
  void set_client_id(const std::string& id) { client_id_ = id; }
  /// The group whose offsets are read and committed, the user's if there is one; empty: none.
  std::string group_id() const { return get("group.id").value_or(group_id_); }
  void set_group_id(const std::string& id) { group_id_ = id; }

 private:
  void add(const std::string& name, const std::string& value);
  void add_secure(const std::string& name, const std::string& value);
  std::string checked_value(const std::string& name, const std::string& value);
  void finish_consumer();
  void finish_producer();

  std::string owner_;
  ClientRole role_;
  std::string client_id_ = "yeoul";
  std::string group_id_;
  OptionMap java_;
  std::vector<std::string> notes_;
};

}  // namespace yeoul
