#!/usr/bin/env python3
"""What `make dist` packed, in a Debian 12 where nothing is installed: debootstrap's minimal root, entered with chroot.

Needs root. Ends with `dist: N passed, N failed`. YEOUL_ROOT_ARCHIVE keeps the bare root as a tarball for the next run.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGES = ROOT / "build" / "dist" / "packages"
SYSTEM_LIBRARIES = {"linux-vdso.so.1", "libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
MEGABYTE = 1_000_000
LIMIT_S = 120


def check(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} failed with code {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def mirror():
    """Where this machine's apt gets Debian 12 from."""
    lines = check("apt-get", "indextargets", "--format", "$(REPO_URI)", "Codename: bookworm", "Created-By: Packages")
    return (lines.split() or ["http://deb.debian.org/debian"])[0]


def make_root(folder):
    archive = pathlib.Path(os.environ.get("YEOUL_ROOT_ARCHIVE", ROOT / "build" / "debian-12-root.tar"))
    if not archive.exists():
        archive.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as fresh:
            check("debootstrap", "--variant=minbase", "bookworm", fresh, mirror())
            check("tar", "-cf", f"{archive}.partial", "--exclude=./dev/*", "-C", fresh, ".")
        os.rename(f"{archive}.partial", archive)
    check("tar", "-xf", archive, "-C", folder)
    # Time zones must come from the program.
    shutil.rmtree(folder / "usr/share/zoneinfo", ignore_errors=True)
    for name in ("null", "urandom"):
        (folder / "dev" / name).touch()


