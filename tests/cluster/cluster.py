"""Three brokers and a controller on one machine, for tests that move leaders and lose brokers."""
import atexit
import base64
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "broker")]
import fixture  # noqa: E402
import kafka_broker  # noqa: E402
from fixture import wait_until  # noqa: E402

# What all nodes have in common. A broker that is lost is fenced within three seconds, and leads again soon after it is
# back.
SETTINGS = {"offsets.topic.replication.factor": 3, "default.replication.factor": 3, "num.partitions": 6,
            "transaction.state.log.replication.factor": 3, "share.coordinator.state.topic.replication.factor": 3,
            "replica.lag.time.max.ms": 5000, "controlled.shutdown.enable": "true",
            "leader.imbalance.check.interval.seconds": 5, "leader.imbalance.per.broker.percentage": 0}
CLUSTER_ID = "eWVvdWwtdGVzdC1icm9rZXI"  # tools/kafka's


class FaultProxy:
    """fault_proxy.py in front of brokers. Ends with the test program."""

    def __init__(self, targets, seed):
        """`targets`: port to listen on, to port of the broker."""
        pairs = [f"{port}={target}" for port, target in targets.items()]
        self.process = subprocess.Popen([sys.executable, ROOT / "tests" / "cluster" / "fault_proxy.py", str(seed), *pairs],
                                        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(self.process.kill)
        if self.process.stdout.readline() != "ready\n":
            raise AssertionError("the fault proxy does not start")

    def tell(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def end(self):
        """Returns how often it did what."""
        counts, _ = self.process.communicate(timeout=fixture.PATIENCE_S)
        return json.loads(counts)


def port_of(address):
    return int(address.rsplit(":", 1)[1])


class Cluster:
    """Node 1 is the controller, 2 to 4 are brokers, each in a rack of its own. Ends with the test program."""

    BROKERS = (2, 3, 4)

    def __init__(self, proxy_seed=None):
        """With a seed: clients reach the brokers through a fault proxy, which is calm at first, and their own listener."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="yeoul-cluster-"))
        self.nodes = {number: fixture.Broker(self.folder / str(number)) for number in (1, *self.BROKERS)}
        atexit.register(self.remove)
        free = (f"127.0.0.1:{port}" for port in kafka_broker.free_ports(1 + 3 * len(self.BROKERS)))
        self.controller = next(free)
        self.addresses = {number: next(free) for number in self.BROKERS}
        self.advertised, self.proxy = self.addresses, None
        if proxy_seed is not None:
            self.inner = {number: next(free) for number in self.BROKERS}
            self.advertised = {number: next(free) for number in self.BROKERS}
            self.proxy = FaultProxy({port_of(self.advertised[number]): port_of(self.inner[number])
                                     for number in self.BROKERS}, proxy_seed)
        self.bootstrap = ",".join(self.advertised.values())
        self.configure(1, {"process.roles": "controller", "listeners": f"CONTROLLER://{self.controller}",
                           "advertised.listeners": f"CONTROLLER://{self.controller}"})
        for number, address in self.addresses.items():
            own = {"process.roles": "broker", "listeners": f"PLAINTEXT://{address}", "broker.rack": self.rack(number),
                   "advertised.listeners": f"PLAINTEXT://{address}",
                   "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}
            if self.proxy:
                own["listeners"] += f",PROXIED://{self.inner[number]}"
                own["advertised.listeners"] += f",PROXIED://{self.advertised[number]}"
                own["listener.security.protocol.map"] = "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXIED:PLAINTEXT"
            self.configure(number, own)

    @staticmethod
    def rack(number):
        return f"rack-{number}"

    def configure(self, number, own):
        """Starts a node for the first time."""
        data = self.nodes[number].folder / "data"
        if number != 1:
            data.mkdir(parents=True)
            directory = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=").replace("-", "A")
            (data / "meta.properties").write_text(f"version=1\ncluster.id={CLUSTER_ID}\nnode.id={number}\n"
                                                  f"directory.id={directory}\n")
        settings = SETTINGS | {"node.id": number, "controller.quorum.voters": f"1@{self.controller}"} | own
        words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        self.nodes[number].command("start", "--heap", "256m", *words)

    def restart(self, number):
        """Starts a broker that was killed or stopped."""
        self.nodes[number].command("restart", "--heap", "256m")

    def kill(self, number):
        self.nodes[number].kill()

    def freeze(self, number):
        self.nodes[number].send_signal(signal.SIGSTOP)

    def thaw(self, number):
        self.nodes[number].send_signal(signal.SIGCONT)

    def hide(self, number):
        """Parts a broker off from clients: nothing passes, and no connection is lost."""
        self.proxy.tell("hide", port_of(self.advertised[number]))

    def show(self, number):
        self.proxy.tell("show", port_of(self.advertised[number]))

    def remove(self):
        for node in reversed(list(self.nodes.values())):
            node.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def client(self, number):
        return fixture.Client(self.addresses[number])

    def leader(self, topic, partition, asked, among):
        """Waits until the broker `asked` says that one of `among` leads the partition; returns it."""

        def poll():
            with self.client(asked) as client:
                leader = client.leaders(topic).get(partition)
            return leader in among and leader

        return wait_until(poll, f"one of {among} leads {topic}-{partition}")
