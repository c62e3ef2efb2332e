"""The programs that are measured, and what a run of one costs."""
import os
import pathlib
import re
import string
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("YEOUL_BENCH_BIN", ROOT / "build" / "release" / "bin"))
JOBS = ROOT / "bench" / "jobs"
PARTITIONS = 2
LARGE_BATCH, JAVA_BATCH = 1_000_000, 16_384  # the defaults of Yeoul and librdkafka, and of Java's client
KAFKA_JOBS = ("pageviews", "a", "a_folded", "b", "c", "e", "g")
GENERATED_JOBS = ("n1", "n2", "n3")
ALL_JOBS = KAFKA_JOBS + GENERATED_JOBS
WITH_OUTPUT = ("pageviews", "a", "a_folded", "b", "c", "e")


class ClientJob:
    """What a Kafka client does without a job around it."""

    def __init__(self, writes, compression, partitions=PARTITIONS, small_buffers=False, batch_bytes=LARGE_BATCH):
        self.writes = writes
        self.compression = compression
        self.partitions = partitions
        self.small_buffers = small_buffers
        self.batch_bytes = batch_bytes


CLIENT_JOBS = {
    "client_consume": ClientJob(False, "lz4"), "client_consume_none": ClientJob(False, "none"),
    "client_consume_200": ClientJob(False, "lz4", 200, small_buffers=True),
    "client_produce": ClientJob(True, "none"), "client_produce_lz4": ClientJob(True, "lz4"),
    "client_produce_16k": ClientJob(True, "none", batch_bytes=JAVA_BATCH),
    "client_produce_16k_lz4": ClientJob(True, "lz4", batch_bytes=JAVA_BATCH),
}


def reads_topic(job):
    return job in KAFKA_JOBS or (job in CLIENT_JOBS and not CLIENT_JOBS[job].writes)


def writes_topic(job):
    return job in WITH_OUTPUT or (job in CLIENT_JOBS and CLIENT_JOBS[job].writes)


def partitions_of(job):
    return CLIENT_JOBS[job].partitions if job in CLIENT_JOBS else PARTITIONS


def compression_of(job):
    """Of the topic that is read."""
    return CLIENT_JOBS[job].compression if job in CLIENT_JOBS else "lz4"


class Cost:
    """What one run used."""

    def __init__(self, cpu, seconds, memory_mb):
        self.cpu = cpu
        self.seconds = seconds
        self.memory_mb = memory_mb


class Run:
    """One run to come: of which job, from which topic, to which topic, of how many rows."""

    def __init__(self, job, bootstrap, topic, out, rows, rounds, core):
        self.job = job
        self.bootstrap = bootstrap
        self.topic = topic
        self.out = out
        self.rows = rows
        self.rounds = rounds
        self.core = core


def job_sql(run):
    """The job's script, its places filled in."""
    text = (JOBS / f"{run.job}.sql").read_text()
    if run.job in KAFKA_JOBS:
        text = (JOBS / "source.sql").read_text() + text
    return string.Template(text).substitute(BOOTSTRAP=run.bootstrap, TOPIC=run.topic, OUT=run.out, ROWS=run.rows)


def peak_mb(pid):
    """The most memory that a process has had, since it is what it is: what wait4() tells counts its parent's, too."""
    found = re.search(r"^VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)
    return int(found[1]) / 1024 if found else 0


class PeakMemory(threading.Thread):
    """Looks at a process until it ends."""

    def __init__(self, pid):
        super().__init__()
        self.pid = pid
        self.ended = threading.Event()
        self.mb = 0

    def run(self):
        while not self.ended.wait(0.02):
            self.mb = max(self.mb, peak_mb(self.pid))


def execute(command, folder, core=None):
    """Runs a program to its end, on one core if one is given."""
    if core is not None:
        command = ["taskset", "-c", str(core), *command]
    begin = time.monotonic()
    with open(folder / "log.txt", "wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        memory = PeakMemory(process.pid)
        memory.start()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        seconds = time.monotonic() - begin
        memory.ended.set()
        memory.join()
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        text = (folder / "log.txt").read_text(errors="replace")[-4000:]
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{text}")
    return Cost(usage.ru_utime + usage.ru_stime, seconds, memory.mb)


class Contender:
    """A program that does jobs. `repeats`: it can read its topic several times in one run;
    `writes`: it writes the output of the job."""

    name = ""
    jobs = ()
    repeats = False
    writes = True  # the job's output
    scale = 1  # of the number of rows, for one that is slow

    def __init__(self, folder):
        self.folder = folder

    def rounds(self, job, rounds):
        """How often it can do the job in one run, if it should do it so often."""
        return rounds if self.repeats else 1

    def prepare(self):
        """Before its first run."""

    def close(self):
        """After its last."""

    def run(self, run):
        return execute(self.command(run), self.folder, run.core)

    def command(self, run):
        raise NotImplementedError


class Yeoul(Contender):
    name = "yeoul"
    jobs = ALL_JOBS

    def command(self, run):
        script = self.folder / "job.sql"
        script.write_text(job_sql(run))
        return [BIN / "yeoul", "run", "--quiet", script]


class DataStream(Contender):
    """The same job with Yeoul's C++ DataStream API."""

    name = "yeoul C++"
    jobs = ("b",)

    def command(self, run):
        return [BIN / "bench_datastream", run.bootstrap, run.topic, run.out]


class HandWritten(Contender):
    """The same job by hand, on the same client library."""

    name = "by hand"
    jobs = ("pageviews", "a", "a_folded", "b", "c", "e", "g", *GENERATED_JOBS)
    repeats = True

    def command(self, run):
        if run.job in GENERATED_JOBS:
            return [BIN / "generated", run.job, str(run.rows * run.rounds)]
        job = {"a_folded": "f", "pageviews": "f"}.get(run.job, run.job)
        return [BIN / "hand_written", job, run.bootstrap, run.topic, str(PARTITIONS), run.out, str(run.rounds)]


class BareClient(Contender):
    """The least that the client library can do: consume and count."""

    name = "librdkafka"
    jobs = KAFKA_JOBS
    repeats = True
    writes = False

    def command(self, run):
        return [BIN / "kafka_consume", run.bootstrap, run.topic, str(PARTITIONS), str(run.rounds)]
