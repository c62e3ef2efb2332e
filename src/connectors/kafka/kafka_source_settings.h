#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "yeoul/connectors/kafka/kafka_offsets_initializer.h"

namespace yeoul {

/// What a KafkaSource's builder collects, but for its deserializer (spec rows KD-009…053).
class KafkaSourceSettings {
 public:
  KafkaSourceSettings() : starting_(KafkaOffsetsInitializer::earliest()) {}

  // @throws user error 2014 for a second way to subscribe
  void set_topics(std::vector<std::string> topics);
  void set_topic_pattern(std::string pattern);
  void set_partitions(std::set<KafkaTopicPartition> partitions);
  void set_starting_offsets(KafkaOffsetsInitializer offsets) { starting_ = std::move(offsets); }
  void set_stopping_offsets(KafkaOffsetsInitializer offsets, bool bounded);
  void set_property(const std::string& key, std::string value) { properties_[key] = std::move(value); }
  void set_rack_id_supplier(std::function<std::string()> supplier) { rack_id_supplier_ = std::move(supplier); }

  /// @param has_deserializer  whether the builder was given one
  /// @throws user error 2012 naming what is missing, 2010…2014 for what is wrong
  std::shared_ptr<const KafkaSourceConfig> build(bool has_deserializer) const;

 private:
  void check_subscription(std::string_view setter) const;
  void check_required(bool has_deserializer) const;
  void override_properties(KafkaSourceConfig& config) const;
  void read_properties(KafkaSourceConfig& config) const;

  std::vector<std::string> topics_;
  std::optional<std::string> topic_pattern_;
  std::set<KafkaTopicPartition> partitions_;
  KafkaOffsetsInitializer starting_;
  std::optional<KafkaOffsetsInitializer> stopping_;
  bool bounded_ = false;
  OptionMap properties_;
  std::function<std::string()> rack_id_supplier_;
};

}  // namespace yeoul
