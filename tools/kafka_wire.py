"""A small Kafka client for tests: what Kafka's command line tools cannot do, or take a second of JVM start to do.

Topics, partitions, offsets and group offsets; records with a chosen partition, timestamp and headers; transactions
that a test leaves open. One broker, plaintext, blocking, one request at a time. Field layouts follow the protocol
guide of Apache Kafka; every version used here is one without tagged fields.
"""
import socket
import struct
import time

PRODUCE, LIST_OFFSETS, METADATA, OFFSET_COMMIT, OFFSET_FETCH, FIND_COORDINATOR = 0, 2, 3, 8, 9, 10
CREATE_TOPICS, DELETE_TOPICS, INIT_PRODUCER_ID, ADD_PARTITIONS_TO_TXN, END_TXN = 19, 20, 22, 24, 26
CREATE_PARTITIONS, INCREMENTAL_ALTER_CONFIGS = 37, 44

LATEST, EARLIEST = -1, -2

ERRORS = {
    3: "UNKNOWN_TOPIC_OR_PARTITION", 5: "LEADER_NOT_AVAILABLE", 6: "NOT_LEADER_OR_FOLLOWER",
    14: "COORDINATOR_LOAD_IN_PROGRESS", 15: "COORDINATOR_NOT_AVAILABLE", 16: "NOT_COORDINATOR",
    17: "INVALID_TOPIC_EXCEPTION", 35: "UNSUPPORTED_VERSION", 36: "TOPIC_ALREADY_EXISTS", 37: "INVALID_PARTITIONS",
    38: "INVALID_REPLICATION_FACTOR",
    40: "INVALID_CONFIG", 41: "NOT_CONTROLLER", 42: "INVALID_REQUEST", 47: "INVALID_PRODUCER_EPOCH",
    48: "INVALID_TXN_STATE", 51: "CONCURRENT_TRANSACTIONS", 87: "INVALID_RECORD",
}
# 38: with ZooKeeper a broker begins to answer before its controller knows of it; topics here have one replica only.
RETRIABLE = {3, 5, 6, 14, 15, 16, 38, 41, 51}


class KafkaError(Exception):
    """An error code in a broker's answer."""

    def __init__(self, what, code, message=None):
        super().__init__(f"{what}: {ERRORS.get(code, f'error code {code}')}" + (f" ({message})" if message else ""))
        self.code = code


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, fmt):
        (value,) = struct.unpack_from(">" + fmt, self.data, self.at)
        self.at += struct.calcsize(">" + fmt)
        return value

    def i8(self):
        return self.take("b")

    def i16(self):
        return self.take("h")

    def i32(self):
        return self.take("i")

    def i64(self):
        return self.take("q")

    def string(self):
        length = self.i16()
        if length < 0:
            return None
        self.at += length
        return self.data[self.at - length:self.at].decode()

    def array(self, item):
        return [item() for _ in range(self.i32())]


def _string(text):
    if text is None:
        return struct.pack(">h", -1)
    data = text.encode()
    return struct.pack(">h", len(data)) + data


def _array(items):
    items = list(items)
    return struct.pack(">i", len(items)) + b"".join(items)


def _i16(value):
    return struct.pack(">h", value)


def _i32(value):
    return struct.pack(">i", value)


def _i64(value):
    return struct.pack(">q", value)


def _varint(value):
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value & ~0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _varbytes(data):
    return _varint(-1) if data is None else _varint(len(data)) + data


def _crc32c_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_CRC32C = _crc32c_table()


