"""Apache Flink as a contender: a session cluster of one job manager and one task manager, jobs by its SQL gateway.

What counts is the CPU time of both managers while a job runs; the gateway is not counted. The cluster stays up, so
counted runs are those of a JVM that has done the same job before. Objects are reused between operators, which is faster
than Flink's default.
"""
import json
import os
import pathlib
import re
import socket
import subprocess
import time
import urllib.request

from contenders import GENERATED_JOBS, ROOT, Contender, Cost, job_sql, peak_mb

HOME = next((ROOT / ".flink").glob("flink-*"), None) if (ROOT / ".flink").is_dir() else None
TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE_S = 120


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def http(method, url, body=None):
    request = urllib.request.Request(url, method=method, headers={"Content-Type": "application/json"},
                                     data=None if body is None else json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.loads(answer.read() or b"{}")
    except urllib.error.HTTPError as error:
        raise SystemExit(f"Flink: {method} {url}: {error.read().decode(errors='replace')[:2000]}") from error


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def pin(pid, cores):
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            os.sched_setaffinity(int(task), cores)
        except ProcessLookupError:
            pass


class Flink(Contender):
    name = "flink"
    jobs = ("a", "b", "c", "e", "g", *GENERATED_JOBS)
    scale = 0.1

    def __init__(self, folder):
        super().__init__(folder)
        self.processes = []
        self.managers = []
        self.rest = self.gateway = self.session = ""

    def prepare(self):
        if HOME is None:
            raise SystemExit("Apache Flink is not here; run: bench/setup_flink")
        self.rest, self.gateway = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        environment = os.environ | {"FLINK_CONF_DIR": str(self.configure()), "FLINK_LOG_DIR": str(self.folder)}
        for script in ("jobmanager.sh", "taskmanager.sh", "sql-gateway.sh"):
            with open(self.folder / f"{script}.txt", "wb") as log:
                self.processes.append(subprocess.Popen([HOME / "bin" / script, "start-foreground"], env=environment,
                                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        self.managers = [process.pid for process in self.processes[:2]]
        self.wait_for(lambda: http("GET", f"{self.rest}/overview").get("taskmanagers") == 1, "its task manager")
        self.wait_for(lambda: http("GET", f"{self.gateway}/v1/info"), "its SQL gateway")

    def configure(self):
        conf = self.folder / "flink-conf"
        conf.mkdir()
        for file in (HOME / "conf").iterdir():
            if file.name != "config.yaml":
                (conf / file.name).write_bytes(file.read_bytes())
        java = re.search(r"^ +all: (.*)$", (HOME / "conf" / "config.yaml").read_text(), re.M)[1]
        settings = {
            "env.java.opts.all": java, "jobmanager.rpc.address": "localhost", "jobmanager.rpc.port": free_port(),
            "jobmanager.bind-host": "localhost", "jobmanager.memory.process.size": "1600m",
            "taskmanager.bind-host": "localhost", "taskmanager.host": "localhost",
            "taskmanager.memory.process.size": "4096m", "taskmanager.numberOfTaskSlots": 1,
            "parallelism.default": 1, "pipeline.object-reuse": "true", "rest.address": "localhost",
            "rest.bind-address": "localhost", "rest.port": self.rest.rsplit(":", 1)[1],
            "sql-gateway.endpoint.rest.address": "127.0.0.1", "sql-gateway.endpoint.rest.bind-address": "127.0.0.1",
            "sql-gateway.endpoint.rest.port": self.gateway.rsplit(":", 1)[1],
        }
        (conf / "config.yaml").write_text("".join(f"{key}: {value}\n" for key, value in settings.items()))
        return conf

    def wait_for(self, condition, what):
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                if condition():
                    return
            except OSError:
                pass
            if time.monotonic() > deadline or any(process.poll() is not None for process in self.processes):
                raise SystemExit(f"Flink did not start {what}; see {self.folder}")
            time.sleep(0.2)

    def run(self, run):
        for pid in self.managers:
            pin(pid, {run.core} if run.core is not None else set(range(os.cpu_count())))
        session = f"{self.gateway}/v1/sessions"
        session += "/" + http("POST", session, {"properties": {}})["sessionHandle"]
        before = sum(map(cpu_seconds, self.managers))
        job = None
        for statement in filter(None, (part.strip() for part in job_sql(run).split(";"))):
            job = self.execute(session, statement)
        state = {}
        while state.get("state") != "FINISHED":
            if state.get("state") in ("FAILED", "CANCELED"):
                raise SystemExit(f"Flink's job {run.job} {state['state']}: see {self.folder}")
            time.sleep(0.05)
            state = http("GET", f"{self.rest}/jobs/{job}")
        cpu = sum(map(cpu_seconds, self.managers)) - before
        http("DELETE", session)
        times = state["timestamps"]
        return Cost(cpu, (times["FINISHED"] - times["RUNNING"]) / 1000, sum(map(peak_mb, self.managers)))

    def execute(self, session, statement):
        """Runs a statement to its result; returns the job's id for one that starts a job."""
        operation = http("POST", f"{session}/statements", {"statement": statement})["operationHandle"]
        while True:
            answer = http("GET", f"{session}/operations/{operation}/result/0")
            if answer["resultType"] != "NOT_READY":
                return answer.get("jobID")
            time.sleep(0.02)

    def close(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
