#pragma once

#include <string>
#include <string_view>

namespace yeoul {

/// Why brokers would not take a topic of that name, by Kafka's rules; empty: they would.
std::string topic_name_fault(std::string_view name);
/// @param where  what named it, for the message
/// @throws user error 2010 for what is no name of a topic
void check_topic_name(std::string_view where, std::string_view name);

}  // namespace yeoul
