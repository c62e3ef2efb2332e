#!/usr/bin/env python3
"""Measures Yeoul against its peers: CPU per record, records per second, memory.

pageviews: the job of examples/pageviews from a Kafka topic to a Kafka topic, beside the least that its Kafka client can
do, which is to consume the topic and count. Both with the same client settings, each on one core, in turn.
start-up: `yeoul version`.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "broker")]
import fixture  # noqa: E402
from page_views import PageViews  # noqa: E402

BIN = ROOT / "build" / "release" / "bin"
TOPIC = "pageviews"
# As Yeoul's reader sets them, but for the queue: with the reader's small one a plain librdkafka stalls for a second
# whenever it is full. With this large one the peer needs less CPU time, so the comparison does not flatter Yeoul.
CLIENT = ["isolation.level=read_committed", "check.crcs=true", "enable.partition.eof=true",
          "queued.min.messages=1000000", "queued.max.messages.kbytes=1048576"]


class Cost:
    """What a process used, from its start to its end."""

    def __init__(self, command, folder):
        begin = time.monotonic()
        with open(folder / "log.txt", "wb") as log:
            process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{command[0]} failed:\n{(folder / 'log.txt').read_text(errors='replace')[-4000:]}")
        self.seconds = time.monotonic() - begin
        self.cpu = usage.ru_utime + usage.ru_stime
        self.memory_mb = usage.ru_maxrss / 1024


def fill(broker, records):
    """The same million again and again: generating is slower than all the rest."""
    part = min(records, 1_000_000)
    with tempfile.NamedTemporaryFile(dir=broker.folder) as file:
        for chunk in PageViews().lines(part):
            file.write(chunk)
        file.flush()
        for _ in range(records // part):
            broker.command("produce", TOPIC, "--file", file.name, "--property", "batch.size=262144", "--compression",
                           "lz4")
    return records // part * part


def pageviews_sql(broker, number, fold):
    text = (ROOT / "examples" / "pageviews" / "pageviews.sql").read_text().replace("127.0.0.1:9092", broker.bootstrap)
    text = text.replace("'scan.startup.mode' = 'earliest-offset',",
                        "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',")
    text = text.replace("'pageviews_per_region'", f"'pageviews_per_region_{number}'")
    return text if fold else "SET 'table.exec.mini-batch.enabled' = 'false';\n" + text


def show(name, costs, records):
    """Prints the median of each figure and returns the median CPU time of a record in microseconds."""
    cpu = [1e6 * cost.cpu / records for cost in costs]
    rate = statistics.median(records / cost.seconds for cost in costs)
    memory = statistics.median(cost.memory_mb for cost in costs)
    print(f"  {name:44} {statistics.median(cpu):7.3f} µs ({min(cpu):.3f} to {max(cpu):.3f}) {rate:12,.0f}/s "
          f"{memory:6.0f} MB  {statistics.median(cost.seconds for cost in costs):5.1f} s a run", flush=True)
    return statistics.median(cpu)


def pageviews(options, folder):
    broker = fixture.Broker()
    broker.command("start", "--heap", "1g", "--g1")
    broker.bootstrap = broker.command("start").strip().removeprefix("bootstrap.servers=")
    with broker.client() as client:
        client.create_topics([TOPIC], 2)
        client.create_topics([f"pageviews_per_region_{n}" for n in range(2 * options.runs)], 1)
    print(f"writing {options.records:,} page views", flush=True)
    records = fill(broker, options.records)
    core = ["taskset", "-c", str(options.core)]
    folded, each, consume = [], [], []
    for run in range(options.runs):
        for costs, fold in ((folded, True), (each, False)):
            script = folder / "job.sql"
            script.write_text(pageviews_sql(broker, 2 * run + fold, fold))
            costs.append(Cost([*core, str(BIN / "yeoul"), "run", "--quiet", str(script)], folder))
        consume.append(Cost([*core, str(BIN / "kafka_consume"), broker.bootstrap, TOPIC, "2", str(options.rounds),
                             *CLIENT], folder))
        print(f"  run {run + 1} of {options.runs}", flush=True)
    print(f"\npageviews: {records:,} records; CPU per record, median of {options.runs} (least to most)")
    peer = show("librdkafka: consume and count", consume, records * options.rounds)
    ours = show("yeoul: updates folded within a batch", folded, records)
    theirs = show("yeoul: one update a record", each, records)
    print(f"  ratio to the peer: folded {ours / peer:.2f}, one update a record {theirs / peer:.2f}")


def start_up(folder):
    costs = [Cost([str(BIN / "yeoul"), "version"], folder) for _ in range(20)]
    print(f"\nstart-up: yeoul version in {1000 * statistics.median(cost.seconds for cost in costs):.1f} ms")


def main():
    parser = argparse.ArgumentParser(prog="bench/run.py", description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=4, help="how often the peer reads the topic in one run")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--core", type=int, default=1, help="the core to run on; the broker may use all")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="yeoul-bench-"))
    try:
        pageviews(options, folder)
        start_up(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
