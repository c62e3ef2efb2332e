#!/usr/bin/env python3
"""kafka/native and kafka/protocol against a real broker: what Kafka's own tools write and read has the last word."""
import pathlib
import re
import signal
import socket
import subprocess
import threading

import fixture
from fixture import Record, Transaction, console_line

COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
PROBE = pathlib.Path(fixture.yeoul_binary()).parent / "kafka_probe"


class NativeClientTest(fixture.BrokerTest):
    def probe(self, command, topic, *arguments, **options):
        return subprocess.run([PROBE, command, self.bootstrap, topic, *map(str, arguments)], text=True,
                              capture_output=True, timeout=fixture.PATIENCE_S, **options)

    def rows(self, topic, partitions=1, isolation="read_committed"):
        done = self.probe("consume", topic, partitions, isolation)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [tuple(line.split("\t")) for line in done.stdout.splitlines()]

    def test_reads_what_the_java_producer_writes(self):
        for compression in COMPRESSIONS:
            with self.subTest(compression):
                topic = self.topic(partitions=3)
                lines = [f"key-{i}\t{'value ' * (i % 40)}{i}" for i in range(5000)]
                self.broker.command("produce", topic, "--key-separator", "\t", "--compression", compression,
                                    "--property", "batch.size=20000", input="\n".join(lines) + "\n")
                rows = self.rows(topic, 3)
                self.assertCountEqual([f"{row[3]}\t{row[4]}" for row in rows], lines)
                for partition in "012":
                    offsets = [int(row[1]) for row in rows if row[0] == partition]
                    self.assertEqual(offsets, list(range(len(offsets))))

    def test_parts_of_records(self):
        topic = self.topic()
        self.produce(topic, [Record("v", "k", 1000, [("h", "x"), ("", None)]), Record(None, "gone", 2000), Record("", "", 3)])
        self.assertEqual(self.rows(topic), [("0", "0", "1000", "k", "v", "h=x", "=\\N"),
                                            ("0", "1", "2000", "gone", "\\N"), ("0", "2", "3", "", "")])
        appended = self.topic("appended", message_timestamp_type="LogAppendTime")
        self.produce(appended, [Record("v", None, 1000)])
        self.assertGreater(int(self.rows(appended)[0][2]), 1_600_000_000_000)

    def test_java_tools_read_what_is_written(self):
        lines = ["1000\tk\tv\th=x\tn=\\N", "2000\t\\N\tno key", "1500\tgone\t\\N", "3000\t\t"]
        lines += [f"{4000 + i}\tkey-{i}\t{'long ' * 50}{i}" for i in range(3000)]
        for compression in COMPRESSIONS:
            with self.subTest(compression):
                topic = self.topic()
                for _ in range(2):
                    done = self.probe("produce", topic, 0, compression, input="\n".join(lines) + "\n")
                    self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout, f"{len(lines)}\n")
                text = self.broker.command("consume", topic, "--from-beginning", "--keys", "--timestamps", "--headers",
                                           "--null-marker", "\\N")
                self.assertEqual(text.splitlines(), [console_line(*line.split("\t")) for line in lines] * 2)
                self.check_log(topic, compression, len(lines))

    def check_log(self, topic, compression, count):
        dump = self.broker.dump_log(topic)
        heads = re.findall(r"baseOffset: (\d+) lastOffset: (\d+) count: (\d+) .*?magic: (\d) compresscodec: (\w+) .*?"
                           r"isvalid: (\w+)", dump)
        self.assertEqual(heads, [("0", str(count - 1), str(count), "2", compression, "true"),
                                 (str(count), str(2 * count - 1), str(count), "2", compression, "true")])
        self.assertEqual(len(re.findall(r"^\| offset: ", dump, re.MULTILINE)), 2 * count)

    def test_transactions(self):
        topic = self.topic()
        client = self.client()
        transaction = Transaction(client, topic)
        transaction.produce(topic, 0, [Record("a"), Record("b")])
        transaction.commit()
        transaction.produce(topic, 0, [Record("aborted")])
        self.produce(topic, ["plain"])
        transaction.abort()
        transaction.produce(topic, 0, [Record("open")])
        self.assertEqual([row[4] for row in self.rows(topic)], ["a", "b", "plain"])
        self.assertEqual([row[4] for row in self.rows(topic, isolation="read_uncommitted")],
                         ["a", "b", "aborted", "plain", "open"])

    def test_records_that_were_read_and_are_not_there_any_more(self):
        """A position of a time when the partition held more, as after an unclean leader election."""
        topic = self.topic()
        self.produce(topic, [f"{n}" for n in range(10)])
        begin = ["--trace", "--at", "5@0", "follow"]
        done = subprocess.run([PROBE, *begin, self.bootstrap, topic, "1", "5"], text=True, capture_output=True,
                              timeout=fixture.PATIENCE_S)
        self.assertEqual([line.split("\t")[4] for line in done.stdout.splitlines()], [f"{n}" for n in range(5, 10)])
        # Before 2.7 brokers compare epochs only when they are asked to.
        self.assertEqual(": OffsetForLeaderEpoch #" in done.stderr, self.broker.version() < (2, 7))
        begin[2] = "20@0"
        lost = subprocess.run([PROBE, *begin, self.bootstrap, topic, "1", "5"], text=True, capture_output=True,
                              timeout=fixture.PATIENCE_S)
        self.assertEqual((lost.returncode, lost.stdout), (1, ""))
        self.assertIn(f"topic={topic} partition=0 offset=20: records were lost that had been read: the partition's leader "
                      "has others from offset 10 on", lost.stderr)

    def test_without_a_fetch_session_partitions_take_turns(self):
        self.broker = fixture.Broker()
        self.broker.start("--set", "max.incremental.fetch.session.cache.slots=0")
        self.addCleanup(self.broker.stop)
        self.bootstrap = self.broker.bootstrap
        topic, count = self.topic(partitions=4), 4000
        for partition in range(4):
            for _ in range(20):
                self.produce(topic, [Record("x" * 100) for _ in range(count // 20)], partition=partition)
        done = subprocess.run([PROBE, "--set", "fetch.max.bytes=60000", "follow", self.bootstrap, topic, "4", str(4 * count)],
                              text=True, capture_output=True, timeout=fixture.PATIENCE_S)
        partitions = [line.split("\t")[0] for line in done.stdout.splitlines()]
        self.assertEqual(len(partitions), 4 * count, done.stderr)
        self.assertEqual(set(partitions[:count]), {"0", "1", "2", "3"})

    def test_reads_on_when_the_broker_comes_back(self):
        self.use_own_broker()
        topic = self.topic(partitions=2)
        for partition in range(2):
            self.produce(topic, [f"before-{i}" for i in range(100)], partition)
        follower = subprocess.Popen([PROBE, "follow", self.bootstrap, topic, "2", "400"], text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(follower.kill)
        seen = []
        reader = threading.Thread(target=lambda: seen.extend(follower.stdout))
        reader.start()
        self.broker.kill()
        self.broker.start()
        for partition in range(2):
            self.produce(topic, [f"after-{i}" for i in range(100)], partition)
        self.assertEqual(follower.wait(fixture.PATIENCE_S), 0, follower.stderr.read())
        reader.join()
        for partition in "01":
            values = [line.rstrip("\n").split("\t")[4] for line in seen if line.startswith(partition)]
            self.assertEqual(values, [f"before-{i}" for i in range(100)] + [f"after-{i}" for i in range(100)])

    def test_the_loss_of_all_brokers_is_told(self):
        self.use_own_broker()
        topic = self.topic()
        self.produce(topic, ["before"])
        follower = subprocess.Popen([PROBE, "follow", self.bootstrap, topic, "1", "2"], text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(follower.kill)
        self.assertIn("before", follower.stdout.readline())
        self.broker.kill()
        told = next(line for line in follower.stderr if " WARN " in line)
        self.assertRegex(told, rf"no broker of {self.bootstrap} has been reached for \d+ s; the last attempt: .+")
        self.broker.start()
        self.produce(topic, ["after"])
        self.assertIn("is reached again", next(line for line in follower.stderr if " WARN " in line))
        self.assertEqual(follower.wait(fixture.PATIENCE_S), 0)

    def test_a_frozen_broker_is_waited_for(self):
        self.use_own_broker()
        topic = self.topic()
        self.produce(topic, ["x"])
        self.broker.send_signal(signal.SIGSTOP)
        self.addCleanup(self.broker.send_signal, signal.SIGCONT)
        timer = threading.Timer(1, self.broker.send_signal, [signal.SIGCONT])
        timer.start()
        self.assertEqual([row[4] for row in self.rows(topic)], ["x"])
        timer.join()

    def test_failures_say_why(self):
        missing = self.probe("produce", "no such topic!", 0, "none", input="1\tk\tv\n")
        self.assertEqual(missing.returncode, 1)
        self.assertRegex(missing.stderr, r"^(INVALID_TOPIC_EXCEPTION|UNKNOWN_TOPIC_OR_PARTITION)")
        with socket.create_server(("127.0.0.1", 0)) as closed:
            self.bootstrap = "127.0.0.1:%d" % closed.getsockname()[1]
        refused = self.probe("produce", "t", 0, "none", input="1\tk\tv\n")
        self.assertIn("Connection refused", refused.stderr)


if __name__ == "__main__":
    fixture.main()
