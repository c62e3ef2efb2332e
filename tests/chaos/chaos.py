#!/usr/bin/env python3
"""Kills jobs and their broker again and again while records flow, and compares what comes out with what went in.

Each round has topics, a counting job (upsert-kafka) and a copying job (kafka, at least once) of its own, and a series of
faults drawn from the seed. The counts must be exact, and no record may be missing from the copy.
"""
import argparse
import collections
import json
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "broker"))
import fixture  # noqa: E402

POLL_S = 0.05
SETTINGS = """
SET 'pipeline.name' = '{name}';
SET 'parallelism.default' = '{parallelism}';
SET 'execution.checkpointing.interval' = '100 ms';
SET 'restart-strategy.type' = 'fixed-delay';
SET 'restart-strategy.fixed-delay.attempts' = '1000000';
SET 'restart-strategy.fixed-delay.delay' = '100 ms';
CREATE TABLE source (k STRING, v BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '{source}', 'properties.bootstrap.servers' = '{bootstrap}', 'format' = 'json',
  'scan.startup.mode' = 'earliest-offset', 'scan.topic-partition-discovery.interval' = '500 ms');
"""
COUNT = """
CREATE TABLE sink (k STRING, n BIGINT, s BIGINT, u BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '{sink}', 'properties.bootstrap.servers' = '{bootstrap}',
  'key.format' = 'json', 'value.format' = 'json');
INSERT INTO sink SELECT k, COUNT(*), SUM(v), COUNT(DISTINCT v) FROM source GROUP BY k;
"""
COPY = """
CREATE TABLE sink (k STRING, v BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '{sink}', 'properties.bootstrap.servers' = '{bootstrap}', 'format' = 'json');
INSERT INTO sink SELECT k, v FROM source;
"""


class Writer(threading.Thread):
    """Writes records until it is told to stop, through every fault of the broker, and knows what the broker took. A
    batch whose answer was lost is looked for by its offset, so that no record is ever written twice."""

    def __init__(self, broker, topic, seed):
        super().__init__(daemon=True)
        self.broker, self.topic, self.random = broker, topic, random.Random(seed)
        self.partitions = 2
        self.stopping = threading.Event()
        self.written = collections.Counter()
        self.error = None

    def run(self):
        try:
            ends = collections.defaultdict(int)
            number = 0
            while not self.stopping.is_set():
                partition = self.random.randrange(self.partitions)
                rows = [(f"key-{self.random.randrange(500)}", number + n) for n in range(self.random.randrange(1, 200))]
                number += len(rows)
                self.append(partition, rows, ends)
                self.stopping.wait(0.005)
        except Exception as error:  # raised again by finish()
            self.error = error

    def append(self, partition, rows, ends):
        records = [fixture.Record(json.dumps({"k": k, "v": v})) for k, v in rows]
        while True:
            try:
                with self.broker.client() as client:
                    if client.offsets(self.topic).get(partition) == ends[partition]:
                        client.produce(self.topic, partition, records)
                ends[partition] += len(records)
                self.written.update(rows)
                return
            except (OSError, fixture.KafkaError):
                self.stopping.wait(POLL_S)  # the broker is down or coming back: poll again

    def finish(self):
        self.stopping.set()
        self.join()
        if self.error:
            raise self.error


class Runs:
    """One job and its restores."""

    def __init__(self, folder, name, sql):
        self.folder = folder / name
        self.folder.mkdir(parents=True)
        self.name, self.sql = name, sql
        self.job = self.launch()

    def launch(self):
        restore = ["--restore", "latest"] if fixture.completed_checkpoints(self.folder) else []
        return fixture.Job(self.folder, self.sql, restore, "run")

    def kill(self):
        self.job.check_running()
        self.job.kill()
        self.job = self.launch()

    def stop(self):
        self.job.check_running()
        code = self.job.interrupt()
        if code != 0:
            raise AssertionError(f"{self.name}: code {code} when it was asked to stop:\n{self.job.tail()}")
        self.job = self.launch()


