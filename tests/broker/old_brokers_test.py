#!/usr/bin/env python3
"""Jobs and Yeoul's own Kafka client with a broker that is older than the one of the other tests, always one of its own.

Its version is YEOUL_KAFKA_VERSION, else 3.9.1. Kafka 2.1 is the oldest that Yeoul speaks with.
"""
import os
import re
import socket
import struct
import threading

import fixture
import native_client_test
import native_producer_test
import stream_test
from fixture import Record

VERSION = os.environ.get("YEOUL_KAFKA_VERSION", "3.9.1")
COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")

READ = """
CREATE TABLE source (v BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '%s', 'properties.bootstrap.servers' = '{bootstrap}', 'format' = 'json'%s);
"""

# All compressions into one topic, each record with what it was compressed with.
COPY_COLUMNS = "k STRING, c STRING, v BIGINT, headers MAP<STRING, BYTES> METADATA"
COPY_OPTIONS = """
  'connector' = 'kafka', 'topic' = '%s', 'properties.bootstrap.servers' = '{bootstrap}', 'key.format' = 'raw',
  'key.fields' = 'k', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY', 'scan.bounded.mode' = 'latest-offset',
  'scan.startup.mode' = 'earliest-offset'"""


def copy_script(source, sink):
    tables = [f"CREATE TABLE source ({COPY_COLUMNS}) WITH ({COPY_OPTIONS % source});"]
    inserts = []
    for name in COMPRESSIONS:
        options = COPY_OPTIONS % sink + f", 'properties.compression.type' = '{name}'"
        tables.append(f"CREATE TABLE sink_{name} ({COPY_COLUMNS}) WITH ({options});")
        inserts.append(f"INSERT INTO sink_{name} SELECT k, '{name}', v, headers FROM source;")
    return "\n".join([*tables, "EXECUTE STATEMENT SET BEGIN", *inserts, "END;"])


_broker = None


def old_broker():
    global _broker
    if _broker is None:
        _broker = fixture.Broker().start("--version", VERSION)
    return _broker


class OldBrokerTest(fixture.BrokerTest):
    def setUp(self):
        super().setUp(old_broker())


class JobTest(OldBrokerTest):
    begin, wait_for_output = stream_test.CopyTest.begin, stream_test.CopyTest.wait_for_output
    test_an_added_partition = stream_test.CopyTest.test_a_partition_added_while_the_job_runs_is_read
    test_commits_to_the_group = stream_test.CopyTest.test_checkpoints_commit_the_offsets_of_the_group

    def test_keys_headers_and_compressions(self):
        source, sink = self.topic(), self.topic()
        lines = "".join(f"a:{n}\tkey-{n}\t{{\"c\":\"\",\"v\":{n}}}\n" for n in range(1000))
        self.broker.command("produce", source, "--headers", "\t", "--key-separator", "\t", "--compression", "zstd", input=lines)
        self.run_sql(copy_script(source, sink))
        text = self.broker.command("consume", sink, "--from-beginning", "--keys", "--headers")
        self.assertCountEqual(text.splitlines(), [f"a:{n}\tkey-{n}\t{{\"c\":\"{name}\",\"v\":{n}}}"
                                                  for n in range(1000) for name in COMPRESSIONS])
        self.assertEqual(set(re.findall(r" compresscodec: (\w+) ", self.broker.dump_log(sink))), set(COMPRESSIONS))

    def test_where_a_job_starts(self):
        topic = self.topic()
        self.produce(topic, [Record(f'{{"v":{n}}}', timestamp=1000 * n) for n in range(10)])
        with self.broker.client() as client:
            client.set_group_offsets(f"group-{topic}", topic, {0: 7})
        for mode, more, first in (("earliest-offset", "", 0), ("latest-offset", "", 10),
                                  ("timestamp", ", 'scan.startup.timestamp-millis' = '3500'", 4),
                                  ("group-offsets", f", 'properties.group.id' = 'group-{topic}'", 7)):
            with self.subTest(mode):
                options = f", 'scan.startup.mode' = '{mode}', 'scan.bounded.mode' = 'latest-offset'{more}"
                rows = self.select(READ % (topic, options) + "SELECT v FROM source;")
                self.assertEqual([row["v"] for row in rows], list(range(first, 10)))

    def test_the_broker_goes_away_under_the_job(self):
        job = self.begin()
        self.produce(self.source, [{"v": 0}])
        self.wait_for_output(job, 1)
        self.broker.kill()
        self.broker.start()
        self.produce(self.source, [{"v": 1}])
        self.wait_for_output(job, 2)
        self.wait_for_checkpoint(job)
        self.assertEqual(job.interrupt(), 0, job.tail())
        self.assertEqual([value for _, value in self.consume(self.sink)], ['{"v":0}', '{"v":1}'])


