#!/usr/bin/env python3
"""The DataStream API on Kafka: the example program reads, adds up, writes, and goes on after kill -9; and what sources'
and sinks' builders promise, by the programs of datastream_probe.cpp."""
import pathlib
import re
import struct
import subprocess

import fixture

PROGRAM = pathlib.Path(fixture.yeoul_binary()).parent / "example_kafka_to_kafka"
PROBE = pathlib.Path(fixture.yeoul_binary()).parent / "datastream_probe"


class DataStreamTest(fixture.BrokerTest):
    def run_program(self, *arguments):
        return subprocess.run([str(PROGRAM), self.bootstrap, *arguments], cwd=self.folder, capture_output=True,
                              text=True, timeout=fixture.PATIENCE_S, check=False)

    def totals(self, topic):
        """The last total of each customer."""
        return dict(self.consume(topic))

    def test_totals(self):
        orders, totals = self.topic(partitions=2), self.topic(partitions=2)
        self.produce(orders, ["ana,20", "bo,5", "ana,1"], partition=0)
        self.produce(orders, ["bo,7", None, "cy,3"], partition=1)
        done = self.run_program(orders, totals, "--until-now")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.totals(totals), {"ana": "21", "bo": "12", "cy": "3"})

    def test_a_bad_record_is_named(self):
        orders, totals = self.topic(), self.topic()
        self.produce(orders, ["ana,20", "nonsense"])
        done = self.run_program(orders, totals, "--until-now")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, fixture.position(orders, 0, 1))
        self.assertIn("'nonsense' is no order", done.stderr)

    def start_program(self, *arguments):
        with open(self.folder / "stderr.txt", "ab") as err:
            process = subprocess.Popen([str(PROGRAM), self.bootstrap, *arguments], cwd=self.folder, stderr=err)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_goes_on_after_a_kill(self):
        orders, totals = self.topic(), self.topic()
        self.produce(orders, ["ana,1"] * 100)
        process = self.start_program(orders, totals)
        fixture.wait_until(lambda: self.totals(totals).get("ana") == "100", "the first totals are written")
        after = max(fixture.completed_checkpoints(self.folder), default=0)
        fixture.wait_until(lambda: max(fixture.completed_checkpoints(self.folder), default=0) > after,
                           "a checkpoint holds them")
        process.kill()
        process.wait()
        self.produce(orders, ["ana,1", "bo,1"])
        self.start_program(orders, totals, "--restore")
        fixture.wait_until(lambda: self.totals(totals) == {"ana": "101", "bo": "1"}, "the totals go on")


