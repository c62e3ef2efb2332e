"""Three brokers and a controller on one machine, for tests that move leaders and lose brokers."""
import atexit
import base64
import os
import pathlib
import shutil
import signal
import socket
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "broker")]
import fixture  # noqa: E402
from fixture import wait_until  # noqa: E402

# What all nodes have in common. A broker that is lost is fenced within three seconds.
SETTINGS = {"offsets.topic.replication.factor": 3, "default.replication.factor": 3, "num.partitions": 6,
            "transaction.state.log.replication.factor": 3, "share.coordinator.state.topic.replication.factor": 3,
            "replica.lag.time.max.ms": 5000, "controlled.shutdown.enable": "true"}
CLUSTER_ID = "eWVvdWwtdGVzdC1icm9rZXI"  # tools/kafka's


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """Node 1 is the controller, 2 to 4 are brokers. Ends with the test program."""

    BROKERS = (2, 3, 4)

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="yeoul-cluster-"))
        self.nodes = {number: fixture.Broker(self.folder / str(number)) for number in (1, *self.BROKERS)}
        atexit.register(self.remove)
        self.controller = f"127.0.0.1:{free_port()}"
        self.addresses = {number: f"127.0.0.1:{free_port()}" for number in self.BROKERS}
        self.bootstrap = ",".join(self.addresses.values())
        self.configure(1, {"process.roles": "controller", "listeners": f"CONTROLLER://{self.controller}",
                           "advertised.listeners": f"CONTROLLER://{self.controller}"})
        for number, address in self.addresses.items():
            self.configure(number, {"process.roles": "broker", "listeners": f"PLAINTEXT://{address}",
                                    "advertised.listeners": f"PLAINTEXT://{address}"})

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
