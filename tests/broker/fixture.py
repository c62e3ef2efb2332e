"""What the broker tests share: one broker, topics of their own, records in and out, and jobs of the yeoul program.

A test file holds BrokerTest classes and ends with `fixture.main()`. It runs alone, then with a broker of its own, or
from run.py, which starts one broker for all (YEOUL_TEST_BOOTSTRAP, YEOUL_KAFKA_DATA).
"""
import atexit
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from kafka_wire import EARLIEST, LATEST, Client, KafkaError, Record, Transaction  # noqa: E402,F401  (for the tests)

POLL_S = 0.02
PATIENCE_S = 60


def yeoul_binary():
    return os.environ.get("YEOUL_BIN", str(ROOT / "build" / "release" / "bin" / "yeoul"))


def wait_until(condition, what, timeout=PATIENCE_S):
    """Polls `condition` until it is true and returns its value."""
    deadline = time.monotonic() + timeout
    while True:
        if value := condition():
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout} s in vain until {what}")
        time.sleep(POLL_S)  # between two polls


class Broker:
    """A broker of tools/kafka. Without a folder: a new one, which is stopped and removed when the test program ends."""

    def __init__(self, folder=None):
        self.own = folder is None
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="yeoul-broker-"))
        self.bootstrap = None
        if self.own:
            atexit.register(self.remove)

    def command(self, *arguments, environment=None, **options):
        done = subprocess.run([str(ROOT / "tools" / "kafka"), *arguments], text=True, capture_output=True,
                              env=os.environ | {"YEOUL_KAFKA_DATA": str(self.folder)} | (environment or {}), **options)
        if done.returncode != 0:
            raise AssertionError(f"tools/kafka {' '.join(arguments)} failed:\n{done.stderr}")
        return done.stdout

    def start(self, *options, **environment):
        """Options as `tools/kafka start` takes them. `listeners` has the address of each that --listener named."""
        lines = self.command("start", *options, environment=environment).splitlines()
        self.listeners = dict(line.split("=", 1) for line in lines)
        self.bootstrap = self.listeners.pop("bootstrap.servers")
        return self

    def version(self):
        """Of Apache Kafka, as numbers."""
        return tuple(map(int, (self.folder / "version").read_text().split(".")))

    def kill(self):
        self.command("kill")

    def send_signal(self, number):
        """E.g. SIGSTOP and SIGCONT, for a broker that does not answer for a while."""
        os.kill(int((self.folder / "broker.pid").read_text()), number)

    def stop(self):
        self.command("stop")

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def client(self):
        return Client(self.bootstrap)

    def log_text(self):
        return (self.folder / "broker.log").read_text(errors="replace")

    def log_file(self, topic, partition=0):
        """The first segment of a partition on this broker's disk."""
        return min((self.folder / "data").glob(f"{topic}-{partition}/*.log"))

    def dump_log(self, *topics, options=()):
        """Kafka's own look at the bytes of partitions 0: a line for each batch and each record."""
        files = ",".join(str(self.log_file(topic)) for topic in topics)
        return self.command("tool", "org.apache.kafka.tools.DumpLogSegments", "--deep-iteration", *options, "--files", files)


def console_line(timestamp, key, value, *headers):
    """A record as `tools/kafka consume --keys --timestamps --headers` prints it; headers are given as name=value."""
    headers = ",".join(header.replace("=", ":") for header in headers) or "NO_HEADERS"
    return f"CreateTime:{timestamp}\t{headers}\t{key}\t{value}"


def free_port():
    """A port of 127.0.0.1 that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


_shared = None


def shared_broker():
    global _shared
    if _shared is None:
        if bootstrap := os.environ.get("YEOUL_TEST_BOOTSTRAP"):
            _shared = Broker(os.environ["YEOUL_KAFKA_DATA"])
            _shared.bootstrap = bootstrap
        else:
            _shared = Broker().start()
    return _shared


class Job:
    """A run of the yeoul program. Its output goes to files, so that it never waits for a reader."""

    def __init__(self, folder, sql, arguments, command, **options):
        self.folder = folder
        number = len(list(folder.glob("script-*.sql"))) + 1
        self.script = folder / f"script-{number}.sql"
        self.script.write_text(sql)
        self.out, self.err = folder / f"stdout-{number}.txt", folder / f"stderr-{number}.txt"
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen([yeoul_binary(), command, str(self.script), *arguments], cwd=folder,
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=err, **options)

    def stdout(self):
        return self.out.read_text(errors="replace")

    def stderr(self):
        return self.err.read_text(errors="replace")

    def rows(self):
        """What a SELECT printed with --output json, as dicts with "op" and the columns."""
        return [json.loads(line) for line in self.stdout().splitlines() if line.startswith("{")]

    def wait(self, timeout=PATIENCE_S):
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the job did not end within {timeout} s; its standard error:\n{self.tail()}") from None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def interrupt(self):
        """Asks the job to stop, as Ctrl-C does, and returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.wait()

    def tail(self):
        return "\n".join(self.stderr().splitlines()[-20:])

    def check_running(self):
        code = self.process.poll()
        if code is not None:
            raise AssertionError(f"the job ended with code {code}; its standard error:\n{self.tail()}")