class Dist(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.root = cls.folder / "root"
        cls.root.mkdir()
        make_root(cls.root)
        cls.tarball, = PACKAGES.glob("yeoul-*-linux-x86_64.tar.gz")
        check("tar", "-xzf", cls.tarball, "-C", cls.root / "opt", "--no-same-owner")
        cls.unpacked, = (cls.root / "opt").glob("yeoul-*")
        cls.program = f"/opt/{cls.unpacked.name}/bin/yeoul"

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def inside(self, *command, sql=None):
        return subprocess.run(["chroot", self.root, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *command],
                              input=sql, capture_output=True, text=True, timeout=LIMIT_S)

    def check_inside(self, *command, sql=None):
        done = self.inside(*command, sql=sql)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_it_needs_libc_and_libm_only(self):
        libraries = {line.split()[0].split("/")[-1] for line in self.check_inside("ldd", self.program).splitlines()}
        self.assertLessEqual(libraries, SYSTEM_LIBRARIES)
        print(f"\nldd: {' '.join(sorted(libraries))}")

    def test_it_is_small(self):
        program, archive = (self.unpacked / "bin/yeoul").stat().st_size, self.tarball.stat().st_size
        print(f"\nsize: program {program / MEGABYTE:.1f} MB, tarball {archive / MEGABYTE:.1f} MB")
        self.assertLess(program, 40 * MEGABYTE)
        self.assertLess(archive, 40 * MEGABYTE)

    def test_it_starts_at_once(self):
        self.assertRegex(self.check_inside(self.program, "version"), r"^yeoul \d+\.\d+\.\d+\n$")
        times = []
        for _ in range(20):
            begin = time.monotonic()
            subprocess.run([self.unpacked / "bin/yeoul", "version"], stdout=subprocess.DEVNULL, check=True)
            times.append(time.monotonic() - begin)
        print(f"\nstart: `yeoul version` in {min(times) * 1000:.1f} ms at best, {sorted(times)[10] * 1000:.1f} ms in the middle")
        self.assertLess(min(times), 0.02)

    def test_it_runs_sql_with_time_zones(self):
        self.assertFalse((self.root / "usr/share/zoneinfo").exists())
        sql = ("SET 'table.local-time-zone' = 'Asia/Seoul';"
               "CREATE TABLE g (a BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '1000', 'fields.a.min' = '1',"
               "'fields.a.max' = '3'); SELECT a, COUNT(*) AS n FROM g GROUP BY a;"
               "SELECT CAST(TO_TIMESTAMP_LTZ(0, 3) AS STRING) AS t FROM (VALUES (1)) AS v(x);")
        out = self.check_inside(self.program, "run", "-", "--output", "csv", sql=sql)
        self.assertEqual(sum(int(row.rsplit(",", 1)[1]) for row in last_rows(out)), 1000)
        self.assertIn("1970-01-01 09:00:00", out)

    def test_it_reads_and_writes_kafka(self):
        sys.path.insert(0, str(ROOT / "tests" / "broker"))
        import fixture
        broker = fixture.Broker()
        broker.start()
        broker.command("topic", "create", "dist", "--partitions", "1")
        for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
            table = ("CREATE TABLE {} (a BIGINT) WITH ('connector' = 'kafka', 'topic' = 'dist', 'format' = 'json',"
                     f"'properties.bootstrap.servers' = '{broker.bootstrap}', {{}});")
            write = (table.format("t", f"'properties.compression.type' = '{codec}'") +
                     "INSERT INTO t SELECT a FROM (VALUES (1), (2), (3)) AS v(a);")
            self.check_inside(self.program, "run", "-", sql=write)
        read = (table.format("s", "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'") +
                "SELECT COUNT(*) AS n, SUM(a) AS s FROM s;")
        out = self.check_inside(self.program, "run", "-", "--output", "csv", sql=read)
        self.assertTrue(out.endswith(",15,30\n"), out)

    def test_the_debian_package_installs(self):
        for package in PACKAGES.glob("*.deb"):
            shutil.copy(package, self.root / "tmp")
        package, = (self.root / "tmp").glob("yeoul_*.deb")
        self.check_inside("dpkg", "-i", f"/tmp/{package.name}")
        self.assertRegex(self.check_inside("yeoul", "version"), r"^yeoul \d")
        files = self.check_inside("dpkg", "-L", "yeoul").split()
        for name in ("/usr/share/man/man1/yeoul.1.gz", "/usr/share/bash-completion/completions/yeoul",
                     "/usr/share/zsh/vendor-completions/_yeoul", "/usr/share/fish/vendor_completions.d/yeoul.fish",
                     "/usr/share/doc/yeoul/copyright"):
            self.assertIn(name, files)
            self.assertGreater((self.root / name.lstrip("/")).stat().st_size, 100, name)
        # What the development package needs is not there, and dpkg says so.
        development, = (self.root / "tmp").glob("yeoul-dev_*.deb")
        depends = self.check_inside("dpkg-deb", "-f", f"/tmp/{development.name}", "Depends")
        for name in ("libfmt-dev", "libssl-dev", "zlib1g-dev"):
            self.assertIn(name, depends)
        self.check_inside("dpkg", "-r", "yeoul")
        self.assertFalse((self.root / "usr/bin/yeoul").exists())

    def test_an_outside_project_finds_the_package(self):
        build = self.folder / "outside"
        check("cmake", "-G", "Ninja", "-S", ROOT / "tests" / "package", "-B", build, "-DCMAKE_BUILD_TYPE=Release",
              f"-DCMAKE_PREFIX_PATH={self.unpacked}", f"-DCMAKE_CXX_COMPILER_LAUNCHER={shutil.which('ccache') or ''}")
        cache = (build / "CMakeCache.txt").read_text()
        self.assertIn(f"yeoul_DIR:PATH={self.unpacked}", cache)
        check("cmake", "--build", build, "--target", "outside")
        self.assertEqual(check(build / "outside"), "220 refused\n")


def last_rows(csv):
    """The rows that a changelog of csv text ends with, by key."""
    rows = {}
    for line in csv.splitlines():
        found = re.fullmatch(r"[+-][IUD],(\d+),(\d+)", line)
        if found:
            rows[found[1]] = line
    return rows.values()


def main():
    if os.geteuid() != 0:
        sys.exit("tests/dist/dist.py: needs root, for debootstrap and chroot")
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(
        unittest.defaultTestLoader.loadTestsFromTestCase(Dist))
    failed = len(result.failures) + len(result.errors)
    print(f"dist: {result.testsRun - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
