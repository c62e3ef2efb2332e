#!/usr/bin/env python3
"""Runs each fuzzer of a build for a while, one after the other, and ends with `fuzz: N passed, N failed`.

A fuzzer begins with its seeds and with what earlier runs found (in BUILD/corpus); an input that fails is kept in
BUILD/findings and named.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PASSWORD = "password"  # as key_stores_fuzz.cpp has it
LOGINS = (b'org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="it\\"s";',
          b'a.ScramLoginModule required username=me password="x" tokenauth=true;')
DOCUMENTS = ({"a": 1, "b": "text", "c": 1.25, "d": 1e300, "t": "2024-01-02 03:04:05.123456789", "z": "2024-01-02 03:04:05Z",
              "y": "AAEC", "r": {"x": 1, "s": "in"}, "l": [{"x": None, "s": "\u00e9"}, None], "m": {"k": 7}}, {"a": None})


def write(folder, name, data):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def make_key_stores(folder):
    """A key and its certificate in each kind of store, behind the byte that chooses how it is read."""
    run = lambda *command: subprocess.run(command, cwd=folder, check=True, capture_output=True)
    folder.mkdir(parents=True, exist_ok=True)
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "9",
        "-subj", "/CN=localhost", "-keyout", "key", "-out", "certificate")
    run("openssl", "pkcs8", "-topk8", "-in", "key", "-out", "locked", "-passout", f"pass:{PASSWORD}", "-iter", "100")
    run("openssl", "pkcs12", "-export", "-inkey", "key", "-in", "certificate", "-name", "me", "-out", "store", "-passout",
        f"pass:{PASSWORD}", "-iter", "100", "-maciter")
    stores = [(0, "key", "certificate"), (0, "locked", "certificate"), (1, "store")]
    try:
        run("keytool", "-importkeystore", "-srckeystore", "store", "-srcstoretype", "PKCS12", "-srcstorepass", PASSWORD,
            "-destkeystore", "java", "-deststoretype", "JKS", "-deststorepass", PASSWORD)
        run("keytool", "-importcert", "-noprompt", "-alias", "ca", "-file", "certificate", "-keystore", "java",
            "-storetype", "JKS", "-storepass", PASSWORD)
        stores += [(2, "java"), (3, "java")]
    except FileNotFoundError:
        pass  # without Java: formats of its own are left to chance
    contents = [bytes([kind]) + b"".join((folder / name).read_bytes() for name in names) for kind, *names in stores]
    for name in os.listdir(folder):
        (folder / name).unlink()
    for number, content in enumerate(contents + [b"\x04" + login for login in LOGINS]):
        write(folder, f"store-{number}", content)


def make_seeds(build, folder):
    subprocess.run([build / "bin" / "fuzz_seeds", folder], check=True)
    make_key_stores(folder / "key_stores_fuzz")
    for number, document in enumerate(DOCUMENTS):
        write(folder / "json_decode_fuzz", f"document-{number}", json.dumps(document).encode())
    scripts = [*ROOT.glob("examples/**/*.sql"), *ROOT.glob("bench/jobs/*.sql"), *ROOT.glob("tests/sql/**/*.slt")]
    for script in scripts:
        # Fuzzers like small inputs: a file for each statement.
        for number, statement in enumerate(re.split(r"(?<=;)\n", script.read_text())):
            write(folder / "sql_parser_fuzz", f"{script.stem}-{number}", statement.encode())


def run(fuzzer, options, folder):
    corpus, findings = options.build / "corpus" / fuzzer.name, options.build / "findings"
    for made in (corpus, findings):
        made.mkdir(parents=True, exist_ok=True)
    log = options.build / f"{fuzzer.name}.log"
    with open(log, "wb") as out:
        done = subprocess.run([fuzzer, f"-max_total_time={options.seconds}", "-timeout=20", "-rss_limit_mb=3000",
                               "-max_len=20000", "-print_final_stats=1", f"-artifact_prefix={findings}/{fuzzer.name}-",
                               corpus, folder / fuzzer.name], stdout=out, stderr=out)
    text = log.read_text(errors="replace")
    count = re.search(r"stat::number_of_executed_units: (\d+)", text)
    reached = re.findall(r"cov: (\d+)", text)
    print(f"  {fuzzer.name}: {'ok' if done.returncode == 0 else 'FAILED'}, {count[1] if count else '?'} inputs, "
          f"{reached[-1] if reached else '?'} edges reached")
    if done.returncode != 0:
        print("\n".join(text.splitlines()[-40:]))
    sys.stdout.flush()
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(prog="tests/fuzz/fuzz.py", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="FUZZER", help="default: all that were built")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "fuzz", metavar="DIR")
    parser.add_argument("--seconds", type=int, default=60, help="for each (default 60)")
    options = parser.parse_args()
    options.build = options.build.resolve()
    fuzzers = sorted(path for path in (options.build / "bin").glob("*_fuzz")
                     if not options.names or path.name.removesuffix("_fuzz") in options.names)
    folder = options.build / "seeds"
    make_seeds(options.build, folder)
    passed = sum(run(fuzzer, options, folder) for fuzzer in fuzzers)
    print(f"fuzz: {passed} passed, {len(fuzzers) - passed} failed")
    return 0 if passed == len(fuzzers) else 1


if __name__ == "__main__":
    sys.exit(main())