class BrokerTest(unittest.TestCase):
    """One folder and topics of its own for each test; the jobs it leaves running are ended."""

    #: Of the jobs it starts; None: its own.
    environment = None

    def setUp(self, broker=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="yeoul-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.broker = broker or shared_broker()
        self.bootstrap = self.broker.bootstrap

    def use_own_broker(self):
        """For a test that stops or kills its broker."""
        self.broker = Broker().start()
        self.addCleanup(self.broker.stop)
        self.bootstrap = self.broker.bootstrap

    def client(self):
        client = self.broker.client()
        self.addCleanup(client.close)
        return client

    def topic(self, name="topic", partitions=1, **configs):
        """Creates a topic; the name gets a part that no other test has. Settings as cleanup_policy="compact"."""
        unique = f"{name}-{os.getpid()}-{time.monotonic_ns() % 10**9}"
        with self.broker.client() as client:
            client.create_topics([unique], partitions, {key.replace("_", "."): v for key, v in configs.items()})
        return unique

    def produce(self, topic, values, partition=0):
        """Appends values (text, bytes, None, dicts as JSON, or Record) to a partition; returns the first offset."""
        records = [value if isinstance(value, Record) else
                   Record(json.dumps(value) if isinstance(value, dict) else value) for value in values]
        with self.broker.client() as client:
            return client.produce(topic, partition, records)

    def end_offsets(self, topic):
        with self.broker.client() as client:
            return client.offsets(topic, LATEST)

    def record_count(self, topic):
        """By offsets, so markers of transactions count too."""
        return sum(self.end_offsets(topic).values())

    def consume(self, topic, *arguments):
        """All records there are now, through Kafka's console consumer: (key, value) texts, None for null."""
        text = self.broker.command("consume", topic, "--from-beginning", "--keys", "--null-marker", "\x01null",
                                   *arguments)
        rows = [line.split("\t", 1) for line in text.splitlines()]
        return [tuple(None if part == "\x01null" else part for part in row) for row in rows]

    def table(self, topic):
        """The table that an upsert topic holds: {key text: last value as JSON}, tombstones applied."""
        table = {}
        for key, value in self.consume(topic):
            table.pop(key, None)
            if value is not None:
                table[key] = json.loads(value)
        return table

    def start(self, sql, *arguments, command="run", **options):
        """Starts a job. `{bootstrap}` in the SQL text becomes the broker's address. Options are those of Popen."""
        job = Job(self.folder, sql.replace("{bootstrap}", self.bootstrap), arguments, command, env=self.environment,
                  **options)
        self.addCleanup(job.kill)
        return job

    def run_sql(self, sql, *arguments, code=0, timeout=PATIENCE_S):
        """Runs a script to its end and checks its exit code."""
        job = self.start(sql, *arguments)
        got = job.wait(timeout)
        self.assertEqual(got, code, f"standard error:\n{job.tail()}\nstandard output:\n{job.stdout()[-2000:]}")
        return job

    def select(self, sql, *arguments):
        """The rows that a script's SELECT printed, as dicts with "op" and the columns."""
        return self.run_sql(sql, "--output", "json", *arguments).rows()

    def wait_for(self, job, condition, what, timeout=PATIENCE_S):
        """Polls `condition` while the job runs."""

        def poll():
            value = condition()
            if not value:
                job.check_running()
            return value

        return wait_until(poll, what, timeout)

    def wait_for_checkpoint(self, job, after=0):
        """Waits for a completed checkpoint with a number above `after` and returns the highest number."""

        def poll():
            numbers = completed_checkpoints(self.folder)
            return numbers and max(numbers) > after and max(numbers)

        return self.wait_for(job, poll, f"a checkpoint after {after} is complete")


def completed_checkpoints(folder):
    """Numbers of the checkpoints below a folder; one is complete when it has its metadata. Jobs may remove older ones
    meanwhile, which os.walk passes over."""
    return [int(os.path.basename(path).removeprefix("chk-")) for path, _, files in os.walk(folder) if "_metadata" in files]


def position(topic, partition, offset):
    """A pattern of the ways in which a message may name a record."""
    topic = re.escape(topic)
    return rf"{topic}-{partition}@{offset}\b|topic={topic} partition={partition} offset={offset}\b"


def columns(rows, *names):
    """Rows as tuples of some columns, sorted."""
    return sorted(tuple(row[name] for name in names) for row in rows)


class _Result(unittest.TextTestResult):
    _begin = time.monotonic()  # of what fails before the first test

    def startTest(self, test):
        super().startTest(test)
        self._begin = time.monotonic()

    def _line(self, test, what):
        self.stream.writeln(f"  {time.monotonic() - self._begin:6.1f} s  {what}  {test.id().removeprefix('__main__.')}")

    def addSuccess(self, test):
        self._line(test, "ok    ")

    def addError(self, test, err):
        super().addError(test, err)
        self._line(test, "FAILED")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._line(test, "FAILED")


def main():
    """Runs the tests of the calling file; arguments are parts of the names of the tests to run."""
    suite = unittest.TestSuite()
    for group in unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]):
        for test in group:
            if len(sys.argv) == 1 or any(part in test.id() for part in sys.argv[1:]):
                suite.addTest(test)
    # A runner that gives up sends SIGTERM; the cleanups end jobs and brokers then too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=_Result)
    result = runner.run(suite)
    failed = len({re.sub(r" \(.*", "", test.id()) for test, _ in [*result.failures, *result.errors]})
    name = pathlib.Path(sys.argv[0]).stem
    print(f"{name}: {max(result.testsRun - failed, 0)} passed, {failed} failed")
    sys.exit(1 if failed else 0)
