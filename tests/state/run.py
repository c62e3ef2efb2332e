#!/usr/bin/env python3
"""A million keys: a job is killed after a checkpoint, restored, and must end as the job that was never killed.

The result counts keys and sums the counts and their squares, so a lost or repeated row shows. The second figure is how
long a checkpoint held the tasks' threads. Ends with `state: N passed, N failed`.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROWS, KEYS = 3_000_000, 1_000_000
HELD_MS_MAX = 50
POLL_S, LIMIT_S = 0.02, 120

SQL = f"""
SET 'pipeline.name' = 'million_keys';
SET 'execution.checkpointing.interval' = '300 ms';
CREATE TABLE events (k BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '{ROWS}', 'rows-per-second' = '1000000',
  'fields.k.min' = '1', 'fields.k.max' = '{KEYS}');
CREATE TABLE totals (num_keys BIGINT, num_rows BIGINT, squares BIGINT) WITH ('connector' = 'print');
INSERT INTO totals SELECT COUNT(*), SUM(c), SUM(c * c) FROM (SELECT k, COUNT(*) AS c FROM events GROUP BY k);
"""


class Run:
    """One run of the program; its last result row and closing line."""

    def __init__(self, program, folder, name, *arguments):
        self.rows, self.notes = folder / f"{name}.out", folder / f"{name}.err"
        script = folder / "job.sql"
        script.write_text(SQL)
        with open(self.rows, "wb") as rows, open(self.notes, "wb") as notes:
            self.process = subprocess.Popen([program, "run", str(script), *arguments], cwd=folder, stdout=rows,
                                            stderr=notes)

    def finish(self):
        code = self.process.wait(timeout=LIMIT_S)
        if code != 0:
            raise AssertionError(f"exit code {code}: {self.notes.read_text()[-2000:]}")
        return self.rows.read_text().splitlines()[-1]

    def held_ms(self):
        return int(re.search(r"tasks held (\d+) ms", self.notes.read_text()).group(1))


def checkpoints(folder):
    return sum("_metadata" in names for _, _, names in os.walk(folder / "yeoul-state"))


def kill_after_checkpoint(run, folder):
    deadline = time.monotonic() + LIMIT_S
    while checkpoints(folder) == 0:
        if run.process.poll() is not None or time.monotonic() > deadline:
            raise AssertionError("no checkpoint while the job ran")
        time.sleep(POLL_S)  # poll
    run.process.send_signal(signal.SIGKILL)
    run.process.wait()


def test_million_keys(program, folder):
    whole = Run(program, folder, "whole", "-D", "execution.checkpointing.dir=whole-state")
    expected = whole.finish()
    killed = Run(program, folder, "killed")
    kill_after_checkpoint(killed, folder)
    restored = Run(program, folder, "restored", "--restore", "latest")
    got = restored.finish()
    print(f"  whole:    {expected}\n  restored: {got}\n  tasks held: {whole.held_ms()} ms, {restored.held_ms()} ms")
    assert got == expected, "the restored job ended differently"
    assert f", {ROWS}," in expected, "rows were lost or repeated"
    assert max(whole.held_ms(), restored.held_ms()) < HELD_MS_MAX, "a checkpoint held a task too long"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("YEOUL_BIN", str(ROOT / "build/release/bin/yeoul")))
    options, _ = parser.parse_known_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="yeoul-state-test-") as folder:
        try:
            test_million_keys(options.program, pathlib.Path(folder))
        except (AssertionError, subprocess.TimeoutExpired) as error:
            print(f"FAILED test_million_keys: {error}")
            failed = 1
    print(f"state: {1 - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
