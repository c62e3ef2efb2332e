"""Apache Kafka brokers by their folders, and the Java command lines that run them: the engine of tools/kafka.

The version of tools/kafka-pom.xml is the usual one. A broker can be of another, which its folder then remembers; jars
of other versions are fetched by `tools/setup kafka-VERSION`. The console tools are always those of the usual version:
they speak with every broker from Kafka 2.1 on. Kafka 2 runs with a ZooKeeper of its own, which lives as long as the
broker does.
"""
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

POLL_S = 0.02
FAST_JVM = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
OLDEST = (2, 1)
BROKER, ZOOKEEPER = "kafka.Kafka", "org.apache.zookeeper.server.quorum.QuorumPeerMain"

# A broker in its folder with KRaft: it is its own controller. A killed broker is let in again when its old session has
# ended, hence the short session.
KRAFT_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{second_port}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{second_port}{listeners}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT{protocols}
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
"""

ZOOKEEPER_BROKER_PROPERTIES = """\
broker.id=1
zookeeper.connect=127.0.0.1:{second_port}
zookeeper.session.timeout.ms=3000
listeners=PLAINTEXT://127.0.0.1:{port}{listeners}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT{protocols}
"""

# The cleaner is quick for tests of compacted topics. No record is too old or too new.
COMMON_PROPERTIES = """\
advertised.listeners=PLAINTEXT://127.0.0.1:{port}{listeners}
inter.broker.listener.name=PLAINTEXT
log.dirs={data}
num.partitions=1
auto.create.topics.enable=true
num.network.threads=2
num.io.threads=4
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
transaction.abort.timed.out.transaction.cleanup.interval.ms=1000
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
log.retention.ms=-1
log.message.timestamp.after.max.ms=9223372036854775807
log.cleaner.backoff.ms=200
"""

# `dump` names the nodes that sessions hold, see Broker.start_zookeeper.
ZOOKEEPER_PROPERTIES = """\
dataDir={data}
clientPort={port}
clientPortAddress=127.0.0.1
tickTime=500
admin.enableServer=false
4lw.commands.whitelist=dump
"""

LOG4J = """\
Configuration:
  status: WARN
  Appenders:
    Console:
      name: STDOUT
      target: SYSTEM_{target}
      PatternLayout:
        pattern: "[%d] %p %m (%c)%n"
  Loggers:
    Root:
      level: {level}
      AppenderRef:
        - ref: STDOUT
"""

# Of brokers before Kafka 4.
LOG4J_1 = """\
log4j.rootLogger=INFO, stdout
log4j.appender.stdout=org.apache.log4j.ConsoleAppender
log4j.appender.stdout.layout=org.apache.log4j.PatternLayout
log4j.appender.stdout.layout.ConversionPattern=[%d] %p %m (%c)%n
"""


class Failure(Exception):
    """Ends the program with this text and exit code 1."""


def kafka_version():
    """The usual version, which is that of the console tools, too."""
    pom = (ROOT / "tools" / "kafka-pom.xml").read_text()
    return pom.split("<kafka.version>")[1].split("<")[0]


def major(version):
    return int(version.split(".")[0])


def check_version(version):
    """Before anything is made for it: that it is one, not too old, and here."""
    if not re.fullmatch(r"\d+\.\d+(\.\d+)*", version):
        raise Failure(f"'{version}' is no version of Apache Kafka; give one such as {kafka_version()}")
    if tuple(map(int, version.split(".")[:2])) < OLDEST:
        raise Failure(f"Apache Kafka {version} is too old; tools/kafka starts brokers from {'.'.join(map(str, OLDEST))} on")
    jars(version)


def jars(version):
    folder = ROOT / ".kafka" / f"libs-{version}"
    if not folder.is_dir():
        group = "kafka" if version == kafka_version() else f"kafka-{version}"
        raise Failure(f"the jars of Apache Kafka {version} are not here yet; run: tools/setup {group}")
    return folder


def java(main_class, arguments, jvm=("-Xmx256m",), log=None, record_classes=None, version=None):
    """The command line that runs one of Kafka's main classes. `record_classes`: a file that gets, when the JVM ends, an
    archive of the classes it loaded; with such an archive (see `prepare`) it starts in half the time."""
    version = version or kafka_version()
    command = ["java", *jvm, *FAST_JVM]
    archive = class_archive(main_class, version)
    if record_classes:
        command.append(f"-XX:ArchiveClassesAtExit={record_classes}")
    elif archive.exists():
        command.append(f"-XX:SharedArchiveFile={archive}")
    return [*command, *log_option(log, version), "-cp", f"{jars(version)}/*", main_class, *arguments]


def log_option(log, version):
    if log is None:
        return []
    return [f"-Dlog4j2.configurationFile={log}" if major(version) >= 4 else f"-Dlog4j.configuration=file:{log}"]


def class_archive(main_class, version):
    return ROOT / ".kafka" / f"classes-{version}" / f"{main_class.rsplit('.', 1)[1]}.jsa"


def tool_log():
    """Kafka's tools log warnings to standard error, so that they never mix with the records on standard output."""
    path = ROOT / ".kafka" / "tools-log4j2.yaml"
    if not path.exists():
        write_atomically(path, LOG4J.format(target="ERR", level="WARN"))
    return path


