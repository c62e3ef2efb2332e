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
        first = min((self.folder / "state").iterdir(), key=lambda path: len(path.name))
        path = next(first.glob("**/_metadata")).parent
        self.assertIn("--restore latest", self.run_sql(sql, "--restore", str(path), code=1).stderr())

    def jobs_with_checkpoints(self):
        state = self.folder / "state"
        # os.walk lets pass that a folder is pruned meanwhile.
        return {pathlib.Path(at).relative_to(state).parts[0] for at, _, files in os.walk(state) if "_metadata" in files}

    def named(self, topic):
        return {row["k"]: row["n"] for row in self.table(topic).values()}


if __name__ == "__main__":
    fixture.main()
