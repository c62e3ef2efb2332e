#!/usr/bin/env python3
"""The program as a user meets it: help, exit codes, messages, forms of output, the demo, the examples of the README.

Ends with `cli: N passed, N failed`.
"""
import fcntl
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import prometheus_text  # noqa: E402

PROGRAM = os.environ.get("YEOUL_BIN", str(ROOT / "build/release/bin/yeoul"))
LIMIT_S = 60


def run(*arguments, sql=None, folder=None):
    return subprocess.run([PROGRAM, *arguments], input=sql, capture_output=True, text=True, timeout=LIMIT_S, cwd=folder)


class Program(unittest.TestCase):
    def wait_until(self, condition):
        deadline = time.monotonic() + LIMIT_S
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)  # between two polls

    def test_help_everywhere(self):
        for arguments in ((), ("--help",), ("run", "--help"), ("explain", "--help"), ("demo", "--help"),
                          ("version", "--help"), ("help", "run")):
            result = run(*arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("yeoul", result.stdout)

    def test_a_misspelt_command_or_option_names_the_nearest(self):
        for arguments, near in ((("rum", "x.sql"), "'run'"), (("run", "x.sql", "--outptu", "csv"), "'--output'"),
                                (("run", "x.sql", "--output", "jsno"), "'json'"), (("help", "rum"), "'run'"),
                                (("run", "x.sql", "--metrics-port", ""), "'--metrics-port' needs a value")):
            result = run(*arguments)
            self.assertEqual(result.returncode, 1)
            self.assertIn(near, result.stderr)

    def test_what_the_user_got_wrong_is_code_1(self):
        for sql in ("SELEC 1;", "SELECT a FROM nope;", "SET 'parallelism.defualt' = '2';", "\x00\x01garbage"):
            self.assertEqual(run("run", "-", sql=sql).returncode, 1, sql)
        self.assertEqual(run("run", "no-such-file.sql").returncode, 1)

    def test_a_job_that_fails_is_code_2(self):
        result = run("run", "-", sql="SELECT 1 / a FROM (VALUES (1), (0)) AS t(a);")
        self.assertEqual(result.returncode, 2)
        self.assertIn("Division by zero", result.stderr)

    def test_a_syntax_error_shows_the_place(self):
        result = run("run", "-", sql="SELECT a FROM\n  t WHERE x = ;")
        self.assertIn("line 2, column 14", result.stderr)
        self.assertRegex(result.stderr, r"\n +\^")

    def test_forms_of_output(self):
        sql = "SELECT k, v FROM (VALUES ('a', 1), ('b', CAST(NULL AS INT)), ('', 3)) AS t(k, v);"
        lines = run("run", "-", "--output", "json", sql=sql).stdout.splitlines()
        self.assertEqual([json.loads(line) for line in lines],
                         [{"op": "+I", "k": "a", "v": 1}, {"op": "+I", "k": "b", "v": None},
                          {"op": "+I", "k": "", "v": 3}])
        self.assertEqual(run("run", "-", "--output", "csv", sql=sql).stdout, 'op,k,v\n+I,a,1\n+I,b,\n+I,"",3\n')
        table = run("run", "-", sql=sql).stdout
        self.assertIn("Received a total of 3 rows", table)
        self.assertIn("<NULL>", table)

    def test_the_closing_line(self):
        result = run("run", "-", sql="SELECT a FROM (VALUES (1), (2)) AS t(a);")
        self.assertRegex(result.stderr, r"job 'collect' FINISHED: in 2 rows .* out 2 rows .*skipped 0.*rows/s.*memory")
        self.assertEqual(run("run", "-", "--quiet", sql="SELECT 1;").stderr, "")
        # The memory is the program's own, not that of a large one which started it.
        large = "import os, sys; text = b'x' * (400 << 20); os.execvp(sys.argv[1], sys.argv[1:])"
        started = subprocess.run([sys.executable, "-c", large, PROGRAM, "run", "-"], input="SELECT 1;",
                                 capture_output=True, text=True, timeout=60)
        self.assertRegex(started.stderr, r"memory \d\d?(\.\d+)? MB")

    def test_version_is_quick(self):
        times = []
        for _ in range(5):
            begin = time.monotonic()
            self.assertRegex(run("version").stdout, r"^yeoul \d+\.\d+\.\d+\n$")
            times.append(time.monotonic() - begin)
        self.assertLess(min(times), 0.02)

    def test_a_signal_stops_a_job_cleanly(self):
        sql = ("CREATE TABLE g (a BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '100');"
               "CREATE TABLE p (a BIGINT) WITH ('connector' = 'print'); INSERT INTO p SELECT a FROM g;")
        for number in (signal.SIGINT, signal.SIGTERM):
            with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
                script.write(sql)
                script.flush()
                process = subprocess.Popen([PROGRAM, "run", script.name], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True)
                process.stdout.readline()  # it runs
                process.send_signal(number)
                process.send_signal(number)  # as timeout(1) does: to the process, and to its group
                _, notes = process.communicate(timeout=LIMIT_S)
            self.assertEqual(process.returncode, 0, notes)
            self.assertIn("CANCELED", notes)

    def test_a_failed_job_is_told_of_while_others_run_on(self):
        sql = ("CREATE TABLE g (a BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '100');"
               "CREATE TABLE b (a BIGINT) WITH ('connector' = 'blackhole'); INSERT INTO b SELECT a FROM g;"
               "INSERT INTO b SELECT 1 / a FROM (VALUES (CAST(0 AS BIGINT))) AS t(a);")
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
            script.write(sql)
            script.flush()
            with subprocess.Popen([PROGRAM, "run", script.name], stderr=subprocess.PIPE, text=True) as process:
                self.addCleanup(process.kill)
                self.assertRegex(process.stderr.readline(), "job '.*' failed: .*Division by zero")
                self.assertIsNone(process.poll())
                process.send_signal(signal.SIGINT)
                self.assertIn("CANCELED", process.stderr.read())
        self.assertEqual(process.returncode, 2)

    def test_metrics_are_served_while_a_job_runs(self):
        sql = ("CREATE TABLE g (a BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000');"
               "CREATE TABLE b (a BIGINT) WITH ('connector' = 'blackhole'); INSERT INTO b SELECT a FROM g WHERE a <> 0;")
        with subprocess.Popen([PROGRAM, "run", "-", "--metrics-port", "0", "--log-format", "json"], text=True,
                              stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            self.addCleanup(process.kill)
            process.stdin.write(sql)
            process.stdin.close()
            notes = [json.loads(process.stderr.readline())]
            address = re.fullmatch(r"metrics: (http://127\.0\.0\.1:\d+/metrics)", notes[0]["message"])[1]
            deadline = time.monotonic() + LIMIT_S
            sent = []
            while sum(sent) < 100 and time.monotonic() < deadline:
                samples = prometheus_text.scrape(address)
                sent = prometheus_text.values(samples, "flink_taskmanager_job_task_operator_numRecordsSend")
            self.assertGreaterEqual(sum(sent), 100)
            taken = subprocess.run([PROGRAM, "run", "-", "--metrics-port", address.split(":")[2].split("/")[0]], input=sql,
                                   capture_output=True, text=True, timeout=LIMIT_S)
            self.assertEqual(taken.returncode, 1)
            self.assertIn("Address already in use", taken.stderr)
            process.send_signal(signal.SIGTERM)
            # Each line that the program says is an object.
            notes += [json.loads(line) for line in process.stderr]
            self.assertEqual(process.wait(LIMIT_S), 0)
        self.assertIn("CANCELED", notes[-1]["message"])
        self.assertEqual({note["component"] for note in notes}, {"yeoul"})

    def live_line(self, sql, enough):
        """What a job draws on a terminal, until `enough` of it was seen."""
        terminal, line = os.openpty()
        fcntl.ioctl(line, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 180, 0, 0))
        with subprocess.Popen([PROGRAM, "run", "-", "-D", "parallelism.default=2"], text=True, stdin=subprocess.PIPE,
                              stderr=line) as process:
            self.addCleanup(process.kill)
            os.close(line)
            process.stdin.write(sql)
            process.stdin.close()
            seen, deadline = "", time.monotonic() + LIMIT_S
            while not enough(seen) and time.monotonic() < deadline:
                seen += os.read(terminal, 4096).decode()
            process.send_signal(signal.SIGTERM)
            try:
                while os.read(terminal, 4096):
                    pass
            except OSError:  # it has ended
                pass
            self.assertEqual(process.wait(LIMIT_S), 0)
        os.close(terminal)
        for drawn in seen.split("\r\x1b[K"):
            self.assertLess(len(drawn), 180)
        return seen

    def test_the_live_line_names_the_busiest_operator_and_who_is_backpressured(self):
        # Groups cost more than rows, so that what makes rows waits for what groups them.
        sql = ("CREATE TABLE g (a BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '50000000',"
               "'fields.a.min' = '1', 'fields.a.max' = '1000');"
               "CREATE TABLE b (a BIGINT, n BIGINT, s DOUBLE, m BIGINT, x BIGINT) WITH ('connector' = 'blackhole');"
               "INSERT INTO b SELECT a, COUNT(*), AVG(a * 1.5E0), MIN(a + 1), MAX(a * a) FROM g GROUP BY a;")
        line = re.compile(r"\r\x1b\[KRUNNING  in [\d,]+/s .*  busiest GroupAggregate \d+%  backpressured Source: g \d+%")
        seen = self.live_line(sql, line.search)
        self.assertRegex(seen, line)

    def test_logs_have_levels_and_no_secrets(self):
        kafka = ("CREATE TABLE k (a BIGINT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',"
                 "'properties.bootstrap.servers' = '127.0.0.1:1', 'scan.startup.mode' = 'earliest-offset'{}); SELECT a FROM k;")
        with subprocess.Popen([PROGRAM, "run", "-", "--log-level", "trace"], text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            self.addCleanup(process.kill)
            process.stdin.write(kafka.format(""))
            process.stdin.close()
            self.assertRegex(process.stderr.readline(),
                             r"^\d{4}-\d\d-\d\dT\S+Z (TRACE|DEBUG|INFO|WARN|ERROR) \S+ \[\S.*\] \S")
            process.kill()
        login = (", 'properties.default.api.timeout.ms' = '500', 'properties.security.protocol' = 'SASL_PLAINTEXT', 'properties.sasl.mechanism' = 'PLAIN',"
                 "'properties.sasl.jaas.config' = 'org.apache.kafka.common.security.plain.PlainLoginModule required"
                 " username=\"joe\" password=\"tEll-n0body\";'")
        result = run("run", "-", "--log-level", "trace", "--log-format", "json", sql=kafka.format(login))
        self.assertEqual(result.returncode, 2)
        self.assertIn("Connection refused", result.stderr)
        self.assertNotIn("tEll-n0body", result.stderr)

    def test_completions_and_the_manual_come_from_the_help(self):
        script = run("completion", "bash").stdout + """
            complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _yeoul; echo "${COMPREPLY[@]}"; }
            complete_words yeoul ex; complete_words yeoul run --metr; complete_words yeoul run x.sql --output ''
            complete_words yeoul completion f"""
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=LIMIT_S)
        self.assertEqual(done.stdout.split("\n"), ["explain", "--metrics-port", "table json csv live", "fish", ""], done.stderr)
        for shell in ("zsh", "fish"):
            text = run("completion", shell).stdout
            for word in ("explain", "metrics-port", "table json csv live"):
                self.assertIn(word, text)
        self.assertEqual(run("completion", "tcsh").returncode, 1)
        page = run("help", "--man").stdout
        self.assertRegex(page, r"^\.TH YEOUL 1 ")
        for option in re.findall(r"^  (-\S+)", run("run", "--help").stdout, re.MULTILINE):
            self.assertIn(".B " + option.replace("-", "\\-"), page)

    def test_a_closed_pipe_stops_the_script(self):
        sql = "CREATE TABLE g (a BIGINT) WITH ('connector' = 'datagen'); SELECT a FROM g; SELECT a FROM g;"
        for form in ("json", "csv", "table", "live"):
            with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
                script.write(sql)
                script.flush()
                with subprocess.Popen([PROGRAM, "run", script.name, "--output", form], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL) as process:
                    self.addCleanup(process.kill)
                    process.stdout.readline()
                    process.stdout.close()
                    self.assertEqual(process.wait(LIMIT_S), 0, form)

    def test_output_that_cannot_be_written_is_code_2(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([PROGRAM, "run", "-"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S,
                                    input="CREATE TABLE g (a BIGINT) WITH ('connector' = 'datagen'); SELECT a FROM g;")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("standard output", result.stderr)

    def test_help_that_cannot_be_written_is_code_2(self):
        for arguments in (("--help",), ("version",), ("completion", "bash"), ("explain", "-"), ("run", "-")):
            with open("/dev/full", "wb") as full:
                result = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S,
                                        input="EXPLAIN SELECT 1;" if arguments[0] == "run" else "SELECT 1;")
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("YEOUL-4501", result.stderr)

    def test_descriptors_that_are_missing_are_not_taken_by_files(self):
        sql = """SET 'execution.checkpointing.interval' = '20 ms'; SET 'restart-strategy.type' = 'none';
                 SET 'execution.checkpointing.dir' = '{}';
                 CREATE TABLE g (a BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '1000');
                 CREATE TABLE p (a BIGINT) WITH ('connector' = 'print');
                 INSERT INTO p SELECT a FROM g;"""
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "job.sql")
            script.write_text(sql.format(folder + "/checkpoints"), encoding="utf-8")
            for closed, codes in ((">&-", (2,)), ("<&- >&-", (2,)), ("<&- 2>&-", (0,)), ("<&- >&- 2>&-", (2,))):
                result = subprocess.run(["sh", "-c", f'exec "$0" run "$1" {closed}', PROGRAM, script],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S)
                self.assertIn(result.returncode, codes, (closed, result.stderr))
                for path in pathlib.Path(folder, "checkpoints").rglob("_lock"):
                    self.assertNotIn("+I", path.read_text(encoding="utf-8"), closed)
            for arguments in (("version",), ("--help",)):
                result = subprocess.run(["sh", "-c", 'exec "$0" "$1" >&-', PROGRAM, *arguments], stderr=subprocess.PIPE,
                                        text=True, timeout=LIMIT_S)
                self.assertEqual(result.returncode, 2, result.stderr)

    def test_option_values_out_of_range_are_refused_at_once(self):
        for key, value in (("execution.checkpointing.timeout", "0"), ("execution.checkpointing.interval", "1 ms"),
                           ("execution.checkpointing.tolerable-failed-checkpoints", "-1"),
                           ("execution.checkpointing.num-retained", "0"), ("parallelism.default", "0"),
                           ("parallelism.default", "32769"), ("pipeline.max-parallelism", "32769"),
                           ("pipeline.max-parallelism", "0"), ("restart-strategy.fixed-delay.attempts", "-1"),
                           ("restart-strategy.exponential-delay.initial-backoff", "0"),
                           ("restart-strategy.failure-rate.max-failures-per-interval", "0"),
                           ("execution.checkpointing.num-retained", "5000000000"), ("yeoul.batch-rows", "0")):
            for result in (run("run", "-", sql=f"SET '{key}' = '{value}';"), run("run", "-", "-D", f"{key}={value}", sql="")):
                self.assertEqual(result.returncode, 1, (key, value))
                self.assertIn(f"option '{key}': '{value}' is too", result.stderr)

    def test_restart_strategies(self):
        for strategy in ("none", "off", "fixed-delay", "exponential-delay", "failure-rate"):
            self.assertEqual(run("run", "-", sql=f"SET 'restart-strategy.type' = '{strategy}'; SELECT 1;").returncode, 0)
        result = run("run", "-", sql="SET 'restart-strategy.type' = 'exponential';")
        self.assertEqual(result.returncode, 1)
        self.assertIn("the types are none, fixed-delay, exponential-delay and failure-rate", result.stderr)
        result = run("run", "-", sql="SET 'restart-strategy.exponential-delay.max-backoff' = '1 ms'; SELECT 1;")
        self.assertEqual(result.returncode, 1)
        self.assertIn("max-backoff': 1 is not between 1000", result.stderr)

    def test_what_only_the_user_can_mend_is_not_tried_again(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run("run", "-", sql=f"SET 'execution.checkpointing.interval' = '50 ms';"
                         f"SET 'execution.checkpointing.dir' = '{folder}'; SELECT CAST(s AS INT) FROM (VALUES ('x')) t (s);")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertNotIn("restarts in", result.stderr)

    def test_options_known_under_an_older_name(self):
        for key in ("execution.checkpointing.unaligned", "execution.checkpointing.unaligned.enabled"):
            result = run("run", "-", sql=f"SET '{key}' = 'true';")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("checkpoints are always aligned", result.stderr)

    def test_options_of_a_virtual_machine_have_no_effect_but_a_few(self):
        options = "-Djava.security.krb5.conf=/k -Xmx1g -Djavax.net.ssl.trustStorePassword=tEll-n0body"
        result = run("run", "-", "-D", f"env.java.opts={options}", sql="SHOW TABLES;")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("-Xmx1g -Djavax.net.ssl.trustStorePassword has no effect", result.stderr)
        self.assertNotIn("tEll-n0body", result.stderr)
        self.assertNotIn("krb5", result.stderr)

    def test_options_of_flinks_configuration_files(self):
        show = "SET;"
        with tempfile.TemporaryDirectory() as folder:
            older, newer = pathlib.Path(folder) / "flink-conf.yaml", pathlib.Path(folder) / "config.yaml"
            older.write_text("parallelism.default: 3\npipeline.name: older   # a comment\njobmanager.rpc.address: localhost\n")
            result = run("run", "-", "--config", folder, "-D", "parallelism.default=2", sql=show)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stdout, r"parallelism\.default +\| 2 ")
            self.assertRegex(result.stdout, r"pipeline\.name +\| older ")
            self.assertIn("'jobmanager.rpc.address' has no effect", result.stderr)
            newer.write_text("pipeline:\n  name: newer\n")
            self.assertRegex(run("run", "-", "--config", folder, sql=show).stdout, r"pipeline\.name +\| newer ")
            self.assertRegex(run("run", "-", "--config", older, sql=show).stdout, r"pipeline\.name +\| older ")
            newer.write_text("pipeline:\n  name: 'newer\n")
            result = run("run", "-", "--config", folder, sql=show)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r"config\.yaml: line 2: a quoted value has no closing quote")
            newer.write_text("parallelism.defualt: 2\n")
            result = run("run", "-", "--config", folder, sql=show)
            self.assertEqual(result.returncode, 1)
            self.assertIn("parallelism.default", result.stderr)
            for path in (folder + "/nowhere", os.path.dirname(PROGRAM)):
                result = run("run", "-", "--config", path, sql=show)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(path, result.stderr)

    def test_unfinished_checkpoints_are_removed_and_complete_ones_are_not(self):
        sql = ("SET 'execution.checkpointing.interval' = '50 ms'; SET 'pipeline.name' = 'job';"
               "CREATE TABLE g (a BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '100');"
               "CREATE TABLE p (a BIGINT) WITH ('connector' = 'blackhole'); INSERT INTO p SELECT a FROM g;")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "job.sql").write_text(sql)

            def start(*arguments):
                process = subprocess.Popen([PROGRAM, "run", "job.sql", *arguments], cwd=folder, stderr=subprocess.PIPE,
                                           text=True)
                self.addCleanup(process.kill)
                return process

            def complete():
                return set(folder.glob("yeoul-state/job/*/chk-*/_metadata"))

            first = start()
            self.wait_until(complete)
            first.kill()
            first.communicate()
            kept = complete()
            half = next(iter(kept)).parent.parent / "chk-99999"
            half.mkdir()
            (half / "state-0").write_text("half")
            second = start("--restore", "latest", "--log-level", "info")
            self.wait_until(lambda: complete() - kept and not half.exists())
            second.send_signal(signal.SIGTERM)
            _, notes = second.communicate(timeout=LIMIT_S)
            self.assertEqual(second.returncode, 0, notes)
            self.assertRegex(notes, "job 'job' goes on from '.*yeoul-state/job/[0-9a-f]{32}/chk-[0-9]+'")
            self.assertLessEqual(kept, complete())
            for folder_of_one in folder.glob("yeoul-state/job/*/*"):
                self.assertTrue((folder_of_one / "_metadata").exists(), folder_of_one)

    def test_a_job_killed_before_its_first_checkpoint_has_none_to_restore(self):
        sql = """SET 'execution.checkpointing.interval' = '1 h'; SET 'pipeline.name' = 'job';
            CREATE TABLE n (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1');
            CREATE TABLE s (id BIGINT) WITH ('connector' = 'blackhole'); INSERT INTO s SELECT id FROM n;"""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "job.sql").write_text(sql)
            with subprocess.Popen([PROGRAM, "run", "job.sql"], cwd=folder, stderr=subprocess.DEVNULL) as job:
                self.wait_until(lambda: list(folder.glob("yeoul-state/job/*/_lock")))
                job.kill()
            begun = next(folder.glob("yeoul-state/job/*/_lock")).parent
            for chk in ((), ("chk-1",)):
                for part in chk:
                    (begun / part).mkdir()
                result = subprocess.run([PROGRAM, "run", "job.sql", "--restore", "latest"], cwd=folder, text=True,
                                        capture_output=True, timeout=LIMIT_S)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn("there is no complete checkpoint of job 'job' below", result.stderr)
                self.assertIn("without --restore it starts afresh", result.stderr)

    def test_only_local_checkpoint_folders(self):
        self.assertEqual(run("run", "-", sql="SET 'execution.checkpointing.dir' = 's3://bucket/x'; SELECT 1;").returncode, 1)

    def test_the_demo_needs_nothing_and_ends(self):
        begin = time.monotonic()
        process = subprocess.Popen([PROGRAM, "demo", "--output", "json"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        first = json.loads(process.stdout.readline())
        self.assertLess(time.monotonic() - begin, 1.0)
        rows, notes = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 0, notes)
        last = {row["user_region"]: row["pv"] for row in map(json.loads, rows.splitlines())}
        self.assertIn(first["user_region"], last)
        self.assertEqual(sum(last.values()), 1_000_000)

    def test_the_readme_is_planned(self):
        for name in ("README.md", "README.ko.md"):
            sql = re.search(r"```sql\n(.*?)```", (ROOT / name).read_text(), re.DOTALL).group(1)
            result = run("explain", "-", sql=sql)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("GroupAggregate(groupBy=[user_region]", result.stdout)

    def test_examples_are_planned(self):
        for path in sorted((ROOT / "examples").glob("**/*.sql")):
            self.assertEqual(run("explain", str(path)).returncode, 0, path)


def main():
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(
        unittest.defaultTestLoader.loadTestsFromTestCase(Program))
    failed = len(result.failures) + len(result.errors)
    print(f"cli: {result.testsRun - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
