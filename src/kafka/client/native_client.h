#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "yeoul/common/options.h"
#include "yeoul/kafka/client/client_properties.h"
#include "yeoul/kafka/client/topic_partition.h"

// librdkafka's types, named here so that only .cpp files of this module include its header.
struct rd_kafka_s;
struct rd_kafka_conf_s;
struct rd_kafka_topic_partition_list_s;
struct rd_kafka_queue_s;

namespace yeoul {

/// Frees a configuration that no client took over.
struct NativeConfDeleter {
  void operator()(rd_kafka_conf_s* conf) const;
};
using NativeConf = std::unique_ptr<rd_kafka_conf_s, NativeConfDeleter>;

/// Frees a list of partitions.
struct NativeListDeleter {
  void operator()(rd_kafka_topic_partition_list_s* list) const;
};
using NativeList = std::unique_ptr<rd_kafka_topic_partition_list_s, NativeListDeleter>;

/// Gives a queue of a client back; before the client ends.
struct NativeQueueDeleter {
  void operator()(rd_kafka_queue_s* queue) const;
};
using NativeQueue = std::unique_ptr<rd_kafka_queue_s, NativeQueueDeleter>;

/// Ends a client. Flushing is its owner's business.
struct NativeClientDeleter {
  void operator()(rd_kafka_s* client) const;
};
using NativeClient = std::unique_ptr<rd_kafka_s, NativeClientDeleter>;

/// @throws user error 2010 naming the first property whose value the client does not take.
void check_native_properties(const std::string& owner, const OptionMap& native);

/// Makes of these properties all that a client needs to begin: so what contradicts itself, and a key store that cannot
/// be read, shows before anything runs. @throws user error 4007 with the client's reason, or as client_settings.h says
void check_client(const ClientProperties& properties);

/// A configuration with the given properties, log lines sent to common/log.h.
NativeConf make_conf(const ClientProperties& properties);

/// @throws external error 4007 with the client's reason.
NativeClient make_client(const ClientProperties& properties, NativeConf conf);

/// Partitions with their offsets.
NativeList make_list(const PartitionOffsets& offsets);

/// The text of a native error code.
std::string native_error_text(int error);

}  // namespace yeoul
