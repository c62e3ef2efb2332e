#!/usr/bin/env python3
"""The DataStream API on Kafka: the example program reads, adds up, writes, and goes on after kill -9."""
import pathlib
import subprocess

import fixture

PROGRAM = pathlib.Path(fixture.yeoul_binary()).parent / "example_kafka_to_kafka"


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


if __name__ == "__main__":
    fixture.main()