class ClientTest(OldBrokerTest):
    """Parts of the tests of Yeoul's own client; `make old-brokers` runs all of them."""

    probe, rows = native_client_test.NativeClientTest.probe, native_client_test.NativeClientTest.rows
    test_parts_of_records = native_client_test.NativeClientTest.test_parts_of_records
    test_transactions = native_client_test.NativeClientTest.test_transactions
    test_lost_records = native_client_test.NativeClientTest.test_records_that_were_read_and_are_not_there_any_more


class ProducerTest(OldBrokerTest):
    rows, values = native_producer_test.NativeProducerTest.rows, native_producer_test.NativeProducerTest.values
    unique, prepared = native_producer_test.NativeTransactionTest.unique, native_producer_test.NativeTransactionTest.prepared
    test_acks_and_sizes = native_producer_test.NativeProducerTest.test_acks_and_sizes
    values_of = native_producer_test.NativeProducerTest.values_of
    await_values = native_producer_test.NativeTransactionTest.await_values
    test_transactions = native_producer_test.NativeTransactionTest.test_commits_and_aborts
    test_fencing = native_producer_test.NativeTransactionTest.test_a_new_producer_fences_the_old_one


class TooOldBroker(threading.Thread):
    """Says which versions of requests it serves, as Apache Kafka 1.0 does, and nothing else."""

    API_VERSIONS, UNSUPPORTED_VERSION = 18, 35
    SERVED = {0: 5, 1: 6, 2: 2, 3: 5, 8: 3, 9: 3, 10: 1, 18: 1, 19: 2, 20: 1, 22: 0, 24: 0, 26: 0}

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.bootstrap = f"127.0.0.1:{self.listener.getsockname()[1]}"

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
                self.serve(connection)
            except ConnectionResetError:  # the client has gone
                continue
            except OSError:  # closed
                return

    def serve(self, connection):
        with connection, connection.makefile("rwb") as stream:
            while len(size := stream.read(4)) == 4:
                key, version, correlation = struct.unpack_from(">hhi", stream.read(struct.unpack(">i", size)[0]))
                if key != self.API_VERSIONS:
                    return
                served = {} if version > 1 else self.SERVED
                answer = struct.pack(">ihi", correlation, 0 if served else self.UNSUPPORTED_VERSION, len(served))
                answer += b"".join(struct.pack(">hhh", api, 0, newest) for api, newest in served.items())
                answer += struct.pack(">i", 0) if version == 1 else b""  # throttle time
                stream.write(struct.pack(">i", len(answer)) + answer)
                stream.flush()


class TooOldTest(OldBrokerTest):
    def test_the_message_says_what_is_needed(self):
        broker = TooOldBroker()
        broker.start()
        self.addCleanup(broker.listener.close)
        self.bootstrap = broker.bootstrap
        job = self.run_sql(READ % ("t", ", 'scan.startup.mode' = 'earliest-offset'") + "SELECT v FROM source;", code=2)
        self.assertRegex(job.stderr(), rf"{broker.bootstrap}.* is too old: it serves \w+ requests up to version \d, "
                                       r"Yeoul needs \d+, which Apache Kafka 2.1.0 and later have")
        self.assertIn("YEOUL-4011", job.stderr())


if __name__ == "__main__":
    fixture.main()
