#!/usr/bin/env python3
"""Simulates jobs and Kafka clients by seed (src/testing/README.md): no finding without planted bugs, each planted bug
found, and the same seeds the same again. The last line is `sim: N passed, N failed`."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("YEOUL_BUILD", ROOT / "build" / "release"))
SIMULATOR = BUILD / "bin" / "simulator"
BUG_SEEDS = 1000
KINDS = {"jobs": (), "streams": ("--streams",), "client": ("--client",)}  # what is simulated, and its arguments
# The runtime's planted bugs are found by jobs; streams are asked for those of state and timers, which operators of the
# DataStream API have in their own way.
STREAM_BUGS = {"lost-timer", "group-lost", "group-twice", "snapshot-not-frozen", "position-too-early"}


def run(*arguments, prefix=(), environment=None):
    done = subprocess.run([*prefix, str(SIMULATOR), *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=os.environ | (environment or {}))
    return done.returncode, done.stdout


def timed_run(*arguments, **options):
    begin = time.monotonic()
    return *run(*arguments, **options), time.monotonic() - begin


def check(name, passed, output, seconds):
    print(f"{'ok  ' if passed else 'FAIL'} {name} ({seconds:.1f} s)")
    last = output.strip().splitlines()
    print("\n".join("     " + line for line in (last[-1:] if passed else last)), flush=True)
    return passed


def without_bugs(of, seeds, jobs):
    """The seeds in as many processes as there are processors."""
    begin, share, running = time.monotonic(), -(-seeds // jobs), []
    for job in range(jobs):
        first = job * share + 1
        count = min(share, seeds - first + 1)
        if count > 0:
            running.append(subprocess.Popen([str(SIMULATOR), *of, "--from", str(first), "--seeds", str(count)],
                                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
    for process in running:
        output = process.communicate()[0]
        yield check(" ".join(["no finding", *of]), process.returncode == 0, output, time.monotonic() - begin)


def planted_bugs(of):
    """As many at a time as there are processors."""
    bugs = [bug for bug in run(*of, "--bugs")[1].split() if of != KINDS["streams"] or bug in STREAM_BUGS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(lambda bug: timed_run(*of, "--bug", bug, "--seeds", BUG_SEEDS), bugs)
        for bug, (code, output, seconds) in zip(bugs, runs):
            yield check(f"{bug} is found", code == 0, output, seconds)


def determinism(of, seeds):
    """Twice, the second time with other addresses and other garbage in fresh memory."""
    fixed = ["setarch", "-R"] if shutil.which("setarch") else []
    others = {"prefix": fixed, "environment": {"MALLOC_PERTURB_": "85", "PADDING": "x" * 5000}}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda options: timed_run(*of, "--from", 1, "--seeds", seeds, **options), ({}, others)))
    traces = [re.findall(r"trace (\w+)", output) for _, output, _ in runs]
    yield check(" ".join(["the same seeds do the same", *of]), traces[0] and traces[0] == traces[1],
                "\n".join(output for _, output, _ in runs), max(seconds for *_, seconds in runs))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2000, help="without planted bugs (2000)")
    parser.add_argument("--only-seeds", action="store_true", help="nothing else")
    parser.add_argument("--seed", type=int, help="one seed, told step by step")
    parser.add_argument("--of", choices=KINDS, help="jobs only, jobs of the DataStream API only, or clients of Kafka only")
    options = parser.parse_args()
    if options.seed is not None:
        code, output = run(*KINDS[options.of or "jobs"], "--seed", options.seed)
        print(output, end="")
        return code
    results = []
    for of in [KINDS[options.of]] if options.of else KINDS.values():
        results += without_bugs(of, options.seeds, os.cpu_count())
        if not options.only_seeds:
            results += [*determinism(of, 100), *planted_bugs(of)]
    failed = results.count(False)
    print(f"sim: {len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
