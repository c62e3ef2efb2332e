#!/usr/bin/env python3
"""What kafka/client's Admin asks a real broker, beside what the tests' own client says of it."""
import pathlib
import subprocess

import fixture
from fixture import Record, Transaction

PROBE = pathlib.Path(fixture.yeoul_binary()).parent / "admin_probe"


class AdminTest(fixture.BrokerTest):
    def ask(self, *words, code=0):
        done = subprocess.run([PROBE, self.bootstrap, *map(str, words)], text=True, capture_output=True,
                              timeout=fixture.PATIENCE_S)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr if code else [tuple(line.split("\t")) for line in done.stdout.splitlines()]

    def test_topics_are_created_described_and_deleted(self):
        topic = self.topic("model") + "-made"
        replicas = -1 if self.broker.version() >= (2, 4) else 1
        self.ask("create", topic, 3, replicas, "cleanup.policy=compact", "retention.ms=1234567")
        fixture.wait_until(lambda: (topic,) in self.ask("topics"), "the topic is listed")
        self.assertNotIn("__", "".join(name[:2] for name, in self.ask("topics")))
        self.assertEqual(self.ask("partitions", topic), [("0",), ("1",), ("2",)])
        configs = dict(self.ask("configs", topic))
        self.assertEqual((configs["cleanup.policy"], configs["retention.ms"]), ("compact", "1234567"))
        self.assertIn(f"TOPIC_ALREADY_EXISTS (topic '{topic}'", self.ask("create", topic, 1, replicas, code=1))
        self.assertIn("INVALID_CONFIG", self.ask("create", topic + "-2", 1, replicas, "cleanup.policy=none at all", code=1))
        self.ask("delete", topic)
        fixture.wait_until(lambda: (topic,) not in self.ask("topics"), "the topic is gone")
        self.assertIn("UNKNOWN_TOPIC_OR_PARTITION", self.ask("delete", topic, code=1))
        self.assertIn(f"has no topic '{topic}'", self.ask("partitions", topic, code=1))

    def test_offsets(self):
        topic = self.topic(partitions=2)
        self.produce(topic, [Record(str(n), timestamp=1000 + n) for n in range(10)])
        self.assertEqual(self.ask("earliest", topic), [("0", "0"), ("1", "0")])
        self.assertEqual(self.ask("latest", topic), [("0", "10"), ("1", "0")])
        self.assertEqual(self.ask("time", topic, 1004), [("0", "4"), ("1", "0")])
        self.assertEqual(self.ask("time", topic, 2000), [("0", "10"), ("1", "0")])
        transaction = Transaction(self.client(), topic)
        transaction.produce(topic, 0, [Record("open")])
        self.assertEqual(self.ask("latest", topic)[0], ("0", "10"), "the last stable offset")
        transaction.commit()
        fixture.wait_until(lambda: self.ask("latest", topic)[0] == ("0", "12"), "the marker is written")

    def test_committed_offsets(self):
        topic, group = self.topic(partitions=3), self.topic("group")
        self.assertEqual(self.ask("committed", topic, group), [])
        with self.broker.client() as client:
            client.set_group_offsets(group, topic, {0: 5, 2: 7})
        self.assertEqual(self.ask("committed", topic, group), [("0", "5"), ("2", "7")])

    def test_the_cluster(self):
        if self.broker.version() < (2, 8):
            self.assertRegex(self.ask("cluster", code=1), r"does not serve DescribeCluster .*Kafka 2.8.0 or later .*YEOUL-4011")
            return
        (identity,), *brokers = self.ask("cluster")
        self.assertGreater(len(identity), 10)
        self.assertEqual(brokers, [("1", self.bootstrap, "controller")])


if __name__ == "__main__":
    fixture.main()
