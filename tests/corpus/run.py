#!/usr/bin/env python3
"""Compares Yeoul with the recorded answers of Apache Flink and ends with `corpus: N passed, N failed`.

equal.txt names the cases that are known to be equal. A case of it that differs fails; what is not in it is counted in
the table only. `--bless` adds what is newly equal.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIST = HERE / "equal.txt"
HEADER = "# Cases whose answers are Flink's; kept by tests/corpus/run.py --bless.\n"


def shard(runner, kind, number, shards, only):
    """Yields (id, group, verdict, detail); a case that ends the program is a crash, and the run goes on behind it."""
    done = 0
    while True:
        command = [runner, kind, str(HERE / "flink"), "--shard", f"{number}/{shards}", "--skip", str(done)]
        process = subprocess.Popen(command + (["--only", only] if only else []), text=True, errors="replace",
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT)
        begun = None
        for line in process.stdout:
            line = line.rstrip("\n")
            if line.startswith("begin "):
                begun = line[6:]
            elif begun and line.startswith(begun + "\t"):
                yield line.split("\t", 3)
                done += 1
                begun = None
        code = process.wait()
        if begun is None and code == 0:
            return
        yield [begun or f"{kind}-{number}", "?", "crash", f"the runner ended with code {code}"]
        done += 1
        if only or begun is None:
            return


def run_all(runner, only):
    shards = os.cpu_count()
    work = [(kind, number) for kind in ("expressions", "streaming") for number in range(shards)]
    with concurrent.futures.ThreadPoolExecutor(shards) as pool:
        parts = pool.map(lambda one: list(shard(runner, *one, shards, only)), work)
        return [(work_of[0], case) for work_of, part in zip(work, parts) for case in part]


def print_table(cases):
    groups = collections.defaultdict(collections.Counter)
    for kind, (_, group, verdict, _) in cases:
        groups[kind, group][verdict] += 1
    for (kind, group), counts in sorted(groups.items()):
        different = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()) if what != "equal")
        print(f"{kind:12} {group:18} {counts['equal']:4} of {sum(counts.values()):4} equal   {different}")
    for kind in ("expressions", "streaming"):
        counts = sum((counts for (k, _), counts in groups.items() if k == kind), collections.Counter())
        print(f"{kind:12} {'all':18} {counts['equal']:4} of {sum(counts.values()):4} equal")


def main():
    parser = argparse.ArgumentParser(prog="tests/corpus/run.py", description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.environ.get("YEOUL_BUILD", ROOT / "build" / "release"), metavar="DIR",
                        help="default: $YEOUL_BUILD, else build/release")
    parser.add_argument("--show", metavar="GROUP", help="print the differences of a group, or of the case of that id")
    parser.add_argument("--bless", action="store_true", help="add newly equal cases to equal.txt")
    options = parser.parse_args()
    runner = str(pathlib.Path(options.build).resolve() / "bin" / "corpus_runner")
    cases = run_all(runner, options.show)
    print_table(cases)
    if options.show:
        for _, (name, _, verdict, detail) in cases:
            if verdict != "equal":
                print(f"{name}: {verdict}: {detail}".replace("\\n", "\n"))
    known = {line for line in LIST.read_text().splitlines() if not line.startswith("#")} if LIST.exists() else set()
    equal = {case[0] for _, case in cases if case[2] == "equal"}
    seen = {case[0] for _, case in cases}
    lost = sorted(known & seen - equal if options.show else known - equal)
    for _, (name, _, verdict, detail) in cases:
        if name in lost:
            print(f"no longer equal: {name}: {verdict}: {detail}".replace("\\n", "\n"))
    if options.bless:
        known |= equal
        LIST.write_text(HEADER + "".join(f"{name}\n" for name in sorted(known, key=natural)))
    elif new := len(equal - known):
        print(f"{new} cases are newly equal: add them with --bless")
    print(f"corpus: {len(known & equal)} passed, {len(lost)} failed")
    return 1 if lost else 0


def natural(name):
    head, _, number = name.partition(":")
    return (head, int(number)) if number.isdigit() else (head, 0)


if __name__ == "__main__":
    sys.exit(main())
