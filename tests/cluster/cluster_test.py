#!/usr/bin/env python3
"""Our own Kafka client and a cluster whose brokers are killed, frozen, restarted, and lose records."""
import collections
import pathlib
import re
import subprocess
import sys
import threading
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import Cluster, fixture, wait_until  # noqa: E402

PROBES = pathlib.Path(fixture.yeoul_binary()).parent
PARTITIONS = 6
CHUNK = 20_000


class Follower:
    """kafka_probe follow: what it has read so far, as lists of (partition, offset, value)."""

    def __init__(self, test, topic, partitions, count, *options):
        self.process = subprocess.Popen([PROBES / "kafka_probe", *options, "follow", test.cluster.bootstrap, topic,
                                         str(partitions), str(count)], text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.rows, self.errors = [], []
        self.threads = [threading.Thread(target=self.read_rows), threading.Thread(target=self.read_errors)]
        for thread in self.threads:
            thread.start()
        test.addCleanup(self.process.kill)

    def read_rows(self):
        for line in self.process.stdout:
            partition, offset, _, _, value = line.rstrip("\n").split("\t")
            self.rows.append((int(partition), int(offset), value))

    def read_errors(self):
        self.errors.extend(self.process.stderr)

    def wait_for(self, count):
        def poll():
            if self.process.poll() is not None and len(self.rows) < count:
                raise AssertionError(f"it ended with code {self.process.returncode}: {''.join(self.errors)}")
            return len(self.rows) >= count

        wait_until(poll, f"{count} records are read", timeout=120)

    def fetched_bytes(self):
        """What each broker has answered to fetches, by the trace of requests."""
        answers = re.findall(r"broker (\d+) \(.*?\): Fetch #\d+ answered after \d+ ms with (\d+) bytes", "".join(self.errors))
        return collections.Counter({number: sum(int(size) for broker, size in answers if int(broker) == number)
                                    for number in Cluster.BROKERS})

    def end(self):
        code = self.process.wait(fixture.PATIENCE_S)
        for thread in self.threads:
            thread.join()
        return code, "".join(self.errors)


class ClusterTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()

    def create(self, topic, partitions, *settings):
        subprocess.run([PROBES / "admin_probe", self.cluster.bootstrap, "create", topic, str(partitions), "3", *settings],
                       check=True, timeout=fixture.PATIENCE_S)

    def leaders(self, asked, topic):
        with self.cluster.client(asked) as client:
            return set(client.leaders(topic).values())

    def produce(self, topic, values):
        """With the Java client, which waits until the records are safe."""
        self.cluster.nodes[2].command("produce", topic, "--bootstrap", self.cluster.bootstrap,
                                      input="".join(f"{value}\n" for value in values))

    def test_nothing_is_lost_or_read_twice_while_brokers_come_and_go(self):
        topic = "moving"
        self.create(topic, PARTITIONS, "min.insync.replicas=2")
        steps = [lambda: None]
        for number in Cluster.BROKERS:
            steps += [lambda n=number: self.cluster.kill(n), lambda n=number: self.cluster.restart(n)]
        steps += [lambda: self.cluster.freeze(3), lambda: self.cluster.thaw(3)]
        follower = Follower(self, topic, PARTITIONS, CHUNK * len(steps))
        for number, step in enumerate(steps):
            step()
            self.produce(topic, range(CHUNK * number, CHUNK * (number + 1)))
            follower.wait_for(CHUNK * (number + 1))
        code, errors = follower.end()
        self.assertEqual(code, 0, errors)
        self.assertEqual(sorted(int(value) for _, _, value in follower.rows), list(range(CHUNK * len(steps))))
        for partition in range(PARTITIONS):
            offsets = [offset for at, offset, _ in follower.rows if at == partition]
            self.assertEqual(offsets, list(range(len(offsets))))

    def test_records_come_from_the_replica_of_the_rack_while_it_lives(self):
        topic, sent = "racks", 0
        self.create(topic, 1, "min.insync.replicas=2")
        leader = self.cluster.leader(topic, 0, 2, Cluster.BROKERS)
        near = next(number for number in Cluster.BROKERS if number != leader)
        follower = Follower(self, topic, 1, 10 * CHUNK, "--trace", "--set", f"client.rack={Cluster.rack(near)}")

        def fetched_from():
            """Which broker gave the records that are written now."""
            nonlocal sent
            before = follower.fetched_bytes()
            self.produce(topic, range(sent, sent + CHUNK))
            sent += CHUNK
            follower.wait_for(sent)
            (number, size), *_ = (follower.fetched_bytes() - before).most_common()
            self.assertGreater(size, 100_000)
            return number

        def wait_until_near_is_asked():
            asked = f"broker {near} ({self.cluster.addresses[near]}): Fetch #"
            before = "".join(follower.errors).count(asked)
            wait_until(lambda: "".join(follower.errors).count(asked) > before + 2, "the replica is asked")

        wait_until_near_is_asked()
        self.assertEqual(fetched_from(), near)
        self.cluster.kill(near)
        self.assertNotEqual(fetched_from(), near)
        self.cluster.restart(near)
        wait_until_near_is_asked()
        self.assertEqual(fetched_from(), near)
        self.assertEqual([int(value) for _, _, value in follower.rows], list(range(sent)))

    def test_records_without_keys_go_where_there_is_a_leader(self):
        topic, count = "one_replica", 200_000
        subprocess.run([PROBES / "admin_probe", self.cluster.bootstrap, "create", topic, "6", "1"], check=True,
                       timeout=fixture.PATIENCE_S)
        leaders = {}

        def all_led():
            with self.cluster.client(2) as client:
                leaders.update(client.leaders(topic))
            return len(leaders) == 6 and -1 not in leaders.values()

        wait_until(all_led, "all partitions have leaders")
        gone = leaders[0]
        self.cluster.kill(gone)
        for number in set(Cluster.BROKERS) - {gone}:
            wait_until(lambda n=number: gone not in self.leaders(n, topic), "the broker is known to be gone")
        try:
            done = subprocess.run([fixture.yeoul_binary(), "run", "--quiet", "/dev/stdin"], input=f"""
                CREATE TABLE t (n BIGINT) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json',
                  'properties.bootstrap.servers' = '{self.cluster.bootstrap}', 'properties.delivery.timeout.ms' = '40000');
                CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'datagen', 'fields.n.kind' = 'sequence',
                  'fields.n.start' = '1', 'fields.n.end' = '{count}');
                INSERT INTO t SELECT n FROM numbers;""", text=True, capture_output=True, timeout=fixture.PATIENCE_S)
            self.assertEqual(done.returncode, 0, done.stderr)
        finally:
            self.cluster.restart(gone)
        follower = Follower(self, topic, 6, count)
        self.assertEqual(follower.end()[0], 0)
        self.assertEqual(len(follower.rows), count)
        self.assertEqual({partition for partition, _, _ in follower.rows},
                         {partition for partition, leader in leaders.items() if leader != gone})

    def test_records_that_an_unclean_election_loses_are_missed(self):
        topic = "unclean"
        self.create(topic, 1, "unclean.leader.election.enable=true", "min.insync.replicas=1")
        self.produce(topic, range(10))
        follower = Follower(self, topic, 1, 1000)
        follower.wait_for(10)
        leader = self.cluster.leader(topic, 0, 2, Cluster.BROKERS)
        heir, other = [number for number in Cluster.BROKERS if number != leader]
        self.cluster.kill(heir)
        self.cluster.kill(other)
        self.produce(topic, range(10, 20))
        follower.wait_for(20)
        self.cluster.kill(leader)
        self.cluster.restart(heir)
        self.cluster.leader(topic, 0, heir, [heir])
        self.produce(topic, range(100, 130))
        code, errors = follower.end()
        self.assertEqual(code, 1, errors)
        self.assertIn("topic=unclean partition=0 offset=20: records were lost that had been read", errors)
        self.assertIn("from offset 10 on", errors)
        self.assertEqual(len(follower.rows), 20)
        for number in (leader, other):
            self.cluster.restart(number)


if __name__ == "__main__":
    fixture.main()
