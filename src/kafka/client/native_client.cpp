#include "yeoul/kafka/client/native_client.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>

#include "yeoul/common/log.h"
#include "yeoul/kafka/client/client_settings.h"

namespace yeoul {
namespace {

/// The client's reason on one line, with the property under the name that the user knows.
std::string in_java_words(std::string reason, const std::string& native) {
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  while (!reason.empty() && reason.back() == ' ') reason.pop_back();
  if (const size_t at = reason.find(native); at != std::string::npos) {
    reason.replace(at, native.size(), java_property_name(native));
  }
  return reason;
}

void set_all(const std::string& owner, const OptionMap& native, rd_kafka_conf_t* conf) {
  char reason[512];
  for (const auto& [name, value] : native) {
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), reason, sizeof reason) != RD_KAFKA_CONF_OK) {
      throw user_error(2010, "{}: Kafka client property '{}' = '{}': {}", owner, java_property_name(name), value,
                       in_java_words(reason, name));
    }
  }
}

/// Syslog levels of the client to ours. Connection trouble is reported once more, with context, by whoever waits.
void log_native(const rd_kafka_t*, int level, const char* facility, const char* text) {
  const LogLevel mapped = level <= 3 ? LogLevel::kWarn : level <= 6 ? LogLevel::kInfo : LogLevel::kDebug;
  // The text begins with the client's own thread, which says nothing to a user.
  std::string_view line = text;
  if (const size_t end = line.find("]: "); line.starts_with("[thrd:") && end != std::string_view::npos) {
    line.remove_prefix(end + 3);
  }
  log(mapped, "kafka", "{}: {}", facility, line);
}

}  // namespace

void NativeConfDeleter::operator()(rd_kafka_conf_s* conf) const {
  rd_kafka_conf_destroy(conf);
}
void NativeClientDeleter::operator()(rd_kafka_s* client) const {
  // No consumer close: nothing was subscribed, so there is no group to leave.
  rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
}

void check_native_properties(const std::string& owner, const OptionMap& native) {
  const NativeConf conf(rd_kafka_conf_new());
  set_all(owner, native, conf.get());
}

void check_client(const ClientProperties& properties) {
  if (properties.role() != ClientRole::kProducer) {
    cluster_client_settings(properties);
    return;
  }
  OptionMap native = properties.native();
  native.erase("bootstrap.servers");
  NativeConf conf(rd_kafka_conf_new());
  set_all(properties.owner(), native, conf.get());
  rd_kafka_conf_set_log_cb(conf.get(), nullptr);
  make_client(properties, std::move(conf));
}

NativeConf make_conf(const ClientProperties& properties) {
  NativeConf conf(rd_kafka_conf_new());
  set_all(properties.owner(), properties.native(), conf.get());
  rd_kafka_conf_set_log_cb(conf.get(), log_native);
  return conf;
}

NativeClient make_client(const ClientProperties& properties, NativeConf conf) {
  char reason[512];
  NativeClient client(rd_kafka_new(RD_KAFKA_PRODUCER, conf.get(), reason, sizeof reason));
  if (!client)
    throw user_error(4007, "{}: no Kafka client could be made: {}", properties.owner(), in_java_words(reason, ""));
  (void)conf.release();  // the client owns it now
  return client;
}

std::string native_error_text(int error) {
  return rd_kafka_err2str(static_cast<rd_kafka_resp_err_t>(error));
}

}  // namespace yeoul