class BuilderTest(fixture.BrokerTest):
    def probe(self, *arguments, code=0):
        """Runs a program and returns what it printed, or its error where it is to fail."""
        done = subprocess.run([str(PROBE), self.bootstrap, *map(str, arguments)], cwd=self.folder, capture_output=True,
                              text=True, timeout=fixture.PATIENCE_S, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr if code else done.stdout.splitlines()

    def topics(self, letters, partitions=1):
        """Topics PREFIX + letter; their prefix."""
        prefix = self.topic("unused") + "-"
        with self.broker.client() as client:
            client.create_topics([prefix + letter for letter in letters], partitions)
        return prefix

    def test_json(self):
        """Records in the usual form and in others, of two partitions, are the same records."""
        fares, doubled = self.topic(partitions=2), self.topic()
        usual = [f'{{"city":"Jeju","price":{n}.5,"at":"2026-01-02 03:04:05.{n:03}"}}' for n in range(200)]
        self.produce(fares, usual, partition=0)
        self.produce(fares, ['{ "at": "2026-01-02 03:04:05", "city": "\\uc5ec\\uc6b8", "more": [1] }', "", None,
                             '{"city":"Busan","price":null,"at":"2026-01-02 03:04:05.5"}'] + usual[:100], partition=1)
        self.probe("json", fares, doubled)
        expected = [f'{{"city":"Jeju","price":{2 * n + 1}.0,"at":"2026-01-02 03:04:05.{n:03}"}}' for n in range(200)]
        expected = [line if not line.endswith('0"}') else re.sub(r'\.?0+"}$', '"}', line) for line in expected]
        expected += expected[:100] + ['{"city":"\uc5ec\uc6b8","price":null,"at":"2026-01-02 03:04:05"}',
                                      '{"city":"Busan","price":null,"at":"2026-01-02 03:04:05.5"}']
        self.assertEqual(sorted(value for _, value in self.consume(doubled)), sorted(expected))

    def test_json_that_cannot_be_read_is_named_or_passed_over(self):
        fares, doubled = self.topic(), self.topic()
        self.produce(fares, ['{"city":"Jeju","price":1,"at":"2026-01-02 03:04:05"}', '{"city":"Jeju","at":"noon"}'])
        error = self.probe("json", fares, doubled, code=1)
        self.assertRegex(error, fixture.position(fares, 0, 1))
        self.assertIn("field 'at'", error)
        self.probe("json", fares, doubled, "ignore")
        self.assertEqual(self.consume(doubled)[-1], (None, '{"city":"Jeju","price":2.0,"at":"2026-01-02 03:04:05"}'))

    def test_records_go_to_the_topics_they_name(self):
        out = self.topics("ab")
        self.probe("selector", out, "a:1", "b:2", "a:3")
        self.assertEqual(self.consume(out + "a"), [("a", "1"), ("a", "3")])
        self.assertEqual(self.consume(out + "b"), [("b", "2")])

    def test_a_topic_that_is_none_is_named(self):
        out = self.topics("a")
        error = self.probe("selector", out, "a:1", "?:2", code=1)
        self.assertIn(f"topic '{out}?', which is no name of a topic", error)

    def test_brokers_may_make_a_topic_that_is_named_first(self):
        out = self.topics("a")
        self.probe("selector", out, "a:1", "z:2", "a:3")
        self.assertEqual(self.consume(out + "a"), [("a", "1"), ("a", "3")])
        self.assertEqual(self.consume(out + "z"), [("z", "2")])

    def test_each_subtask_writes_to_one_partition(self):
        for parallelism in (2, 4):
            out = self.topic("out", 2)
            self.probe("fixed", out, parallelism)
            lines = [line.split() for line in self.probe("read", out)]
            self.assertEqual(len(lines), 100)
            written = {(line[0].split("/")[1][0], line[2]) for line in lines}
            self.assertEqual(written, {(str(n % 2), str(n)) for n in range(parallelism)})

    def test_the_program_chooses_partitions(self):
        out = self.topic("out", 3)
        self.probe("partition", out, 2, 0, 2)
        self.assertEqual(sorted(self.probe("read", out)), [f"{out}/0@0 null 0", f"{out}/2@0 null 2", f"{out}/2@1 null 2"])
        error = self.probe("partition", out, 3, code=1)
        self.assertIn(f"partition 3 of topic '{out}', which has partitions 0 to 2", error)

    def test_a_schema_of_the_programs_own_makes_whole_records(self):
        out = self.topics("ab", 3)
        self.probe("own", out, "a1", "skip", "b2", "a", "a3")
        read = self.probe("read", out + "a", out + "b")
        self.assertEqual(sorted(read), [f"{out}a/2@0 a1 1 of null", f"{out}a/2@1 a null of null",
                                        f"{out}a/2@2 a3 3 of null", f"{out}b/2@0 b2 2 of null"])

    def test_kafkas_own_serializers(self):
        out = self.topic("out")
        self.probe("longs", out, 1, -2, 3000000000)
        self.assertEqual(self.probe("read-longs", out), ["1", "-2", "3000000000"])
        self.produce(out, [struct.pack(">q", 4), b"1234567"])
        error = self.probe("read-longs", out, code=1)
        self.assertRegex(error, fixture.position(out, 0, 4))
        self.assertIn("7 bytes", error)

    def test_several_topics_and_single_partitions(self):
        first, second = self.topic("first", 2), self.topic("second", 6)
        for topic, partition, value in ((first, 0, "a0"), (first, 1, "a1"), (second, 5, "b5"), (second, 0, "b0")):
            self.produce(topic, [value], partition)
        read = self.probe("read", first, second)
        self.assertEqual(sorted(line.split()[2] for line in read), ["a0", "a1", "b0", "b5"])
        self.assertEqual(sorted(self.probe("read-partitions", f"{first}:0", f"{second}:5")), ["a0", "b5"])


if __name__ == "__main__":
    fixture.main()