def _crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC32C[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def _as_bytes(data):
    return data.encode() if isinstance(data, str) else data


class Record:
    """A record to produce: key and value are text, bytes or None; timestamp in milliseconds, None means now."""

    def __init__(self, value, key=None, timestamp=None, headers=()):
        self.value, self.key, self.timestamp = _as_bytes(value), _as_bytes(key), timestamp
        self.headers = [(name, _as_bytes(data)) for name, data in headers]


def record_batch(records, producer_id=-1, epoch=-1, sequence=-1):
    """Encodes one uncompressed record batch (magic 2)."""
    now = int(time.time() * 1000)
    times = [now if record.timestamp is None else record.timestamp for record in records]
    body = bytearray()
    for index, (record, timestamp) in enumerate(zip(records, times)):
        data = b"\0" + _varint(timestamp - times[0]) + _varint(index) + _varbytes(record.key) + _varbytes(record.value)
        data += _varint(len(record.headers))
        for name, value in record.headers:
            data += _varbytes(name.encode()) + _varbytes(value)
        body += _varint(len(data)) + data
    attributes = 16 if producer_id >= 0 else 0  # 16: part of a transaction
    tail = struct.pack(">hiqqqhii", attributes, len(records) - 1, times[0], max(times), producer_id, epoch, sequence,
                       len(records)) + bytes(body)
    return struct.pack(">qiibI", 0, len(tail) + 9, -1, 2, _crc32c(tail)) + tail


class Client:
    """One connection to the broker at `bootstrap` ("host:port"). A context manager."""

    def __init__(self, bootstrap, timeout=30):
        host, port = bootstrap.rsplit(":", 1)
        self.bootstrap = bootstrap
        self.timeout = timeout
        self.correlation = 0
        self.socket = socket.create_connection((host, int(port)), timeout=timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def _read(self, length):
        data = bytearray()
        while len(data) < length:
            part = self.socket.recv(length - len(data))
            if not part:
                raise ConnectionError(f"the broker at {self.bootstrap} closed the connection")
            data += part
        return bytes(data)

    def call(self, api, version, body):
        self.correlation += 1
        request = struct.pack(">hhi", api, version, self.correlation) + _string("yeoul-tools") + body
        self.socket.sendall(_i32(len(request)) + request)
        reader = _Reader(self._read(struct.unpack(">i", self._read(4))[0]))
        if reader.i32() != self.correlation:
            raise ConnectionError("the broker answered another request")
        return reader

    def _retry(self, attempt):
        """Runs `attempt` until it raises no retriable error, within the client's timeout."""
        deadline = time.monotonic() + self.timeout
        while True:
            try:
                return attempt()
            except KafkaError as error:
                if error.code not in RETRIABLE or time.monotonic() > deadline:
                    raise
            time.sleep(0.02)  # between two polls of the broker

    def partitions(self, topics=None):
        """{topic: sorted partition numbers}; a topic that does not exist is left out. None: all topics."""
        return {name: sorted(leaders) for name, leaders in self._metadata(topics).items()}

    def leaders(self, topic):
        """{partition: number of the broker that leads it, -1 if none does}."""
        return self._metadata([topic]).get(topic, {})

    def _metadata(self, topics):
        names = _i32(-1) if topics is None else _array(_string(t) for t in topics)
        reader = self.call(METADATA, 4, names + b"\0")  # 0: do not create them
        reader.i32()  # throttle time
        reader.array(lambda: (reader.i32(), reader.string(), reader.i32(), reader.string()))  # brokers
        reader.string()  # cluster id
        reader.i32()  # controller
        found = {}
        for _ in range(reader.i32()):
            error, name = reader.i16(), reader.string()
            reader.i8()  # internal
            leaders = {}
            for _ in range(reader.i32()):
                reader.i16()  # error
                partition = reader.i32()
                leaders[partition] = reader.i32()
                reader.array(reader.i32)  # replicas
                reader.array(reader.i32)  # in-sync replicas
            if error == 0:
                found[name] = leaders
        return found

    def _topic_results(self, reader, what, expected=()):
        for _ in range(reader.i32()):
            name, code = reader.string(), reader.i16()
            message = reader.string() if what != "delete topic" else None
            if code and code not in expected:
                raise KafkaError(f"{what} '{name}'", code, message)

    def create_topics(self, names, partitions=1, configs=None, if_not_exists=False):
        settings = _array(_string(key) + _string(str(value)) for key, value in (configs or {}).items())
        topics = _array(_string(n) + _i32(partitions) + _i16(1) + _array([]) + settings for n in names)

        def attempt():
            reader = self.call(CREATE_TOPICS, 3, topics + _i32(30000) + b"\0")
            reader.i32()  # throttle time
            self._topic_results(reader, "create topic", {36} if if_not_exists else ())

        self._retry(attempt)
        self._retry(lambda: self._require_leaders(names))

    def _require_leaders(self, names):
        """A new topic is usable when the broker leads all its partitions, which is a moment after its creation."""
        for name in names:
            for partition in self.partitions([name]).get(name, []) or [0]:
                self._list_offset(name, partition, LATEST, 0)

    def add_partitions(self, name, total):
        def attempt():
            reader = self.call(CREATE_PARTITIONS, 1, _array([_string(name) + _i32(total) + _i32(-1)]) + _i32(30000) + b"\0")
            reader.i32()  # throttle time
            self._topic_results(reader, "add partitions to topic")

        self._retry(attempt)
        self._retry(lambda: self._list_offset(name, total - 1, LATEST, 0))

    def delete_topics(self, names):
        reader = self.call(DELETE_TOPICS, 1, _array(_string(n) for n in names) + _i32(30000))
        reader.i32()  # throttle time
        self._topic_results(reader, "delete topic")

    def alter_topic(self, name, configs):
        changes = _array(_string(key) + b"\0" + _string(str(value)) for key, value in configs.items())
        reader = self.call(INCREMENTAL_ALTER_CONFIGS, 0, _array([b"\2" + _string(name) + changes]) + b"\0")
        reader.i32()  # throttle time
        for _ in range(reader.i32()):
            code, message = reader.i16(), reader.string()
            reader.i8()
            reader.string()
            if code:
                raise KafkaError(f"alter topic '{name}'", code, message)

    def _list_offset(self, topic, partition, timestamp, isolation):
        body = _i32(-1) + struct.pack(">b", isolation)
        body += _array([_string(topic) + _array([_i32(partition) + _i64(timestamp)])])
        reader = self.call(LIST_OFFSETS, 2, body)
        reader.i32()  # throttle time
        reader.i32()
        reader.string()
        reader.i32()
        reader.i32()  # partition
        code = reader.i16()
        if code:
            raise KafkaError(f"offset of {topic}-{partition}", code)
        reader.i64()  # timestamp
        return reader.i64()

    def offsets(self, topic, timestamp=LATEST, read_committed=False):
        """{partition: offset}: LATEST (with read_committed the last stable offset), EARLIEST, or the first record at
        or after a time in milliseconds (-1 when there is none)."""
        numbers = self.partitions([topic]).get(topic)
        if numbers is None:
            raise KafkaError(f"offsets of topic '{topic}'", 3)
        return {p: self._retry(lambda: self._list_offset(topic, p, timestamp, int(read_committed))) for p in numbers}

    def _group_ready(self, group):
        def attempt():
            reader = self.call(FIND_COORDINATOR, 1, _string(group) + b"\0")
            reader.i32()  # throttle time
            code, message = reader.i16(), reader.string()
            if code:
                raise KafkaError(f"coordinator of group '{group}'", code, message)

        self._retry(attempt)

    def group_offsets(self, group, topic):
        """{partition: committed offset} of a group; partitions without a commit are left out."""
        self._group_ready(group)
        numbers = self.partitions([topic]).get(topic, [])

        def attempt():
            body = _string(group) + _array([_string(topic) + _array(_i32(p) for p in numbers)])
            reader = self.call(OFFSET_FETCH, 2, body)
            found = {}
            for _ in range(reader.i32()):
                reader.string()
                for _ in range(reader.i32()):
                    partition, offset = reader.i32(), reader.i64()
                    reader.string()  # metadata
                    code = reader.i16()
                    if code:
                        raise KafkaError(f"offsets of group '{group}'", code)
                    if offset >= 0:
                        found[partition] = offset
            code = reader.i16()
            if code:
                raise KafkaError(f"offsets of group '{group}'", code)
            return found

        return self._retry(attempt)

    def set_group_offsets(self, group, topic, offsets):
        """Commits {partition: offset} for a group that has no members."""
        self._group_ready(group)
        rows = _array(_i32(p) + _i64(offset) + _string(None) for p, offset in offsets.items())

        def attempt():
            body = _string(group) + _i32(-1) + _string("") + _i64(-1) + _array([_string(topic) + rows])
            reader = self.call(OFFSET_COMMIT, 2, body)
            for _ in range(reader.i32()):
                reader.string()
                for _ in range(reader.i32()):
                    partition, code = reader.i32(), reader.i16()
                    if code:
                        raise KafkaError(f"commit of group '{group}' for {topic}-{partition}", code)

        self._retry(attempt)

    def produce(self, topic, partition, records, transaction=None):
        """Appends one batch to a partition; returns the offset of its first record."""
        if transaction is None:
            batch = record_batch(records)
        else:
            batch = transaction.batch(topic, partition, records)
        body = _string(transaction and transaction.transactional_id) + _i16(-1) + _i32(30000)
        body += _array([_string(topic) + _array([_i32(partition) + _i32(len(batch)) + batch])])

        def attempt():
            reader = self.call(PRODUCE, 7, body)
            reader.i32()
            reader.string()
            reader.i32()
            reader.i32()  # partition
            code = reader.i16()
            if code:
                raise KafkaError(f"produce to {topic}-{partition}", code)
            return reader.i64()

        return self._retry(attempt)


class Transaction:
    """One transactional producer. begin is implicit; leave it without commit or abort to have an open transaction."""

    def __init__(self, client, transactional_id, timeout_ms=60000):
        self.client, self.transactional_id = client, transactional_id
        self.sequences, self.enlisted = {}, set()

        def coordinator():
            reader = client.call(FIND_COORDINATOR, 1, _string(transactional_id) + b"\1")
            reader.i32()  # throttle time
            code, message = reader.i16(), reader.string()
            if code:
                raise KafkaError(f"coordinator of transactional id '{transactional_id}'", code, message)

        def identity():
            reader = client.call(INIT_PRODUCER_ID, 1, _string(transactional_id) + _i32(timeout_ms))
            reader.i32()  # throttle time
            code = reader.i16()
            if code:
                raise KafkaError(f"producer id for '{transactional_id}'", code)
            return reader.i64(), reader.i16()

        client._retry(coordinator)
        self.producer_id, self.epoch = client._retry(identity)

    def _identity(self):
        return _string(self.transactional_id) + _i64(self.producer_id) + _i16(self.epoch)

    def _enlist(self, topic, partition):
        def attempt():
            body = self._identity() + _array([_string(topic) + _array([_i32(partition)])])
            reader = self.client.call(ADD_PARTITIONS_TO_TXN, 1, body)
            reader.i32()  # throttle time
            for _ in range(reader.i32()):
                reader.string()
                for _ in range(reader.i32()):
                    number, code = reader.i32(), reader.i16()
                    if code:
                        raise KafkaError(f"add {topic}-{number} to the transaction", code)

        self.client._retry(attempt)
        self.enlisted.add((topic, partition))

    def batch(self, topic, partition, records):
        if (topic, partition) not in self.enlisted:
            self._enlist(topic, partition)
        sequence = self.sequences.get((topic, partition), 0)
        self.sequences[topic, partition] = sequence + len(records)
        return record_batch(records, self.producer_id, self.epoch, sequence)

    def produce(self, topic, partition, records):
        return self.client.produce(topic, partition, records, transaction=self)

    def _end(self, commit):
        def attempt():
            reader = self.client.call(END_TXN, 1, self._identity() + struct.pack(">b", commit))
            reader.i32()  # throttle time
            code = reader.i16()
            if code:
                raise KafkaError("end of transaction", code)

        self.client._retry(attempt)
        self.enlisted.clear()

    def commit(self):
        self._end(1)

    def abort(self):
        self._end(0)
