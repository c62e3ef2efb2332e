#!/usr/bin/env python3
"""What Prometheus is told about a job while it runs."""
import pathlib
import re
import sys
import time

import fixture

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import prometheus_text  # noqa: E402

JOBS, TASK, OPERATOR = "flink_jobmanager_job_", "flink_taskmanager_job_task_", "flink_taskmanager_job_task_operator_"
# What dashboards and alerts made for Flink ask for, by scope.
NAMES = {
    JOBS: "numRestarts fullRestarts uptime downtime numberOfCompletedCheckpoints numberOfFailedCheckpoints "
          "numberOfInProgressCheckpoints totalNumberOfCheckpoints lastCheckpointDuration lastCheckpointSize "
          "lastCheckpointFullSize lastCompletedCheckpointId lastCheckpointRestoreTimestamp",
    TASK: "numRecordsIn numRecordsInPerSecond numRecordsOut numRecordsOutPerSecond busyTimeMsPerSecond "
          "idleTimeMsPerSecond backPressuredTimeMsPerSecond accumulateBusyTimeMs accumulateIdleTimeMs "
          "accumulateBackPressuredTimeMs isBackPressured currentInputWatermark",
    OPERATOR: "numRecordsIn numRecordsInPerSecond numRecordsOut numRecordsOutPerSecond busyTimeMsPerSecond "
              "currentInputWatermark currentOutputWatermark numBytesIn numBytesInPerSecond numRecordsInErrors "
              "currentFetchEventTimeLag currentEmitEventTimeLag watermarkLag sourceIdleTime pendingRecords numRecordsSend "
              "numBytesSend numBytesOut numBytesOutPerSecond numRecordsSendErrors numRecordsOutErrors currentSendTime",
}
PRODUCER = ("record_send_rate", "record_error_total", "record_retry_total", "record_queue_time_avg",
            "request_latency_avg", "batch_size_avg", "outgoing_byte_total", "outgoing_byte_rate",
            "buffer_available_bytes", "buffer_total_bytes", "txn_commit_time_ns_total", "connection_count")
JOB = """
SET 'execution.checkpointing.interval' = '200 ms';
SET 'pipeline.name' = 'counted';
SET 'metrics.reporter.prom.port' = '0';
CREATE TABLE pageviews (v BIGINT, at_ms BIGINT, seen AS TO_TIMESTAMP_LTZ(at_ms, 3),
  WATERMARK FOR seen AS seen - INTERVAL '1' SECOND) WITH (
  'connector' = 'kafka', 'topic' = '{source}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'format' = 'json',
  'properties.group.id' = '{source}', 'scan.startup.mode' = 'earliest-offset', 'json.ignore-parse-errors' = 'true');
CREATE TABLE sink (v BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '{sink}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'format' = 'json');
INSERT INTO sink SELECT v FROM pageviews WHERE v >= 0;
"""
# A task that is no source's has a watermark that comes in.
GROUPED = """
CREATE TABLE counts (v BIGINT, n BIGINT, PRIMARY KEY (v) NOT ENFORCED) WITH ('connector' = 'blackhole');
INSERT INTO counts SELECT v, COUNT(*) FROM pageviews GROUP BY v;
"""