class Round:
    def __init__(self, seed, folder, broker):
        self.random = random.Random(seed)
        self.broker, self.folder = broker, folder / f"round-{seed}"
        self.source, self.counts, self.copy = (f"{what}-{seed}" for what in ("source", "counts", "copy"))
        with broker.client() as client:
            client.create_topics([self.source], 2)
            client.create_topics([self.counts], 2, {"cleanup.policy": "compact"})
            client.create_topics([self.copy], 2)
        names = {"bootstrap": broker.bootstrap, "source": self.source, "parallelism": self.random.choice([1, 2])}
        self.jobs = [
            Runs(self.folder, "count", (SETTINGS + COUNT).format(name="count", sink=self.counts, **names)),
            Runs(self.folder, "copy", (SETTINGS + COPY).format(name="copy", sink=self.copy, **names))]
        self.writer = Writer(broker, self.source, seed)
        self.writer.start()

    def faults(self):
        return {
            "kill a job": lambda: self.random.choice(self.jobs).kill(),
            "kill both jobs": lambda: [runs.kill() for runs in self.jobs],
            "stop and resume a job": lambda: self.random.choice(self.jobs).stop(),
            "kill the broker": self.kill_broker,
            "restart the broker": self.restart_broker,
            "freeze the broker": self.freeze_broker,
            "add a partition": self.add_partition,
        }

    def kill_broker(self):
        self.broker.kill()
        self.broker.start()

    def restart_broker(self):
        self.broker.stop()
        self.broker.start()

    def freeze_broker(self):
        self.broker.send_signal(signal.SIGSTOP)
        self.pause(1, 4)
        self.broker.send_signal(signal.SIGCONT)

    def add_partition(self):
        with self.broker.client() as client:
            client.add_partitions(self.source, self.writer.partitions + 1)
        self.writer.partitions += 1

    def pause(self, low, high):
        """A time between faults, so that they hit any moment of a checkpoint."""
        threading.Event().wait(self.random.uniform(low, high))

    def run(self, count):
        history = []
        faults = self.faults()
        try:
            for _ in range(count):
                self.pause(0.05, 1.5)
                what = self.random.choice(list(faults))
                history.append(what)
                faults[what]()
            self.writer.finish()
            self.check()
        except (AssertionError, OSError) as error:
            raise AssertionError(f"after {', '.join(history)}: {error}") from error
        finally:
            self.writer.stopping.set()
            for runs in self.jobs:
                runs.job.kill()
        print(f"  {sum(self.writer.written.values()):,} records through: {', '.join(history)}", flush=True)

    def check(self):
        expected = {}
        for key, value in self.writer.written:
            row = expected.setdefault(key, {"k": key, "n": 0, "s": 0, "u": 0})
            row["n"] += 1
            row["s"] += value
            row["u"] += 1
        counted = {}
        self.jobs[0].job.check_running()
        self.settle(self.counts, counted, lambda row: counted.__setitem__(row["k"], row),
                    lambda: sum(row["n"] for row in counted.values()) >= sum(row["n"] for row in expected.values()))
        if counted != expected:
            wrong = [key for key in expected | counted if expected.get(key) != counted.get(key)]
            raise AssertionError(f"{len(wrong)} keys differ, e.g. {wrong[0]}: wanted {expected.get(wrong[0])}, "
                                 f"got {counted.get(wrong[0])}")
        copied = set()
        self.settle(self.copy, copied, lambda row: copied.add((row["k"], row["v"])),
                    lambda: len(copied) >= len(self.writer.written))
        if copied != set(self.writer.written):
            raise AssertionError(f"the copy lacks {len(set(self.writer.written) - copied)} records and has "
                                 f"{len(copied - set(self.writer.written))} that were never written")

    def settle(self, topic, found, add, complete):
        """Reads the topic again and again until it is complete, for two minutes at most."""

        def poll():
            found.clear()
            for line in self.broker.command("consume", topic, "--from-beginning").splitlines():
                add(json.loads(line))
            for runs in self.jobs:
                runs.job.check_running()
            return complete()

        try:
            fixture.wait_until(poll, f"topic {topic} is complete", timeout=120)
        except AssertionError as error:
            raise AssertionError(f"{error}; it holds {len(found)} different rows") from error


def main():
    parser = argparse.ArgumentParser(prog="tests/chaos/chaos.py", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5, help="start no new round after this (default 5)")
    parser.add_argument("--faults", type=int, default=8, help="faults in a round (default 8)")
    parser.add_argument("--seed", type=int, help="one round with this seed")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="yeoul-chaos-"))
    broker = fixture.Broker().start()
    first = options.seed if options.seed is not None else int(time.time())
    passed = failed = 0
    begin = time.monotonic()
    for seed in range(first, first + (1 if options.seed is not None else 1_000_000)):
        if passed + failed and time.monotonic() - begin > 60 * options.minutes:
            break
        print(f"round with --seed {seed}", flush=True)
        try:
            Round(seed, folder, broker).run(options.faults)
            passed += 1
        except AssertionError as error:
            failed += 1
            print(f"  FAILED {error}\n  the jobs' logs: {folder}/round-{seed}", flush=True)
    if not failed:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"chaos: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
