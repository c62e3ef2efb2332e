#!/usr/bin/env python3
"""Measures jobs of Yeoul beside the same jobs written by hand, the bare client library, and Apache Flink.

The contenders run in turn, on one core and then on all, and the median of the runs counts. A run works for ten seconds
at least; what a contender needs to start is measured with a single record and taken off. The results go to a table, a
JSON file and a plot in --out.
"""
import argparse
import math
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "broker"), str(ROOT / "bench")]
import clients  # noqa: E402
import contenders  # noqa: E402
import fixture  # noqa: E402
import report  # noqa: E402
from contenders import BIN, CLIENT_JOBS, KAFKA_JOBS, Run, execute  # noqa: E402

START_UP_RUNS = 3
START_UP_ROWS = 1  # one, so that a consumer that waits for the first is ready when it comes
# Enough for ten seconds of Yeoul on one core.
ROWS = {"pageviews": 36_000_000, "a": 20_000_000, "a_folded": 36_000_000, "b": 36_000_000, "c": 60_000_000,
        "e": 36_000_000, "g": 60_000_000, "n1": 250_000_000, "n2": 150_000_000, "n3": 1_000_000_000,
        "client_consume": 12_000_000, "client_consume_none": 12_000_000, "client_consume_200": 12_000_000,
        "client_produce": 3_000_000, "client_produce_lz4": 3_000_000, "client_produce_16k": 3_000_000,
        "client_produce_16k_lz4": 3_000_000}
MODES = {"one core": True, "all cores": False}


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.broker = None
        self.topics = {}
        self.num_outputs = 0
        self.results = []

    # --- the broker and its topics ---

    def start_broker(self):
        self.broker = fixture.Broker()
        self.broker.command("start", "--heap", "1g", "--g1", "--set", "log.segment.delete.delay.ms=1000")
        self.broker.bootstrap = self.broker.command("start").strip().removeprefix("bootstrap.servers=")

    def topic_of(self, job, rows):
        """A topic with so many page views for a job to read, and how many bytes they have."""
        partitions, compression = contenders.partitions_of(job), contenders.compression_of(job)
        name = f"pageviews_{rows}_{compression}_{partitions}"
        if name not in self.topics:
            say(f"writing {rows:,} page views, {compression}, {partitions} partitions")
            with self.broker.client() as client:
                client.create_topics([name], partitions)
            execute([BIN / "kafka_fill", self.broker.bootstrap, name, str(partitions), str(rows), compression], self.folder)
            self.topics[name] = int(self.digest(name, partitions).split()[1])
        return name, self.topics[name]

    def new_output(self, job):
        self.num_outputs += 1
        name = f"out_{self.num_outputs}"
        with self.broker.client() as client:
            client.create_topics([name], contenders.partitions_of(job))
        return name

    def delete(self, topic):
        with self.broker.client() as client:
            client.delete_topics([topic])

    def digest(self, topic, partitions):
        """Number of records, bytes, sum of hashes."""
        done = subprocess.run([str(BIN / "kafka_digest"), self.broker.bootstrap, topic, str(partitions)],
                              check=True, capture_output=True, text=True)
        return done.stdout.strip()

    # --- runs ---

    def rows_of(self, job, contender):
        rows = self.options.rows or ROWS[job]
        return max(1, int(rows * self.options.scale * contender.scale))

    def run_once(self, contender, job, rows, rounds, pinned, digests=None):
        topic, out = "", ""
        if contenders.reads_topic(job):
            topic = self.topic_of(job, rows)[0]
        if contenders.writes_topic(job) and contender.writes:
            out = self.new_output(job)
        bootstrap = self.broker.bootstrap if self.broker else ""
        cost = contender.run(Run(job, bootstrap, topic, out, rows, rounds, self.options.core if pinned else None))
        if out:
            if digests is not None:
                digests[contender.name] = self.digest(out, contenders.partitions_of(job))
            self.delete(out)
        return cost

    def rounds_for(self, contender, job, rows, pinned, digests):
        """A first run, not counted: fills caches, shows the output, and says how many rounds make ten seconds."""
        cost = self.run_once(contender, job, rows, 1, pinned, digests)
        return contender.rounds(job, max(1, math.ceil(self.options.seconds / cost.seconds)))

    def measure(self, job, mode):
        pinned = MODES[mode]
        entries = [c for c in self.options.contenders if job in c.jobs]
        rows = {c.name: self.rows_of(job, c) for c in entries}
        digests = {}
        rounds = {c.name: self.rounds_for(c, job, rows[c.name], pinned, digests) for c in entries}
        self.compare(job, entries, rows, digests, pinned)
        start_up, costs = {c.name: [] for c in entries}, {c.name: [] for c in entries}
        for _ in range(START_UP_RUNS):
            for c in entries:
                start_up[c.name].append(self.run_once(c, job, START_UP_ROWS, 1, pinned))
        for number in range(self.options.runs):
            for c in entries:
                costs[c.name].append(self.run_once(c, job, rows[c.name], rounds[c.name], pinned))
            say(f"  {job}, {mode}: run {number + 1} of {self.options.runs}")
        for c in entries:
            bytes_ = self.topic_of(job, rows[c.name])[1] if contenders.reads_topic(job) else 0
            total = rounds[c.name]
            self.results.append(report.Result(job, c.name, mode, rows[c.name] * total, bytes_ * total,
                                              median_cost(start_up[c.name]), costs[c.name]))
        report.write(self.results, self.options.out)

    def compare(self, job, entries, rows, digests, pinned):
        """Jobs whose every output row is determined must leave the same rows, whoever did them."""
        for name, digest in digests.items():
            say(f"  {job}: {name} wrote {digest.split()[0]} records")
        if job not in ("b", "c"):
            return
        expected = {rows[entries[0].name]: digests[entries[0].name]}
        for name, digest in digests.items():
            if rows[name] not in expected:  # a slow one reads fewer
                again = {}
                self.run_once(entries[0], job, rows[name], 1, pinned, again)
                expected[rows[name]] = again[entries[0].name]
            if digest != expected[rows[name]]:
                raise SystemExit(f"job {job}: {name} wrote {digest}, {entries[0].name} {expected[rows[name]]}")


