"""Kafka clients as contenders, without a job around them: Yeoul's own, librdkafka, and the Java client in the tools that
Apache Kafka measures it with. All get the same settings, those that the Java client has by default but for the size of
batches, which the job says."""
import re

import kafka_broker
from contenders import BIN, CLIENT_JOBS, Contender

CONSUMER = {"isolation.level": "read_uncommitted", "check.crcs": "true", "fetch.max.bytes": "52428800",
            "max.partition.fetch.bytes": "1048576"}
PRODUCER = {"acks": "all", "enable.idempotence": "true", "linger.ms": "5",
            "max.in.flight.requests.per.connection": "5"}
BUFFER_BYTES = 32 << 20
NUM_PAYLOADS = 1 << 16


def pairs(settings):
    return [f"{name}={value}" for name, value in settings.items()]


class Client(Contender):
    """A client that reads a topic and counts, or writes records that were made beforehand."""

    jobs = tuple(CLIENT_JOBS)
    repeats = True
    consumer = {}  # settings under the client's own names
    producer = {}

    def command(self, run):
        job = CLIENT_JOBS[run.job]
        if job.writes:
            settings = {**PRODUCER, "batch.size": job.batch_bytes, "compression.type": job.compression, **self.producer}
            return self.produce(run, job, pairs(settings))
        return self.consume(run, job, pairs({**CONSUMER, **self.consumer}))

    def run(self, run):
        """What it says it has read or written must be all."""
        cost = super().run(run)
        count, said = run.rows * run.rounds, (self.folder / "log.txt").read_text(errors="replace")
        if not re.search(rf"(?<![\d.]){count}(?![\d.])", said):
            raise SystemExit(f"{run.job}: {self.name} did not do {count} records:\n{said[-4000:]}")
        return cost

    def consume(self, run, job, settings):
        raise NotImplementedError

    def produce(self, run, job, settings):
        raise NotImplementedError


class OwnClient(Client):
    name = "own client"
    consumer = {"buffered.bytes": BUFFER_BYTES}
    producer = {"buffer.memory": BUFFER_BYTES}

    def consume(self, run, job, settings):
        return [BIN / "bench_kafka_client", run.bootstrap, run.topic, str(job.partitions), str(run.rounds), *settings]

    def produce(self, run, job, settings):
        return [BIN / "bench_kafka_client", "produce", run.bootstrap, run.out, str(job.partitions),
                str(run.rows * run.rounds), *settings]


class Librdkafka(Client):
    """It reads with a queue so large that it never waits for room in it: with a small one version 2.0 stalls. Where
    memory is the question it has to do with what the others have."""

    name = "librdkafka"
    producer = {"queue.buffering.max.kbytes": BUFFER_BYTES >> 10}

    def consume(self, run, job, settings):
        if job.small_buffers:
            settings = [*settings, f"queued.max.messages.kbytes={BUFFER_BYTES >> 10}", "queued.min.messages=100000"]
        return [BIN / "kafka_consume", run.bootstrap, run.topic, str(job.partitions), str(run.rounds), *settings]

    def produce(self, run, job, settings):
        return [BIN / "kafka_produce", run.bootstrap, run.out, str(job.partitions), str(run.rows * run.rounds), *settings]


class Java(Client):
    """Its producer finds the partition of each record itself; there is no other way in the tool. A consumer joins a
    group, which takes time, but hardly of the CPU."""

    name = "java"
    consumer = {"max.poll.records": 10_000}
    producer = {"buffer.memory": BUFFER_BYTES}
    # As Kafka's own scripts start it.
    JVM = ("-Xmx512m", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35")

    def prepare(self):
        """The records that the others write, one a line."""
        state, lines = 42, []
        for number in range(NUM_PAYLOADS):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            random = state >> 33
            lines.append(f'{{"user_id":"User_{random % 100_000}","page_id":"Page_{random // 7 % 10_000}",'
                         f'"viewtime":{1_700_000_000 + number},"user_region":"Region_{random // 3 % 10}"}}\n')
        (self.folder / "payloads.txt").write_text("".join(lines))

    def tool(self, name, *arguments):
        version = kafka_broker.kafka_version()
        log = kafka_broker.log_option(kafka_broker.tool_log(), version)
        return ["java", *self.JVM, *log, "-cp", f"{kafka_broker.jars(version)}/*", f"org.apache.kafka.tools.{name}",
                *arguments]

    def rounds(self, job, rounds):
        return rounds if CLIENT_JOBS[job].writes else 1

    def consume(self, run, job, settings):
        properties = [word for setting in settings for word in ("--command-property", setting)]
        return self.tool("ConsumerPerformance", "--bootstrap-server", run.bootstrap, "--topic", run.topic,
                         "--num-records", str(run.rows), "--timeout", "60000", *properties)

    def produce(self, run, job, settings):
        return self.tool("ProducerPerformance", "--bootstrap-server", run.bootstrap, "--topic", run.out,
                         "--num-records", str(run.rows * run.rounds), "--throughput", "-1",
                         "--payload-file", str(self.folder / "payloads.txt"),
                         "--record-key-range", "10000000", "--key-distribution", "random",
                         "--command-property", *settings)


CLIENTS = (OwnClient, Librdkafka, Java)
