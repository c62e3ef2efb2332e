#!/usr/bin/env python3
"""Records flow through our own producer and consumer, over a network that breaks, to and from a cluster whose brokers
come and go: none is lost, none comes twice, the order of each partition is kept.

RECORDS (default 500,000) plain, TRANSACTIONAL_RECORDS (a tenth of them) in transactions; SEED decides what happens when.
"""
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import Cluster, fixture, wait_until  # noqa: E402

PROBES = pathlib.Path(fixture.yeoul_binary()).parent
RECORDS = int(os.environ.get("RECORDS") or 500_000)
TRANSACTIONAL_RECORDS = int(os.environ.get("TRANSACTIONAL_RECORDS") or RECORDS // 10)
SEED = int(os.environ.get("SEED") or time.time())
PARTITIONS = 6
VALUE_BYTES = 60
# So that what a broker holds back is given up soon.
REQUEST_TIMEOUT_MS = 4000
PATIENCE_S = 240 + max(RECORDS, TRANSACTIONAL_RECORDS) // 10_000


class Flow:
    """A producer and a consumer of one topic. What they say goes to files."""

    def __init__(self, test, topic, count, transactional):
        self.test, self.count, self.sent, self.transactional = test, count, 0, transactional
        self.folder = test.folder
        settings = [f"request.timeout.ms={REQUEST_TIMEOUT_MS}", "linger.ms=5"]
        settings += [f"transactional.id={topic}", "transaction.timeout.ms=60000"] if transactional else []
        self.log = open(self.folder / f"{topic}-writer.log", "w+")
        self.writer = subprocess.Popen([PROBES / "produce_probe", test.cluster.bootstrap, topic, *settings], text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)
        self.reader = subprocess.Popen([PROBES / "kafka_probe", "--set", f"request.timeout.ms={REQUEST_TIMEOUT_MS}", "check",
                                        test.cluster.bootstrap, topic, str(PARTITIONS), str(count),
                                        "gaps" if transactional else "no-gaps"],
                                       text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for process in (self.writer, self.reader):
            test.addCleanup(process.kill)
        self.verdict = ""
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()
        if transactional:
            self.ask("!init")

    def listen(self):
        self.verdict = self.reader.stdout.read()

    def say(self, *lines):
        self.writer.stdin.write("".join(line + "\n" for line in lines))
        self.writer.stdin.flush()

    def ask(self, line):
        self.say(line)
        answer = self.writer.stdout.readline().rstrip("\n")
        if answer != line.removeprefix("!"):
            self.log.seek(0)
            raise AssertionError(f"the producer's answer to {line} is '{answer}': {self.log.read()}")

    def send(self, count):
        """More records; waits until the earlier ones are safe if they are a transaction."""
        count = min(count, self.count - self.sent)
        if count <= 0:
            return
        self.say(*["!begin"] if self.transactional else [], f"!many {count} {PARTITIONS} {VALUE_BYTES} {self.sent}")
        self.sent += count
        if self.transactional:
            self.ask("!commit")

    def check(self):
        try:
            self.thread.join(PATIENCE_S)
            if self.thread.is_alive():
                self.reader.terminate()
                self.test.fail(f"the consumer did not get all within {PATIENCE_S} s: {self.reader.stderr.read()}")
            code = self.reader.wait(fixture.PATIENCE_S)
            self.test.assertEqual((code, self.verdict), (0, f"{self.count} records, each once and in order\n"),
                                  self.reader.stderr.read())
        finally:
            self.reader.kill()


class FlowTest(fixture.BrokerTest):
    @classmethod
    def setUpClass(cls):
        print(f"  SEED={SEED} RECORDS={RECORDS} TRANSACTIONAL_RECORDS={TRANSACTIONAL_RECORDS}", flush=True)
        cls.cluster = Cluster(proxy_seed=SEED)

    def setUp(self):
        super().setUp(self.cluster.nodes[2])
        self.random = random.Random(SEED)

    def create(self, topic):
        subprocess.run([PROBES / "admin_probe", self.cluster.bootstrap, "create", topic, str(PARTITIONS), "3",
                        "min.insync.replicas=2"], check=True, timeout=fixture.PATIENCE_S)

    def troubles(self):
        """What happens to which broker and for how long, and how long it is well afterwards."""
        cluster = self.cluster
        ends = {cluster.kill: cluster.restart, cluster.freeze: cluster.thaw, cluster.hide: cluster.show}
        for begin in (cluster.kill, cluster.freeze, cluster.hide, cluster.hide, cluster.freeze, cluster.kill):
            yield (begin, ends[begin], self.random.choice(Cluster.BROKERS),
                   self.random.uniform(2, 3 + REQUEST_TIMEOUT_MS / 1000), self.random.uniform(2, 4))

    def wait_until_whole(self, topic):
        """All replicas are in sync again: with fewer than two nothing could be written when the next is lost."""

        def poll():
            text = self.cluster.nodes[2].command("topic", "describe", topic, "--bootstrap", self.cluster.addresses[3])
            replicas = re.findall(r"Isr: ([\d,]+)", text)
            return len(replicas) == PARTITIONS and all(isr.count(",") == 2 for isr in replicas)

        wait_until(poll, "all replicas are in sync")

    def feed(self, flow, stop):
        """Sends at an even pace, so that records flow all the time; what is left when the troubles are over, at once."""
        pace_s, num_paces = 0.25, self.total_s / 0.25
        while not stop.wait(pace_s) and flow.sent < flow.count:
            flow.send(int(flow.count / num_paces) + 1)
        while flow.sent < flow.count:
            flow.send(flow.count if not flow.transactional else max(5000, flow.count // 200))

    def run_flow(self, topic, count, transactional):
        self.create(topic)
        troubles = list(self.troubles())
        self.total_s = sum(ill_s + well_s for *_, ill_s, well_s in troubles) + 20
        flow = Flow(self, topic, count, transactional)
        stop, failed, failure = threading.Event(), threading.Event(), []
        self.addCleanup(stop.set)

        def feed():
            try:
                self.feed(flow, stop)
                flow.ask("!flush")
            except Exception as error:  # told below
                failure.append(error)
                failed.set()

        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        self.cluster.proxy.tell("wild")
        try:
            # One broker at a time, the next when it is whole again.
            for begin, end, number, ill_s, well_s in troubles:
                begin(number)
                failed.wait(ill_s)
                end(number)
                self.wait_until_whole(topic)
                if failed.wait(well_s):
                    break
        finally:
            stop.set()
            feeder.join(PATIENCE_S)
            self.cluster.proxy.tell("calm")
        self.assertFalse(failure, failure)
        self.assertFalse(feeder.is_alive(), f"{flow.sent} records were given to the producer, which does not get on")
        flow.check()

    def test_records_flow(self):
        self.run_flow("flow", RECORDS, False)

    def test_transactions_flow(self):
        self.run_flow("transactions", TRANSACTIONAL_RECORDS, True)

    @classmethod
    def tearDownClass(cls):
        print(f"  faults: {cls.cluster.proxy.end()}", flush=True)


if __name__ == "__main__":
    fixture.main()
