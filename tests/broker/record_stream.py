"""Records as bytes, in which the clients that the tests compare take and give them; record_stream.h says how."""
import random
import struct


def pack(record):
    """A fixture.Record, its key, value and header values as bytes."""

    def sized(data):
        return struct.pack(">i", -1) if data is None else struct.pack(">i", len(data)) + data

    parts = [struct.pack(">q", record.timestamp), sized(record.key), sized(record.value),
             struct.pack(">i", len(record.headers))]
    parts += [sized(name.encode()) + sized(value) for name, value in record.headers]
    return b"".join(parts)


def values_of(stream):
    """The sizes of the values in a stream, for messages: what it holds at a glance."""
    sizes, at = [], 0

    def number(layout):
        nonlocal at
        value, = struct.unpack_from(layout, stream, at)
        at += struct.calcsize(layout)
        return value

    def skip():
        nonlocal at
        size = number(">i")
        at += max(size, 0)
        return size

    while at < len(stream):
        number(">q")
        skip()
        sizes.append(skip())
        for _ in range(number(">i")):
            skip()
            skip()
    return sizes


def noise(seed, size):
    """Half of it does not compress."""
    random_part = random.Random(seed).randbytes(size // 2)
    return random_part + (b"the rest repeats itself " * (size // 24 + 1))[:size - len(random_part)]