def median_cost(costs):
    return contenders.Cost(*(statistics.median(getattr(cost, figure) for cost in costs)
                             for figure in ("cpu", "seconds", "memory_mb")))


def say(text):
    print(text, flush=True)


def start_time(folder):
    costs = [execute([BIN / "yeoul", "version"], folder) for _ in range(20)]
    return 1000 * statistics.median(cost.seconds for cost in costs)


def parse_options():
    parser = argparse.ArgumentParser(prog="bench/run.py", description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", default=",".join((*contenders.ALL_JOBS, *CLIENT_JOBS)), help="default: %(default)s")
    parser.add_argument("--modes", default=",".join(MODES), help="default: %(default)s")
    parser.add_argument("--only", default="", help="contenders, e.g. 'yeoul,by hand'; default: all that fit the job")
    parser.add_argument("--flink", action="store_true", help="Apache Flink too (bench/setup_flink fetches it)")
    parser.add_argument("--runs", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=10, help="of work in a run of a peer; default: %(default)s")
    parser.add_argument("--rows", type=int, help="instead of each job's own number")
    parser.add_argument("--scale", type=float, default=1, help="a factor to each job's own number of rows")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, one run, one core: to see that all works")
    parser.add_argument("--core", type=int, default=1, help="the core to run on; the broker may use all")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "bench", help="default: %(default)s")
    options = parser.parse_args()
    options.jobs = options.jobs.split(",")
    options.modes = options.modes.split(",")
    if options.quick:
        options.scale, options.runs, options.seconds, options.modes = 0.1, 1, 1, ["one core"]
    return options


def main():
    options = parse_options()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="yeoul-bench-"))
    classes = [contenders.Yeoul, contenders.DataStream, contenders.HandWritten, contenders.BareClient, *clients.CLIENTS]
    options.contenders = [c(folder) for c in classes if not options.only or c.name in options.only.split(",")]
    bench = Bench(options, folder)
    try:
        if set(options.jobs) & {*KAFKA_JOBS, *CLIENT_JOBS}:
            bench.start_broker()
        if options.flink:
            import flink
            options.contenders.append(flink.Flink(folder))
        for contender in options.contenders:
            contender.prepare()
        for mode in options.modes:
            for job in options.jobs:
                bench.measure(job, mode)
        print("\n" + report.markdown(bench.results))
        print(f"start-up: yeoul version in {start_time(folder):.1f} ms\nresults in {options.out}")
    finally:
        for contender in options.contenders:
            contender.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
