#!/usr/bin/env python3
"""tools/kafka and its wire client themselves: what every other broker test stands on."""

import subprocess

import fixture
from fixture import EARLIEST, LATEST, Record, Transaction


class KafkaToolTest(fixture.BrokerTest):
    def test_console_tools_agree_with_the_wire_client(self):
        topic = self.topic(partitions=2)
        self.produce(topic, [Record("v", "k", 1000, [("h", "x")]), Record(None, "gone", 2000)], partition=1)
        self.broker.command("produce", topic, "--key-separator", "=", input="from=console\n")
        self.assertCountEqual(self.consume(topic), [("k", "v"), ("gone", None), ("from", "console")])
        lines = self.broker.command("consume", topic, "--from-beginning", "--positions", "--timestamps", "--headers")
        self.assertIn("CreateTime:1000\tPartition:1\tOffset:0\th:x\tv", lines.splitlines())

    def test_transactions(self):
        topic = self.topic()
        client = self.client()
        transaction = Transaction(client, topic)
        transaction.produce(topic, 0, [Record("a"), Record("b")])
        transaction.commit()
        transaction.produce(topic, 0, [Record("aborted")])
        transaction.abort()
        transaction.produce(topic, 0, [Record("open")])
        self.assertEqual(client.offsets(topic, LATEST), {0: 6})
        self.assertEqual(client.offsets(topic, LATEST, read_committed=True), {0: 5})
        committed = self.consume(topic, "--isolation", "read_committed")
        self.assertEqual([value for _, value in committed], ["a", "b"])

    def test_group_offsets(self):
        topic = self.topic(partitions=2)
        self.produce(topic, ["x"] * 5, partition=1)
        self.broker.command("alter-offsets", f"group-{topic}", topic, "1:3")
        self.assertEqual(self.client().group_offsets(f"group-{topic}", topic), {1: 3})

    def test_restart_keeps_address_and_records(self):
        self.use_own_broker()
        topic = self.topic()
        self.produce(topic, ["x"])
        self.broker.kill()
        self.broker.start()
        self.assertEqual(self.broker.bootstrap, self.bootstrap)
        self.assertEqual(self.end_offsets(topic), {0: 1})
        self.assertEqual(self.client().offsets(topic, EARLIEST), {0: 0})

    def test_a_version_that_cannot_be_started(self):
        for version, why in (("abc", "'abc' is no version of Apache Kafka"), ("0.11.0.3", "0.11.0.3 is too old.*from 2.1 on"),
                             ("9.9.9", "run: tools/setup kafka-9.9.9")):
            folder = self.folder / "broker"
            done = subprocess.run([fixture.ROOT / "tools" / "kafka", "start", "--data", folder, "--version", version],
                                  capture_output=True, text=True, timeout=fixture.PATIENCE_S)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, f"^tools/kafka: .*{why}")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertFalse(folder.exists())

    def test_an_error_names_the_topic(self):
        with self.assertRaisesRegex(fixture.KafkaError, "no-such-topic"):
            self.client().offsets("no-such-topic")


if __name__ == "__main__":
    fixture.main()
