#!/usr/bin/env python3
"""Runs tests/broker/*_test.py against one real broker and ends with `broker: N passed, N failed`."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
import fixture  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SUMMARY = re.compile(r"^\S+: (\d+) passed, (\d+) failed$", re.MULTILINE)


def run_file(path, parts, environment, limit):
    """Returns the output of one test program, its counts last."""
    process = subprocess.Popen([sys.executable, "-B", str(path), *parts], env=environment, cwd=fixture.ROOT, text=True,
                               errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.terminate()
        output, _ = process.communicate()
        output += f"\nended after {limit} s\n"
    found = SUMMARY.findall(output)
    passed, failed = map(int, found[-1]) if found else (0, 0)
    return output, passed, failed + (process.returncode != 0 and failed == 0)


def main():
    files = {path.stem.removesuffix("_test"): path for path in sorted(HERE.glob("*_test.py"))}
    parser = argparse.ArgumentParser(prog="tests/broker/run.py", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="FILE[:TEST]",
                        help=f"which to run, and parts of test names; default: all of {' '.join(files)}")
    parser.add_argument("--jobs", type=int, default=3, help="test files at a time (default 3; they mostly wait)")
    parser.add_argument("--limit", type=float, default=300, metavar="S", help="seconds for one file (default 300)")
    options = parser.parse_args()
    wanted = {}
    for name in options.names or files:
        file, _, part = name.partition(":")
        if file not in files:
            parser.error(f"no test file '{file}'; there are: {' '.join(files)}")
        wanted.setdefault(file, []).extend([part] if part else [])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the broker is stopped then too
    # The large ones first, so that none of them is alone at the end.
    wanted = dict(sorted(wanted.items(), key=lambda entry: -files[entry[0]].stat().st_size))
    broker = fixture.Broker()
    broker.command("prepare")
    broker.start()
    environment = os.environ | {"YEOUL_TEST_BOOTSTRAP": broker.bootstrap, "YEOUL_KAFKA_DATA": str(broker.folder)}
    total_passed = total_failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(run_file, files[name], parts, environment, options.limit) for name, parts in wanted.items()]
        for run in concurrent.futures.as_completed(runs):
            output, passed, failed = run.result()
            print(output, end="", flush=True)
            total_passed += passed
            total_failed += failed
    print(f"broker: {total_passed} passed, {total_failed} failed")
    return 1 if total_failed else 0


if __name__ == "__main__":
    sys.exit(main())
