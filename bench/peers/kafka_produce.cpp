// The least that librdkafka can do to write records: runs of one partition in one call, idempotent, nothing else.
// usage: kafka_produce BOOTSTRAP TOPIC PARTITIONS RECORDS [property=value]... with librdkafka's names

#include "kafka_peer.h"
#include "sample_records.h"

int main(int argc, char** argv) {
  if (argc < 5) peer::fail("usage: kafka_produce BOOTSTRAP TOPIC PARTITIONS RECORDS [property=value]...");
  const int num_partitions = std::atoi(argv[3]);
  const long long num_records = std::atoll(argv[4]);
  const SampleRecords samples;
  const double made = cpu_seconds();
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  for (const auto& [name, value] : {std::pair<const char*, const char*>{"linger.ms", "5"},
                                    {"acks", "all"},
                                    {"enable.idempotence", "true"},
                                    {"queue.buffering.max.messages", "500000"},
                                    {"queue.buffering.max.kbytes", "1048576"},
                                    {"delivery.report.only.error", "true"}}) {
    peer::set(conf, name, value);
  }
  peer::set(conf, "bootstrap.servers", argv[1]);
  for (int i = 5; i < argc; ++i) peer::set(conf, argv[i]);
  rd_kafka_conf_set_dr_msg_cb(conf, [](rd_kafka_t*, const rd_kafka_message_t* message, void*) {
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) peer::fail("a record was not delivered");
  });
  rd_kafka_t* client = peer::make_client(RD_KAFKA_PRODUCER, conf);
  rd_kafka_topic_t* topic = rd_kafka_topic_new(client, argv[2], nullptr);
  std::vector<rd_kafka_message_t> run(SampleRecords::kRun);
  const double begin = wall_seconds();
  long long sent = 0;
  for (int partition = 0; sent < num_records; partition = (partition + 1) % num_partitions) {
    run.resize(static_cast<size_t>(std::min<long long>(SampleRecords::kRun, num_records - sent)));
    for (size_t i = 0; i < run.size(); ++i) {
      const size_t at = (static_cast<size_t>(sent) + i) % SampleRecords::kNumRecords;
      run[i] = {};
      run[i].payload = const_cast<char*>(samples.values[at].data());
      run[i].len = samples.values[at].size();
      run[i].key = const_cast<char*>(samples.keys[at].data());
      run[i].key_len = samples.keys[at].size();
    }
    for (size_t taken = 0; taken < run.size();) {
      rd_kafka_produce_batch(topic, partition, RD_KAFKA_MSG_F_COPY, run.data() + taken,
                             static_cast<int>(run.size() - taken));
      while (taken < run.size() && run[taken].err == RD_KAFKA_RESP_ERR_NO_ERROR) ++taken;
      rd_kafka_poll(client, taken < run.size() ? 1 : 0);
      if (taken < run.size() && run[taken].err != RD_KAFKA_RESP_ERR__QUEUE_FULL) peer::fail("a record cannot be sent");
      for (size_t i = taken; i < run.size(); ++i) run[i].err = RD_KAFKA_RESP_ERR_NO_ERROR;
    }
    sent += static_cast<long long>(run.size());
  }
  if (rd_kafka_flush(client, 60'000) != RD_KAFKA_RESP_ERR_NO_ERROR) peer::fail("not everything was delivered");
  report_produced(sent, wall_seconds() - begin, cpu_seconds() - made);
  rd_kafka_topic_destroy(topic);
  rd_kafka_destroy(client);
  return 0;
}