class MetricsTest(fixture.BrokerTest):
    def test_a_running_job_is_counted(self):
        source, sink = self.topic("in", 2), self.topic("out")
        now_ms = int(time.time() * 1000)
        good = [{"v": n, "at_ms": now_ms - 60_000} for n in range(1000)]
        self.produce(source, good[:600], partition=0)
        self.produce(source, good[600:], partition=1)
        job = self.start(JOB.format(source=source, sink=sink))
        address = self.wait_for(job, lambda: re.search(r"metrics: (http://127\.0\.0\.1:\d+/metrics)", job.stderr()),
                                "the address is said")[1]
        samples = []

        def value(name, **labels):
            found = prometheus_text.values(samples, name, **labels)
            return sum(found) if found else None

        def settled():
            job.check_running()
            samples[:] = prometheus_text.scrape(address)
            return (value(OPERATOR + "numRecordsSend") == 1000 and value(OPERATOR + "pendingRecords") == 0
                    and value(OPERATOR + "KafkaSourceReader_commitsSucceeded") >= 1
                    and value(OPERATOR + "KafkaSourceReader_topic_partition_committedOffset") == 1000
                    and value("flink_jobmanager_job_numberOfCompletedCheckpoints") >= 2
                    and value(OPERATOR + "watermarkLag") is not None)

        self.wait_for(job, settled, "the metrics say that all is through")
        of_source = {"operator_name": "Source:_pageviews", "job_name": "counted", "subtask_index": "0"}
        self.assertEqual(value(OPERATOR + "numRecordsIn", **of_source), 1000)
        self.assertEqual(value(OPERATOR + "numRecordsOut", **of_source), 1000)
        self.assertEqual(value(OPERATOR + "numRecordsIn", operator_name="Sink:_sink"), 1000)
        self.assertGreater(value(OPERATOR + "numBytesIn", **of_source), 1000 * 20)
        self.assertEqual(value(OPERATOR + "numRecordsInErrors", **of_source), 0)
        self.assertGreater(value(OPERATOR + "numRecordsInPerSecond", **of_source), 1)
        self.assertGreaterEqual(value(OPERATOR + "currentSendTime"), 0)
        for partition, end in (("0", 600), ("1", 400)):
            where = {"topic": re.sub(r"[^a-zA-Z0-9:_]", "_", source), "partition": partition}
            group = OPERATOR + "KafkaSourceReader_topic_partition_"
            self.assertEqual(value(group + "currentOffset", **where), end - 1)
            self.assertEqual(value(group + "committedOffset", **where), end)
            self.assertEqual(value(group + "currentOffsets", **where), end - 1)
        consumer = OPERATOR + "KafkaSourceReader_KafkaConsumer_"
        self.assertEqual(value(consumer + "records_consumed_total", **of_source), 1000)
        self.assertGreater(value(consumer + "bytes_consumed_total", **of_source), 1000 * 20)
        self.assertGreaterEqual(value(consumer + "fetch_total", **of_source), 1)
        self.assertGreaterEqual(value(consumer + "commit_total", **of_source), 1)
        self.assertGreaterEqual(value(consumer + "connection_count", **of_source), 1)
        self.assertGreater(value(consumer + "incoming_byte_total", **of_source), 1000)
        self.assertEqual(value(consumer + "records_lag_max", **of_source), 0)
        self.wait_for(job, lambda: settled() and value(OPERATOR + "KafkaProducer_record_send_total") == 1000,
                      "the producer's own metrics are there")
        producer = {name: value(OPERATOR + "KafkaProducer_" + name, operator_name="Sink:_sink") for name in PRODUCER}
        self.assertNotIn(None, producer.values(), producer)
        self.assertEqual(producer["record_error_total"] + producer["record_retry_total"], 0)
        self.assertGreater(producer["outgoing_byte_total"], 1000 * 10)
        self.assertTrue(0 < producer["buffer_available_bytes"] <= producer["buffer_total_bytes"] == 32 << 20)
        self.assertGreaterEqual(producer["connection_count"], 1)
        # A minute behind by the rows' own time, and 1 s more by the watermark.
        self.assertTrue(61_000 <= value(OPERATOR + "watermarkLag") < 61_000 + fixture.PATIENCE_S * 1000)
        self.assertTrue(0 <= value(OPERATOR + "currentEmitEventTimeLag") < fixture.PATIENCE_S * 1000)
        self.assertTrue(0 <= value(OPERATOR + "currentFetchEventTimeLag") <= value(OPERATOR + "currentEmitEventTimeLag"))
        spent = [value(TASK + use + "TimeMsPerSecond") for use in ("busy", "idle", "backPressured")]
        self.assertAlmostEqual(sum(spent), 1000, delta=300)
        self.assertEqual(value("flink_jobmanager_job_numberOfFailedCheckpoints"), 0)
        self.assertGreater(value("flink_jobmanager_job_lastCheckpointSize"), 0)
        self.assertGreater(value("process_resident_memory_bytes"), 1 << 20)

        # What comes while it runs, one of them bad.
        self.produce(source, ["{no json"], partition=0)
        self.produce(source, [{"v": -1, "at_ms": now_ms}], partition=1)

        def seen():
            samples[:] = prometheus_text.scrape(address)
            return value(OPERATOR + "numRecordsIn", **of_source) == 1002

        self.wait_for(job, seen, "the metrics count what came since")
        self.assertEqual(value(OPERATOR + "numRecordsSend"), 1000)
        self.assertEqual(value(OPERATOR + "numRecordsSkipped"), 1)
        self.assertEqual(job.interrupt(), 0, job.tail())

    def test_every_name_that_dashboards_ask_for_is_there(self):
        source, sink = self.topic("in", 2), self.topic("out")
        now_ms = int(time.time() * 1000)
        for partition in (0, 1):
            self.produce(source, [{"v": n, "at_ms": now_ms} for n in range(100)], partition)
        job = self.start("SET 'parallelism.default' = '2';" + JOB.format(source=source, sink=sink) + GROUPED)
        address = self.wait_for(job, lambda: re.search(r"metrics: (http://127\.0\.0\.1:\d+/metrics)", job.stderr()),
                                "the address is said")[1]
        expected = {scope + name for scope, names in NAMES.items() for name in names.split()}

        def missing():
            return expected - {sample.name for sample in prometheus_text.scrape(address)}

        self.wait_for(job, lambda: not missing(), f"there are all of {len(expected)} names")
        samples = prometheus_text.scrape(address)
        for name in ("pendingRecords", "sourceIdleTime", "watermarkLag"):
            where = [s.labels["operator_name"] for s in samples if s.name == OPERATOR + name]
            self.assertEqual(set(where), {"Source:_pageviews"})
        for sample in samples:
            scope = max((s for s in NAMES if sample.name.startswith(s)), key=len, default="")
            labels = {JOBS: {"host", "job_id", "job_name"}, TASK: {"tm_id", "task_id", "task_name", "subtask_index"},
                      OPERATOR: {"task_name", "subtask_index", "operator_id", "operator_name"}}.get(scope, set())
            self.assertLessEqual(labels, sample.labels.keys(), sample.name)
        self.assertEqual(job.interrupt(), 0, job.tail())

    def test_the_clients_own_metrics_can_be_left_out(self):
        source, sink = self.topic("in"), self.topic("out")
        self.produce(source, [{"v": n, "at_ms": 0} for n in range(10)])
        text = JOB.format(source=source, sink=sink)
        for topic, role in ((source, "consumer"), (sink, "producer")):
            text = text.replace(f"'topic' = '{topic}'", f"'topic' = '{topic}', 'properties.register.{role}.metrics' = 'false'")
        job = self.start(text)
        address = self.wait_for(job, lambda: re.search(r"metrics: (http://127\.0\.0\.1:\d+/metrics)", job.stderr()),
                                "the address is said")[1]

        def names():
            return {sample.name for sample in prometheus_text.scrape(address)}

        def sent():
            samples = prometheus_text.scrape(address)
            return (sum(prometheus_text.values(samples, OPERATOR + "numRecordsSend")) == 10
                    and prometheus_text.values(samples, OPERATOR + "currentSendTime"))

        self.wait_for(job, sent, "all is sent")
        self.assertIn(OPERATOR + "KafkaSourceReader_commitsSucceeded", names())
        self.assertEqual([name for name in names() if "KafkaConsumer" in name or "KafkaProducer" in name], [])
        self.assertEqual(job.interrupt(), 0, job.tail())


if __name__ == "__main__":
    fixture.main()
