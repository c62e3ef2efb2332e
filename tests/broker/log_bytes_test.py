#!/usr/bin/env python3
"""Batches as they lie in a broker's log: what Yeoul's producer writes is, byte for byte, what Java's producer writes, and
`DumpLogSegments --print-data-log` prints the same of both. Numbers of producers, which brokers give out, are left out:
neither producer is idempotent."""
import pathlib
import re
import struct
import subprocess
import sys

import fixture
import record_stream
from fixture import Record

sys.path.insert(0, str(fixture.ROOT / "tools"))
import kafka_broker  # noqa: E402

COMPRESSIONS = ("gzip", "snappy", "lz4", "zstd")
PROBES = pathlib.Path(fixture.yeoul_binary()).parent
SAMPLES = fixture.ROOT / "tests" / "kafka_samples"
# One batch for all: it leaves with the flush at the end.
ONE_BATCH = {"enable.idempotence": "false", "acks": "all", "batch.size": 900_000, "linger.ms": 60_000}
HEAD = struct.Struct(">qiibIhiqqqhii")  # base offset, length, epoch, magic, CRC, attributes, …: a batch up to its records
LENGTH, CRC = slice(8, 12), slice(17, 21)


def records():
    """Every kind of part, and sizes around those where their lengths need another byte."""
    found = [Record(b"v", b"k", 1_700_000_000_000, [("h", b"x"), ("h", b"again"), ("none", None), ("empty", b"")]),
             Record(None, b"deleted", 1_700_000_000_001), Record(b"no key", None, 1_699_999_999_000),
             Record(b"", b"", 1_700_000_100_000), Record(None, None, 1_700_000_000_002),
             Record("값".encode(), "열쇠".encode(), 1_700_000_000_003, [("머리", "글".encode())])]
    for number, size in enumerate((0, 1, 62, 63, 64, 65, 127, 128, 8_190, 8_191, 8_192, 8_193, 70_000)):
        found.append(Record(record_stream.noise(number, size), b"%d" % size, 1_700_000_000_000 + size, [("n", b"%d" % number)]))
        found.append(Record(b"x", record_stream.noise(number, size), 1_700_000_000_000 - size))
    return found


def words(properties):
    return [f"{name}={value}" for name, value in properties.items()]


class LogBytesTest(fixture.BrokerTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "records"
        self.file.write_bytes(b"".join(map(record_stream.pack, records())))

    def java(self, program, *arguments):
        done = subprocess.run(["java", *kafka_broker.FAST_JVM, "-cp",
                               f"{kafka_broker.jars(kafka_broker.kafka_version())}/*", SAMPLES / program,
                               *map(str, arguments)], capture_output=True, timeout=2 * fixture.PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))

    def write(self, compressions):
        """The records by both; returns the topics by compression, Java's and ours."""
        topics = {name: (self.topic(f"java-{name}"), self.topic(f"ours-{name}")) for name in compressions}
        self.java("RecordStreams.java", "write", self.bootstrap, ",".join(words(ONE_BATCH)),
                  *(word for name, (topic, _) in topics.items()
                    for word in (topic, self.file, f"compression.type={name}")))
        for name, (_, topic) in topics.items():
            done = subprocess.run([PROBES / "produce_probe", self.bootstrap, topic,
                                   *words(ONE_BATCH | {"compression.type": name})], capture_output=True,
                                  input=f"!file {self.file}\n!flush\n".encode(), timeout=fixture.PATIENCE_S)
            self.assertEqual(done.stdout, b"flush\n", done.stderr.decode(errors="replace"))
        return topics

    def batch(self, topic):
        """The only one in the topic's log."""
        log = self.broker.log_file(topic).read_bytes()
        offset, length, *_, num_records = HEAD.unpack_from(log)
        self.assertEqual((offset, length + 12, num_records), (0, len(log), len(records())), topic)
        return log

    def dumps(self, *topics):
        """What Kafka's tool prints of each, but for the names of the files."""
        parts = re.split("^Dumping .*\n", self.broker.dump_log(*topics, options=["--print-data-log"]), flags=re.MULTILINE)
        self.assertEqual((parts[0], len(parts)), ("", len(topics) + 1))
        for part in parts[1:]:
            self.assertEqual(part.count("| offset: "), len(records()))
        return parts[1:]

    def test_uncompressed_they_are_the_same(self):
        java, ours = self.write(["none"])["none"]
        self.assertEqual(self.batch(ours).hex(" ", 8), self.batch(java).hex(" ", 8))
        dumps = self.dumps(java, ours)
        self.assertEqual(dumps[1], dumps[0])

    def test_compressed_they_are_the_same_but_for_how_well(self):
        topics = self.write(COMPRESSIONS)
        arguments = []
        for name, pair in topics.items():
            for who, topic in zip(("java", "ours"), pair):
                packed = self.folder / f"{who}.{name}"
                packed.write_bytes(self.batch(topic)[HEAD.size:])
                arguments += [name, packed, self.folder / f"{who}.{name}.unpacked"]
        self.java("Unpack.java", *arguments)
        dumps = iter(self.dumps(*(topic for pair in topics.values() for topic in pair)))
        for name, pair in topics.items():
            heads = [bytearray(self.batch(topic)[:HEAD.size]) for topic in pair]
            for head in heads:
                head[LENGTH] = head[CRC] = bytes(4)
            self.assertEqual(heads[1].hex(" ", 8), heads[0].hex(" ", 8), name)
            unpacked = [(self.folder / f"{who}.{name}.unpacked").read_bytes() for who in ("java", "ours")]
            self.assertGreater(len(unpacked[0]), 100_000)
            self.assertEqual(unpacked[1].hex(" ", 8), unpacked[0].hex(" ", 8), name)
            java, ours = (re.sub(r" (size|crc): \d+", "", next(dumps)) for _ in pair)
            self.assertEqual(ours, java, name)


if __name__ == "__main__":
    fixture.main()
