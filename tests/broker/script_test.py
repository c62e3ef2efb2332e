#!/usr/bin/env python3
"""Scripts of several jobs."""
import os
import pathlib

import fixture


class ScriptTest(fixture.BrokerTest):
    def test_two_inserts_into_one_table_restore_each_its_own_state(self):
        topic, counts = self.topic(), self.topic(cleanup_policy="compact")
        sql = f"""
            SET 'execution.checkpointing.interval' = '100 ms';
            SET 'execution.checkpointing.dir' = 'file://{self.folder}/state';
            CREATE TABLE events (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json',
              'properties.bootstrap.servers' = '{{bootstrap}}', 'scan.startup.mode' = 'earliest-offset');
            CREATE TABLE counts (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
              'topic' = '{counts}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'key.format' = 'json',
              'value.format' = 'json');
            INSERT INTO counts SELECT k, COUNT(*) FROM (SELECT 'even' AS k FROM events WHERE MOD(id, 2) = 0) GROUP BY k;
            INSERT INTO counts SELECT k, COUNT(*) FROM (SELECT 'all' AS k FROM events) GROUP BY k;
            """
        self.produce(topic, [{"id": n} for n in range(10)])
        for restore in ([], ["--restore", "latest"]):
            job = self.start(sql, *restore)
            even, whole = (5, 10) if not restore else (6, 12)
            self.wait_for(job, lambda: self.named(counts) == {"even": even, "all": whole}, f"{even} of {whole} are even")
            self.wait_for(job, lambda: len(self.jobs_with_checkpoints()) == 2, "each job has a checkpoint")
            self.assertEqual(job.interrupt(), 0, job.tail())
            self.produce(topic, [{"id": 10}, {"id": 11}])
        # One job's checkpoint goes to that job alone; the other is not started beside it with nothing.
        self.assertIn("is one of job 'insert-into_", self.run_sql(sql, "--restore", self.newest()[0], code=1).stderr())
        job = self.start(sql, *(word for path in reversed(self.newest()) for word in ("--restore", path)))
        self.wait_for(job, lambda: self.named(counts) == {"even": 7, "all": 14}, "7 of 14 are even")
        self.assertEqual(job.interrupt(), 0, job.tail())
        self.assertEqual(job.stderr().count("--restore"), 3, "the last job's line names the checkpoints of both")
        # The INSERTs change places, then one goes away: each keeps its own state.
        *head, first, second = sql.rstrip().rstrip(";").split(";")
        for statements, expected in (([second, first], {"even": 8, "all": 16}), ([second], {"even": 8, "all": 18})):
            self.produce(topic, [{"id": 0}, {"id": 1}])
            job = self.start(";".join([*head, *statements]) + ";", "--restore", "latest")
            self.wait_for(job, lambda: self.named(counts) == expected, f"{expected}")
            self.assertEqual(job.interrupt(), 0, job.tail())

    def newest(self):
        """The newest checkpoint of each job, as files, by the jobs' names."""
        jobs = sorted((self.folder / "state").iterdir(), key=lambda path: path.name)
        return [str(max(job.glob("*/*/_metadata"), key=lambda path: path.stat().st_mtime_ns)) for job in jobs]

    def jobs_with_checkpoints(self):
        state = self.folder / "state"
        # os.walk lets pass that a folder is pruned meanwhile.
        return {pathlib.Path(at).relative_to(state).parts[0] for at, _, files in os.walk(state) if "_metadata" in files}

    def named(self, topic):
        return {row["k"]: row["n"] for row in self.table(topic).values()}


if __name__ == "__main__":
    fixture.main()
