#!/usr/bin/env python3
"""Records of 0 bytes to 20 MB between Yeoul's own Kafka client and its peers, Apache Kafka's Java client and
librdkafka: what one writes is what the other reads, in each compression, with all limits raised as users do."""
import pathlib
import subprocess
import sys

import fixture
import record_stream
from fixture import Record

sys.path.insert(0, str(fixture.ROOT / "tools"))
import kafka_broker  # noqa: E402

COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
PROBES = pathlib.Path(fixture.yeoul_binary()).parent
JAVA_PEER = fixture.ROOT / "tests" / "kafka_samples" / "RecordStreams.java"
LARGEST = 20_000_000
LIMIT = 25_000_000  # of a request; what does not compress gets a little larger
SIZES = (0, 1, 9, 100, 1_000, 16_383, 16_384, 65_536, 999_999, 1_048_576, 3_000_000, LARGEST)

WRITE = {"max.request.size": LIMIT, "buffer.memory": 4 * LIMIT, "linger.ms": 20}
READ = {"max.partition.fetch.bytes": LIMIT, "fetch.max.bytes": 2 * LIMIT}
RDKAFKA = {"message.max.bytes": LIMIT}


def records():
    """Every kind of part, and every size; small ones between, so that batches hold several."""
    found = [Record(b"v", b"k", 1000, [("h", b"x"), ("h", None), ("", b"")]), Record(None, b"gone", 2000),
             Record(b"no key", None, 1500), Record(b"", b"", 1), Record(None, None, 3000)]
    for number, size in enumerate(SIZES):
        found.append(Record(record_stream.noise(number, size), b"key-%d" % number, 4000 + number, [("size", b"%d" % size)]))
        found += [Record(b"small %d" % i, b"%d" % i, 5000 + i) for i in range(50)]
    return found


def words(properties):
    return [f"{name}={value}" for name, value in properties.items()]


class PeersTest(fixture.BrokerTest):
    def setUp(self):
        super().setUp()
        self.stream = b"".join(record_stream.pack(record) for record in records())
        self.file = self.folder / "records"
        self.file.write_bytes(self.stream)
        self.topics = {name: self.topic(name, max_message_bytes=str(LIMIT)) for name in COMPRESSIONS}

    def run_program(self, *command, **options):
        done = subprocess.run([str(word) for word in command], capture_output=True, timeout=3 * fixture.PATIENCE_S, **options)
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        return done.stdout

    def check(self, stream, compression):
        if stream != self.stream:
            self.assertEqual(record_stream.values_of(stream), record_stream.values_of(self.stream), compression)
            self.fail(f"{compression}: the same sizes, and other bytes")

    def write(self):
        """By our own producer."""
        for compression, topic in self.topics.items():
            settings = words(WRITE | {"compression.type": compression})
            said = self.run_program(PROBES / "produce_probe", self.bootstrap, topic, *settings,
                                    input=f"!file {self.file}\n!flush\n".encode())
            self.assertEqual(said, b"flush\n")

    def read(self, properties):
        """By our own consumer."""
        for compression, topic in self.topics.items():
            settings = [word for setting in words(properties) for word in ("--set", setting)]
            self.check(self.run_program(PROBES / "kafka_probe", *settings, "stream", self.bootstrap, topic, 1), compression)

    def java(self, action, common, each):
        """`each`: topic to file and properties."""
        arguments = [word for topic, (file, own) in each.items() for word in (topic, file, ",".join(words(own)) or "-")]
        self.run_program("java", "-Xmx1g", *kafka_broker.FAST_JVM, "-cp",
                         f"{kafka_broker.jars(kafka_broker.kafka_version())}/*", JAVA_PEER, action, self.bootstrap,
                         ",".join(words(common)), *arguments)

    def test_java_reads_what_we_write(self):
        self.write()
        files = {topic: (self.folder / compression, {}) for compression, topic in self.topics.items()}
        self.java("read", READ, files)
        for compression in COMPRESSIONS:
            self.check((self.folder / compression).read_bytes(), compression)

    def test_librdkafka_reads_what_we_write(self):
        self.write()
        for compression, topic in self.topics.items():
            self.run_program(PROBES / "rdkafka_probe", "read", self.bootstrap, topic, self.folder / compression)
            self.check((self.folder / compression).read_bytes(), compression)

    def test_we_read_what_java_writes(self):
        self.java("write", WRITE, {topic: (self.file, {"compression.type": compression})
                                   for compression, topic in self.topics.items()})
        self.read(READ)
        self.read({})  # a record that is larger than what is asked for comes alone

    def test_we_read_what_librdkafka_writes(self):
        for compression, topic in self.topics.items():
            self.run_program(PROBES / "rdkafka_probe", "write", self.bootstrap, topic, self.file,
                             *words(RDKAFKA | {"compression.codec": compression, "linger.ms": 20}))
        self.read(READ)

    def test_a_job_copies_them(self):
        source, sink = self.topics["none"], self.topics["zstd"]
        self.java("write", WRITE, {source: (self.file, {})})
        options = (f"'connector' = 'kafka', 'topic' = '%s', 'properties.bootstrap.servers' = '{self.bootstrap}', "
                   "'format' = 'raw'%s")
        read = "".join(f", 'properties.{name}' = '{value}'" for name, value in READ.items())
        write = "".join(f", 'properties.{name}' = '{value}'" for name, value in WRITE.items())
        self.run_sql(f"""
CREATE TABLE source (v BYTES) WITH ({options % (source, read)}, 'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset');
CREATE TABLE sink (v BYTES) WITH ({options % (sink, write)}, 'properties.compression.type' = 'zstd');
INSERT INTO sink SELECT v FROM source WHERE v IS NOT NULL;""")
        copy = self.run_program(PROBES / "kafka_probe", "stream", self.bootstrap, sink, 1)
        sizes = [size for size in record_stream.values_of(self.stream) if size >= 0]
        self.assertEqual(record_stream.values_of(copy), sizes)

    def test_what_is_too_large_is_refused_with_the_limit(self):
        self.file.write_bytes(record_stream.pack(Record(b"x" * 2_000_000, None, 1)))
        done = subprocess.run([PROBES / "produce_probe", self.bootstrap, self.topics["none"]], capture_output=True,
                              input=f"!file {self.file}\n".encode(), timeout=fixture.PATIENCE_S)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), "max.request.size")


if __name__ == "__main__":
    fixture.main()