def write_atomically(path, text):
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_text(text)
    temporary.rename(path)


def free_ports(count):
    """Ports below the range that outgoing connections take theirs from. While a broker of the tests is down, a client
    that keeps trying a port within that range can connect to itself."""
    try:
        first_ephemeral = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except OSError:
        first_ephemeral = 32768
    low = 20000 if first_ephemeral > 21000 else 1024
    found = []
    for _ in range(1000):
        if len(found) == count:
            return found
        port = random.SystemRandom().randrange(low, first_ephemeral)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in found:
            found.append(port)
    raise Failure("no free port found on 127.0.0.1")


class Program:
    """A running program by a file with its pid; this process need not have started it. A pid that now belongs to
    another program does not count: the command line must name `marker`."""

    def __init__(self, pid_file, marker, log):
        self.pid_file, self.marker, self.log = pid_file, os.fsencode(marker), log

    def pid(self):
        """None when it does not run."""
        try:
            pid = int(self.pid_file.read_text())
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return None
        return pid if self.marker in command.split(b"\0") else None

    def start(self, command):
        with open(self.log, "wb") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       start_new_session=True, cwd=self.log.parent)
        write_atomically(self.pid_file, f"{process.pid}\n")
        return process

    def wait_until(self, process, ready, deadline, what):
        while not ready():
            if process.poll() is not None:
                self.pid_file.unlink()
                raise Failure(f"{what} ended with code {process.returncode}; {self.log_end()}")
            if time.monotonic() > deadline:
                self.end(signal.SIGKILL, 10)
                raise Failure(f"{what} was not ready in time; {self.log_end()}")
            time.sleep(POLL_S)

    def log_end(self):
        return f"the end of {self.log}:\n" + "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])

    def end(self, with_signal, timeout):
        """Ends it and waits until it is gone. Returns whether it ran."""
        pid = self.pid()
        if pid is None:
            return False
        os.kill(pid, with_signal)
        deadline = time.monotonic() + timeout
        while self.pid() is not None and not self.is_zombie(pid):
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
                deadline = time.monotonic() + 10
            time.sleep(POLL_S)
        self.pid_file.unlink(missing_ok=True)
        return True

    @staticmethod
    def is_zombie(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
        except OSError:
            return True


class Broker:
    """A broker by its folder; this process need not have started it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.properties = self.folder / "server.properties"
        self.zookeeper_properties = self.folder / "zookeeper.properties"
        self.version_file = self.folder / "version"
        self.log = self.folder / "broker.log"
        self.program = Program(self.folder / "broker.pid", self.properties, self.log)
        self.zookeeper = Program(self.folder / "zookeeper.pid", self.zookeeper_properties, self.folder / "zookeeper.log")

    def version(self):
        """The version it was configured for, the usual one before."""
        return self.version_file.read_text().strip() if self.version_file.exists() else kafka_version()

    def choose_version(self, version):
        """Data stays with the version that wrote it."""
        check_version(version)
        if (self.folder / "data").exists() and version != self.version():
            raise Failure(f"{self.folder} has data of a broker {self.version()}, not {version}; --fresh removes it")
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self.version_file, version + "\n")

    def remove_data(self):
        for name in ("data", "zookeeper"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def setting(self, key):
        for line in self.properties.read_text().splitlines() if self.properties.exists() else []:
            if line.startswith(key + "="):
                return line.split("=", 1)[1]
        return None

    def bootstrap(self):
        return self.listeners().get("PLAINTEXT")

    def listeners(self):
        """Host and port of each advertised listener, by its name."""
        text = self.setting("advertised.listeners")
        return dict(listener.split("://") for listener in text.split(",")) if text else {}

    def pid(self):
        """The pid of the running broker, None when it does not run."""
        return self.program.pid()

    def configure(self, port, settings, listeners=None):
        """Writes the properties. Ports once chosen stay, so that clients find a restarted broker again. `listeners`:
        names and security protocols of more of them, on localhost."""
        kept = self.bootstrap()
        listeners = listeners or {}
        addresses = dict(zip(listeners, (f"localhost:{free}" for free in free_ports(len(listeners)))))
        addresses.update((name, address) for name, address in self.listeners().items() if name in listeners)
        if port is None and kept:
            port = int(kept.rsplit(":", 1)[1])
        old = self.setting("controller.quorum.voters") or self.setting("zookeeper.connect")
        free = free_ports(2)
        port = port or free[0]
        second_port = old.rsplit(":", 1)[1] if old else free[1]
        kind = KRAFT_PROPERTIES if self.has_kraft() else ZOOKEEPER_BROKER_PROPERTIES
        text = (kind + COMMON_PROPERTIES).format(
            port=port, second_port=second_port, data=self.folder / "data",
            listeners="".join(f",{name}://{address}" for name, address in addresses.items()),
            protocols="".join(f",{name}:{protocol}" for name, protocol in listeners.items()))
        keys = {setting.split("=", 1)[0] for setting in settings}
        lines = [line for line in text.splitlines() if line.split("=", 1)[0] not in keys]
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self.properties, "\n".join(lines + settings) + "\n")
        if not self.has_kraft():
            write_atomically(self.zookeeper_properties,
                             ZOOKEEPER_PROPERTIES.format(port=second_port, data=self.folder / "zookeeper"))
        write_atomically(self.log_settings(), LOG4J.format(target="OUT", level="INFO") if major(self.version()) >= 4
                         else LOG4J_1)

    def has_kraft(self):
        return major(self.version()) >= 3

    def log_settings(self):
        return self.folder / ("log4j2.yaml" if major(self.version()) >= 4 else "log4j.properties")

    def format(self):
        """Formats the storage. A format costs a JVM start and holds nothing of one broker, so the first is kept."""
        data = self.folder / "data"
        if (data / "meta.properties").exists():
            return
        template = ROOT / ".kafka" / f"formatted-{self.version()}"
        if not template.is_dir():
            shutil.rmtree(data, ignore_errors=True)
            command = java("kafka.tools.StorageTool", ["format", "-t", "eWVvdWwtdGVzdC1icm9rZXI", "-c", str(self.properties)],
                           version=self.version())
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise Failure(f"formatting {data} failed:\n{done.stdout}{done.stderr}")
            partial = template.with_name(f"{template.name}.{os.getpid()}")
            shutil.copytree(data, partial)
            try:
                partial.rename(template)
            except OSError:  # another process was first
                shutil.rmtree(partial)
            return
        shutil.copytree(template, data, dirs_exist_ok=True)

    def start(self, heap="512m", g1=False, timeout=60, record_classes=None):
        if self.pid():
            return
        deadline = time.monotonic() + timeout
        if self.has_kraft():
            self.format()
        else:
            self.start_zookeeper(deadline)
        version = self.version()
        if g1:
            command = ["java", f"-Xmx{heap}", f"-Xms{heap}", "-XX:+UseG1GC", *log_option(self.log_settings(), version),
                       "-cp", f"{jars(version)}/*", BROKER, str(self.properties)]
        else:
            command = java(BROKER, [str(self.properties)], [f"-Xmx{heap}"], self.log_settings(), record_classes, version)
        try:
            process = self.program.start(command)
            ready = re.compile(r"Kafka Server started|\[KafkaServer id=1\] started")
            with open(self.log, errors="replace") as log:
                text = ""

                def is_ready():
                    nonlocal text
                    text += log.read()
                    return ready.search(text)

                self.program.wait_until(process, is_ready, deadline, "the broker")
        except Failure:
            self.zookeeper.end(signal.SIGKILL, 10)
            raise

    def start_zookeeper(self, deadline):
        """Waits until the session of a killed broker has ended, too: before, ZooKeeper does not let it in again."""
        command = java(ZOOKEEPER, [str(self.zookeeper_properties)], ["-Xmx128m"], self.log_settings(),
                       version=self.version())
        process = self.zookeeper.start(command)
        port = int(self.setting("zookeeper.connect").rsplit(":", 1)[1])

        def is_ready():
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                    connection.sendall(b"dump")
                    answer = b"".join(iter(lambda: connection.recv(4096), b""))
            except OSError:
                return False
            return b"ephemerals" in answer.lower() and b"/brokers/ids/" not in answer

        self.zookeeper.wait_until(process, is_ready, deadline, "ZooKeeper")

    def end(self, with_signal, timeout):
        """Ends the broker and waits until it is gone. Returns whether it ran."""
        ran = self.program.end(with_signal, timeout)
        self.zookeeper.end(with_signal, timeout)
        return ran
