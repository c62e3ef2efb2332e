#pragma once

#include <string>
#include <string_view>

namespace yeoul {

/// Why brokers would not take a topic of that name, by Kafka's rules; empty: they would.
std::string topic_name_fault(std::string_view name);

}  // namespace yeoul
