#include "yeoul/kafka/client/property_limits.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace yeoul {
namespace {

constexpr int64_t kInt = std::numeric_limits<int32_t>::max();
constexpr int64_t kLong = std::numeric_limits<int64_t>::max();
constexpr int64_t kAny = std::numeric_limits<int64_t>::min();
/// In milliseconds; longer waits overflow a clock.
constexpr int64_t kThirtyYears = 1'000'000'000'000;

constexpr PropertyLimits kLimits[] = {
    {"request.timeout.ms", 0, kInt, 1, kInt},
    {"default.api.timeout.ms", 0, kInt, 0, kInt},
    {"retry.backoff.ms", 0, kLong, 1, kThirtyYears},
    {"retry.backoff.max.ms", 0, kLong, 1, kThirtyYears},
    {"reconnect.backoff.ms", 0, kLong, 1, kThirtyYears},
    {"reconnect.backoff.max.ms", 0, kLong, 1, kThirtyYears},
    {"connections.max.idle.ms", kAny, kLong, 1'000, kThirtyYears},
    {"socket.connection.setup.timeout.ms", 0, kLong, 1, kThirtyYears},
    {"socket.connection.setup.timeout.max.ms", 0, kLong, 1, kThirtyYears},
    {"receive.buffer.bytes", -1, kInt, 0, kInt},
    {"send.buffer.bytes", -1, kInt, 0, kInt},
    {"metadata.max.age.ms", 0, kLong, 100, kThirtyYears},
    {"fetch.min.bytes", 0, kInt, 0, kInt},
    {"fetch.max.bytes", 0, kInt, 0, kInt},
    {"fetch.max.wait.ms", 0, kInt, 0, kInt},
    {"max.partition.fetch.bytes", 0, kInt, 0, kInt},
    {"auto.commit.interval.ms", 0, kInt, 0, kInt},
    {"retries", 0, kInt, 0, kInt},
    {"linger.ms", 0, kLong, 0, kThirtyYears},
    {"batch.size", 0, kInt, 0, kInt},
    {"compression.gzip.level", -1, 9, -1, 9},
    {"compression.lz4.level", 1, 17, 1, 17},
    {"compression.zstd.level", -131'072, 22, -131'072, 22},
    {"delivery.timeout.ms", 0, kInt, 0, kInt},
    {"max.in.flight.requests.per.connection", 1, kInt, 1, kInt},
    {"max.request.size", 0, kInt, 0, kInt},
    {"buffer.memory", 0, kLong, 0, kLong},
    {"max.block.ms", 0, kLong, 0, kThirtyYears},
};

struct Choices {
  std::string_view name;
  std::string_view values;
};

constexpr Choices kChoices[] = {
    {"acks", "all|-1|0|1"},
    {"allow.auto.create.topics", "true|false"},
    {"auto.offset.reset", "earliest|latest|none"},
    {"check.crcs", "true|false"},
    {"client.dns.lookup", "use_all_dns_ips|resolve_canonical_bootstrap_servers_only|default"},
    {"compression.type", "none|gzip|snappy|lz4|zstd"},
    {"enable.auto.commit", "true|false"},
    {"enable.idempotence", "true|false"},
    {"partitioner.ignore.keys", "true|false"},
    {"register.consumer.metrics", "true|false"},
    {"register.producer.metrics", "true|false"},
    {"isolation.level", "read_committed|read_uncommitted"},
    {"metadata.recovery.strategy", "none|rebootstrap"},
};

}  // namespace

const PropertyLimits* find_property_limits(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kLimits), std::end(kLimits), [&](const PropertyLimits& row) { return row.name == name; });
  return found == std::end(kLimits) ? nullptr : found;
}

std::string_view property_choices(std::string_view name) {
  const auto* it =
      std::find_if(std::begin(kChoices), std::end(kChoices), [&](const auto& row) { return row.name == name; });
  return it == std::end(kChoices) ? std::string_view() : it->values;
}

}  // namespace yeoul
