#!/usr/bin/env python3
"""The producer and transactions of kafka/native against a real broker: Kafka's own tools have the last word."""
import pathlib
import random
import re
import select
import struct
import subprocess

import fixture
from fixture import console_line, wait_until

COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
PROBES = pathlib.Path(fixture.yeoul_binary()).parent
END_TXN = 26


class Producer:
    """A produce_probe that is told line by line what to do."""

    def __init__(self, test, *arguments):
        self.process = subprocess.Popen([PROBES / "produce_probe", test.bootstrap, *arguments], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        test.addCleanup(self.close)

    def close(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()

    def say(self, *lines):
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def ask(self, line):
        """Gives a command and returns what came of it."""
        self.say(line)
        if not select.select([self.process.stdout], [], [], 2 * fixture.PATIENCE_S)[0]:
            self.process.kill()
            raise AssertionError(f"no answer to '{line}': {self.process.stderr.read()}")
        answer = self.process.stdout.readline().rstrip("\n")
        if not answer:
            self.process.kill()
            raise AssertionError(f"{line}: {self.process.stderr.read()}")
        return answer

    def end(self):
        """Closes its input; returns its exit code and standard error."""
        _, errors = self.process.communicate(timeout=fixture.PATIENCE_S)
        return self.process.returncode, errors


def record(value, key="\\N", partition=0, timestamp=-1, topic=0):
    return f"{topic}\t{partition}\t{timestamp}\t{key}\t{value}"


class NativeProducerTest(fixture.BrokerTest):
    def rows(self, topic, partitions, isolation="read_committed"):
        """Partition and value of all records."""
        done = subprocess.run([PROBES / "kafka_probe", "consume", self.bootstrap, topic, str(partitions), isolation],
                              text=True, capture_output=True, timeout=fixture.PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        return [(int(row[0]), row[4]) for row in rows]

    def values(self, topic, isolation="read_committed", partitions=1):
        return [value for _, value in self.rows(topic, partitions, isolation)]

    def produce_lines(self, topic, lines, *settings):
        producer = Producer(self, topic, *settings)
        producer.say(*lines)
        self.assertEqual(producer.ask("!flush"), "flush")
        self.assertEqual(producer.end(), (0, ""))

    def test_java_tools_read_what_is_written(self):
        lines = ["0\t0\t1000\tk\tv\th=x\tn=\\N", "0\t0\t0\t\\N\tno key", "0\t0\t1500\tgone\t\\N", "0\t0\t3000\t\t"]
        lines += [f"0\t0\t{4000 + i}\tkey-{i}\t{'long ' * (i % 100)}{i}" for i in range(5000)]
        for compression in COMPRESSIONS:
            with self.subTest(compression):
                topic = self.topic()
                self.produce_lines(topic, lines, "compression.type=" + compression, "linger.ms=20")
                text = self.broker.command("consume", topic, "--from-beginning", "--keys", "--timestamps", "--headers",
                                           "--null-marker", "\\N")
                self.assertEqual(text.splitlines(), [console_line(*line.split("\t")[2:]) for line in lines])
                self.check_log(topic, compression, len(lines))

    def check_log(self, topic, compression, count):
        """Sequence numbers without a gap, one producer."""
        dump = self.broker.dump_log(topic)
        heads = re.findall(r"baseOffset: (\d+) lastOffset: (\d+) count: \d+ baseSequence: (\d+) lastSequence: (\d+) "
                           r"producerId: (\d+) .*?magic: (\d) compresscodec: (\w+) .*?isvalid: (\w+)", dump)
        self.assertGreater(len(heads), 1)
        self.assertEqual({head[4:] for head in heads}, {(heads[0][4], "2", compression, "true")})
        expected = 0
        for base, last, first_sequence, last_sequence, *_ in heads:
            self.assertEqual((int(base), int(first_sequence)), (expected, expected))
            self.assertEqual(last, last_sequence)
            expected = int(last) + 1
        self.assertEqual(expected, count)
        self.assertEqual(len(re.findall(r"^\| offset: ", dump, re.MULTILINE)), count)

    def test_acks_and_sizes(self):
        # Without acknowledgements, more than a connection takes at once.
        for count, *settings in ((200000, "acks=0", "enable.idempotence=false"),
                                 (20000, "acks=1", "enable.idempotence=false"),
                                 (20000, "max.in.flight.requests.per.connection=1"), (5000, "batch.size=0"),
                                 (20000, "batch.size=1000000")):
            with self.subTest(settings):
                topic = self.topic(partitions=2)
                producer = Producer(self, topic, *settings)
                producer.say(f"!many {count} 2 50")
                producer.ask("!flush")
                self.assertEqual(producer.end(), (0, ""))
                wait_until(lambda: self.record_count(topic) == count, "all records are there")
                for partition in range(2):
                    numbers = [int(value.split()[0]) for value in self.values_of(topic, partition)]
                    self.assertEqual(numbers, sorted(numbers))

    def values_of(self, topic, partition):
        return [value for number, value in self.rows(topic, 2) if number == partition]

    def test_batches_above_the_topics_limit_are_split(self):
        topic = self.topic(max_message_bytes="20000")
        producer = Producer(self, topic, "batch.size=500000", "linger.ms=50", "compression.type=lz4")
        lines = [record(f"{i} " + "".join(chr(33 + (i * j * 7919) % 90) for j in range(900))) for i in range(300)]
        producer.say(*lines)
        producer.ask("!flush")
        self.assertEqual(self.values(topic), [line.split("\t")[4] for line in lines])
        producer.say(record("".join(random.Random(1).choices("0123456789abcdefghijklmnopqrstuvwxyz", k=40000))))
        producer.say("!flush")
        code, errors = producer.end()
        self.assertEqual(code, 1)
        self.assertRegex(errors, rf"topic={topic} partition=0: records 300 to 300 .*MESSAGE_TOO_LARGE.*max.message.bytes")

    def test_a_quota_is_waited_for(self):
        self.use_own_broker()
        if self.broker.version() < (4,):
            self.skipTest("the tool that sets quotas has another name")
        self.broker.command("tool", "org.apache.kafka.tools.ConfigCommand", "--bootstrap-server", self.bootstrap, "--alter",
                            "--entity-type", "clients", "--entity-default", "--add-config", "producer_byte_rate=25000")
        topic = self.topic()
        # A batch takes longer than a request may, and others wait behind it.
        producer = Producer(self, topic, "batch.size=100000", "request.timeout.ms=3000", "linger.ms=20")
        lines = [record(f"{i} {'x' * 1000}") for i in range(400)]
        producer.say(*lines)
        self.assertEqual(producer.ask("!flush"), "flush")
        code, errors = producer.end()
        self.assertEqual(code, 0)
        self.assertRegex(errors, r"broker 1 \(.*\): a quota of this user or client id holds it back, for \d+ ms this time")
        self.assertNotIn("no answer to Produce", errors)
        self.assertEqual(self.values(topic), [line.split("\t")[4] for line in lines])

    def test_nothing_is_lost_or_doubled_when_the_broker_is_killed(self):
        self.use_own_broker()
        topic = self.topic(partitions=3)
        producer = Producer(self, topic, "buffer.memory=2000000", "linger.ms=1")
        for kill in range(2):
            producer.say("!many 60000 3 100")
            wait_until(lambda: self.record_count(topic) > kill * 60000 + 5000, "some records are there")
            self.broker.kill()
            self.broker.start()
            self.assertEqual(producer.ask("!flush"), "flush")
            numbers = [int(value.split()[0]) for value in self.values(topic, partitions=3)]
            self.assertEqual(sorted(numbers), sorted(list(range(60000)) * (kill + 1)))
        rounds, last = [0] * 3, [-1] * 3
        for partition, value in self.rows(topic, 3):
            number = int(value.split()[0])
            rounds[partition] += number < last[partition]
            last[partition] = number
        self.assertEqual(rounds, [1, 1, 1])  # in order within each of the two rounds
        code, told = producer.end()
        # A broker that takes long to start is told of.
        told = [line for line in told.splitlines() if not re.search("records have been waiting|wait for long any more", line)]
        self.assertEqual((code, told), (0, []))

    def test_failures_say_why(self):
        producer = Producer(self, "no such topic!", "max.block.ms=2000")
        producer.say(record("x"))
        self.assertRegex(producer.end()[1], r"INVALID_TOPIC_EXCEPTION.*YEOUL-4001")
        self.bootstrap = "127.0.0.1:1"
        producer = Producer(self, "t", "max.block.ms=1000")
        producer.say(record("x"))
        self.assertRegex(producer.end()[1], r"no metadata of topic 't' from 127.0.0.1:1 within 1000 ms.*Connection refused")


class NativeTransactionTest(fixture.BrokerTest):
    rows, values = NativeProducerTest.rows, NativeProducerTest.values

    def unique(self):
        return "id-" + self.topic("transactional").replace("transactional", "")

    def end_transaction(self, transactional_id, producer_id, epoch, commit=True):
        """EndTxn by hand, as a request that comes late: the coordinator's error code, 0 for none."""
        text = transactional_id.encode()
        with self.broker.client() as client:
            reader = client.call(END_TXN, 1, struct.pack(">h", len(text)) + text +
                                 struct.pack(">qhb", producer_id, epoch, commit))
            reader.i32()  # throttle time
            return reader.i16()

    def test_commits_and_aborts(self):
        for version in (2, 1):
            with self.subTest(version):
                topic, name = self.topic(partitions=2), self.unique()
                producer = Producer(self, topic, "transactional.id=" + name, f"transaction.version={version}")
                self.assertEqual(producer.ask("!init"), "init")
                for number in range(6):
                    producer.say("!begin", record(f"a{number}"), record(f"b{number}", partition=1))
                    producer.say(*["!flush"] if number % 2 else [])
                    if number % 2:
                        self.assertEqual(producer.process.stdout.readline(), "flush\n")
                    end = "abort" if number % 3 == 1 else "commit"
                    self.assertEqual(producer.ask("!" + end), end)
                producer.say("!begin")
                self.assertEqual(producer.ask("!prepare"), "prepare nothing")
                self.assertEqual(producer.ask("!commit"), "commit")
                self.assertEqual(producer.end(), (0, ""))
                self.await_values(["a0", "a2", "a3", "a5", "b0", "b2", "b3", "b5"], topic, partitions=2)
                text = self.broker.command("tool", "org.apache.kafka.tools.consumer.ConsoleConsumer", "--bootstrap-server",
                                           self.bootstrap, "--topic", topic, "--from-beginning", "--isolation-level",
                                           "read_committed", "--max-messages", "8")
                self.assertEqual(sorted(text.split()), sorted(self.values(topic, partitions=2)))

    def await_values(self, expected, topic, partitions=1):
        """Brokers write the markers of an end after they have answered it."""
        wait_until(lambda: sorted(self.values(topic, partitions=partitions)) == expected, f"{expected} can be read")

    def prepared(self, *arguments, value="x"):
        producer = Producer(self, *arguments)
        producer.ask("!init")
        producer.say("!begin", record(value))
        _, name, producer_id, epoch = producer.ask("!prepare").split()
        return producer, name, int(producer_id), int(epoch)

    def test_a_late_commit_does_not_touch_the_next_transaction(self):
        for version in (2, 1):
            with self.subTest(version):
                topic, name = self.topic(), self.unique()
                producer, *first = self.prepared(topic, "transactional.id=" + name, f"transaction.version={version}",
                                                 value="first")
                self.assertEqual(producer.ask("!commit"), "commit")
                self.end_transaction(*first)  # harmless: it is committed
                producer.say("!begin", record("second"))
                producer.ask("!prepare")
                for _ in range(3):
                    self.assertNotEqual(self.end_transaction(*first), 0)
                    self.assertNotEqual(self.end_transaction(*first, commit=False), 0)
                self.await_values(["first"], topic)
                self.assertEqual(producer.ask("!abort"), "abort")
                self.assertEqual(self.values(topic), ["first"])

    def test_a_transaction_is_committed_after_its_producer_was_killed(self):
        tells = self.broker.version() >= (3, 0)  # which transactions there are
        for version in (2, 1):
            with self.subTest(version):
                topic, name = self.topic(partitions=2), self.unique()
                producer, _, *identity = self.prepared(topic, "transactional.id=" + name, f"transaction.version={version}",
                                                       value="kept")
                producer.process.kill()
                producer.process.wait()
                identity = " ".join(map(str, identity))
                other = Producer(self, topic)
                if tells:
                    self.assertEqual(other.ask("!list " + name), f"list {name}=Ongoing")
                    self.assertEqual(other.ask("!describe " + name), f"Ongoing {identity} 60000 {topic}-0")
                self.assertEqual(self.values(topic), [])
                self.assertEqual(other.ask(f"!resume {name} {identity}"), "done")
                self.await_values(["kept"], topic, partitions=2)
                self.assertEqual(other.ask(f"!resume {name} {identity}"), "done")
                # Whoever uses the id next is not touched by a commit that comes once more.
                following, *_ = self.prepared(topic, "transactional.id=" + name, value="next")
                self.assertRegex(other.ask(f"!resume {name} {identity}"), "refused .*ProducerFencedException")
                self.assertEqual(other.ask("!finish " + name), "done")
                self.assertEqual(self.values(topic, partitions=2), ["kept"])
                following.say("!commit")
                self.assertIn("ProducerFencedException", following.end()[1])
                if tells:
                    self.assertEqual(other.ask("!describe never-seen"), "unknown")
                self.assertRegex(other.ask("!resume never-seen 5 0"), "refused .*INVALID_PRODUCER_ID_MAPPING")

    def test_a_transaction_outlives_the_broker(self):
        self.use_own_broker()
        topic, name = self.topic(), self.unique()
        producer, *prepared = self.prepared(topic, "transactional.id=" + name, value="x")
        self.broker.kill()
        producer.say("!commit")
        self.broker.start()
        self.assertEqual(producer.process.stdout.readline(), "commit\n")
        producer.say("!begin", record("y"))
        producer.ask("!prepare")
        self.await_values(["x"], topic)
        self.assertEqual(producer.ask("!commit"), "commit")
        self.await_values(["x", "y"], topic)

    def test_a_new_producer_fences_the_old_one(self):
        for version in (2, 1):
            with self.subTest(version):
                topic, name = self.topic(), self.unique()
                arguments = topic, "transactional.id=" + name, f"transaction.version={version}"
                old, *_ = self.prepared(*arguments, value="old")
                new, *_ = self.prepared(*arguments, value="new")
                old.say("!commit")
                code, errors = old.end()
                self.assertEqual(code, 1)
                self.assertRegex(errors, rf"{name}: committing: .*ProducerFencedException.*transaction.timeout.ms' = 60000")
                self.assertEqual(new.ask("!commit"), "commit")
                # Brokers write the end of a transaction when they have confirmed it.
                wait_until(lambda: self.values(topic) == ["new"], "the new producer's record can be read")

    def test_a_transaction_that_takes_too_long(self):
        topic, name = self.topic(), self.unique()
        producer, *_ = self.prepared(topic, "transactional.id=" + name, "transaction.timeout.ms=1000")
        wait_until(lambda: len(self.values(topic, "read_uncommitted")) == 1 and self.end_offsets(topic)[0] == 2,
                   "the broker aborts it")
        producer.say("!commit")
        self.assertRegex(producer.end()[1], rf"{name}: committing: .*ProducerFencedException.*transaction.timeout.ms' = 1000")
        self.assertEqual(self.values(topic), [])

    def test_a_timeout_that_the_broker_does_not_allow(self):
        producer = Producer(self, self.topic(), "transactional.id=" + self.unique(), "transaction.timeout.ms=3600000")
        producer.say("!init")
        self.assertRegex(producer.end()[1], r"'transaction.timeout.ms' = 3600000 .*'transaction.max.timeout.ms'.*YEOUL-2010")


if __name__ == "__main__":
    fixture.main()
