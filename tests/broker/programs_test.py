#!/usr/bin/env python3
"""The C++ tests that need a broker: every program *_broker_test of the build, each with a broker of its own."""
import os
import pathlib
import subprocess

import fixture


class ProgramsTest(fixture.BrokerTest):
    def run_program(self, path):
        self.use_own_broker()
        tool = fixture.ROOT / "tools" / "kafka"
        environment = os.environ | {"YEOUL_TEST_BOOTSTRAP": self.bootstrap,
                                    "YEOUL_TEST_RESTART": f"{tool} restart --data {self.broker.folder} >/dev/null"}
        done = subprocess.run([str(path), "--gtest_brief=1"], cwd=self.folder, env=environment, text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
        self.assertEqual(done.returncode, 0, done.stdout[-10000:])
        self.assertNotIn("SKIPPED", done.stdout)


for path in sorted(pathlib.Path(fixture.yeoul_binary()).parent.glob("*_broker_test")):
    name = f"test_{path.name.removesuffix('_broker_test')}"
    setattr(ProgramsTest, name, lambda self, path=path: self.run_program(path))


if __name__ == "__main__":
    fixture.main()
