#!/usr/bin/env python3
"""Stands between clients and brokers and does to their connections what networks do, by seed.

usage: fault_proxy.py SEED PORT=TARGET_PORT...      (all on 127.0.0.1)

Standard input is told: `wild` and `calm` switch faults on and off; `hide PORT` and `show PORT` part a broker off: its
connections stay, and nothing passes any more. When it ends, standard output has how often each fault was done, as JSON.

A connection lives for a while and then is lost: cut between or in the middle of frames, closed or reset, or with bytes
in front of the cut that are no answer (to brokers: no request). Meanwhile what passes is delayed now and then.
"""
import asyncio
import collections
import json
import random
import socket
import struct
import sys

CHUNK = 1 << 16
LIFE_S = (0.3, 6.0)
KINDS = ("cut", "half a frame", "reset", "garbage", "garbage of the right length", "garbage with the right number")


class Frames:
    """Where frames begin in a stream of bytes."""

    def __init__(self):
        self.left = 0  # of the frame that is passing
        self.head = b""

    def boundary(self, chunk):
        """The first place in the chunk where a frame begins, None: there is none. Takes note of the chunk."""
        found, at = None, 0
        while at < len(chunk):
            if self.left == 0 and found is None and not self.head:
                found = at
            if self.left == 0:
                taken = chunk[at:at + 4 - len(self.head)]
                self.head += taken
                at += len(taken)
                if len(self.head) == 4:
                    self.left, self.head = struct.unpack(">I", self.head)[0], b""
                continue
            step = min(self.left, len(chunk) - at)
            self.left -= step
            at += step
        return found


class Proxy:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.wild = False
        self.shown = {}
        self.counts = collections.Counter()
        self.tasks = set()

    async def serve(self, port, target):
        self.shown[port] = asyncio.Event()
        self.shown[port].set()
        await asyncio.start_server(lambda r, w: self.connected(r, w, port, target), "127.0.0.1", port, limit=CHUNK)

    async def connected(self, reader, writer, port, target):
        self.counts["connections"] += 1
        await self.shown[port].wait()
        try:
            broker_reader, broker_writer = await asyncio.open_connection("127.0.0.1", target, limit=CHUNK)
        except OSError:
            writer.transport.abort()
            return
        ends = [writer, broker_writer]
        for end in ends:
            end.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        dies_at = asyncio.get_running_loop().time() + self.random.uniform(*LIFE_S)
        # The fault comes with what the client sends, or with what it gets.
        victim = self.random.randrange(2)
        for number, (source, sink) in enumerate(((reader, broker_writer), (broker_reader, writer))):
            pump = self.pump(source, sink, ends, port, dies_at if number == victim else None, to_client=number == 1)
            task = asyncio.create_task(pump)
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def pump(self, source, sink, ends, port, dies_at, to_client):
        frames = Frames()
        loop = asyncio.get_running_loop()
        try:
            while chunk := await source.read(CHUNK):
                await self.shown[port].wait()
                boundary = frames.boundary(chunk)
                if self.wild:
                    await self.delay()
                    if dies_at is not None and loop.time() >= dies_at:
                        if await self.break_off(sink, ends, chunk, boundary, to_client):
                            return
                sink.write(chunk)
                await sink.drain()
        except (ConnectionError, OSError):
            pass
        finally:
            for end in ends:
                end.close()

    async def delay(self):
        draw = self.random.random()
        if draw < 0.005:
            await asyncio.sleep(self.random.uniform(0.1, 0.8))
        elif draw < 0.1:
            await asyncio.sleep(self.random.uniform(0, 0.02))

    async def break_off(self, sink, ends, chunk, boundary, to_client):
        """Returns False if this chunk does not suit the fault."""
        kind = self.random.choice(KINDS)
        passed = b""
        if kind == "half a frame":
            passed = chunk[:self.random.randrange(len(chunk))]
        elif kind.startswith("garbage"):
            # Records are protected by checksums, and nothing else is: bytes are changed only where no frame is.
            if boundary is None or len(chunk) < boundary + 8:
                return False
            passed = chunk[:boundary] + self.garbage(kind if to_client else "garbage", chunk[boundary:boundary + 8])
        self.counts[kind] += 1
        if passed:
            sink.write(passed)
            await sink.drain()
            await asyncio.sleep(0.02)  # so that it arrives
        if kind == "reset":
            for end in ends:
                end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.transport.abort()
        return True

    def garbage(self, kind, head):
        noise = self.random.randbytes(self.random.randrange(20, 2000))
        if kind == "garbage":
            return noise
        if kind == "garbage of the right length":
            return struct.pack(">I", len(noise)) + noise
        return struct.pack(">I", len(noise) + 4) + head[4:8] + noise

    def tell(self, line):
        what, *port = line.split()
        if port:
            self.counts[what] += 1
            event = self.shown[int(port[0])]
            event.clear() if what == "hide" else event.set()
        else:
            self.wild = what == "wild"


async def main():
    proxy = Proxy(int(sys.argv[1]))
    for pair in sys.argv[2:]:
        await proxy.serve(*map(int, pair.split("=")))
    print("ready", flush=True)
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := await commands.readline():
        proxy.tell(line.decode())
    print(json.dumps(proxy.counts), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
