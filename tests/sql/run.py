#!/usr/bin/env python3
"""Runs the SQL test files below this folder and ends with `sql: N passed, N failed`; README.md tells their format."""
import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def main():
    parser = argparse.ArgumentParser(prog="tests/sql/run.py", description=__doc__)
    parser.add_argument("--build", default=os.environ.get("YEOUL_BUILD", ROOT / "build" / "release"), metavar="DIR",
                        help="default: $YEOUL_BUILD, else build/release")
    parser.add_argument("--filter", default="", metavar="TEXT", help="only files whose path has this in it")
    parser.add_argument("--bless", action="store_true", help="write what came as what is expected; review the diff")
    parser.add_argument("--jobs", type=int, default=4 * os.cpu_count(), help="files at a time (they mostly wait)")
    options = parser.parse_args()
    files = [str(path.relative_to(ROOT)) for path in sorted(HERE.rglob("*.slt"))]
    files = [path for path in files if options.filter in path]
    runner = pathlib.Path(options.build).resolve() / "bin" / "sql_test_runner"
    command = [str(runner), "--skips", "tests/sql/skips.txt", "--jobs", str(options.jobs)]
    return subprocess.run(command + ["--bless"] * options.bless + files, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
