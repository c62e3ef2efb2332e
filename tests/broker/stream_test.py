#!/usr/bin/env python3
"""Jobs that run on: new partitions, commits to the group, a broker that goes away, kill and restore."""

import fixture

COPY = """
SET 'execution.checkpointing.interval' = '200 ms';
CREATE TABLE source (v BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '{source}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'format' = 'json',
  'properties.group.id' = '{group}', 'scan.startup.mode' = 'earliest-offset',
  'scan.topic-partition-discovery.interval' = '200 ms');
CREATE TABLE sink (v BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '{sink}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'format' = 'json');
INSERT INTO sink SELECT v FROM source;
"""

COUNT = """
SET 'execution.checkpointing.interval' = '200 ms';
SET 'restart-strategy.type' = 'fixed-delay';
SET 'restart-strategy.fixed-delay.attempts' = '1000';
SET 'restart-strategy.fixed-delay.delay' = '100 ms';
CREATE TABLE source (k STRING, v BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '{source}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'format' = 'json',
  'scan.startup.mode' = 'earliest-offset');
CREATE TABLE sink (k STRING, n BIGINT, s BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '{sink}', 'properties.bootstrap.servers' = '{{bootstrap}}',
  'key.format' = 'json', 'value.format' = 'json');
INSERT INTO sink SELECT k, COUNT(*), SUM(v) FROM source GROUP BY k;
"""


class CopyTest(fixture.BrokerTest):
    def begin(self, *arguments, partitions=1):
        self.source, self.sink = self.topic("in", partitions), self.topic("out")
        self.group = f"group-{self.source}"
        return self.start(COPY.format(source=self.source, sink=self.sink, group=self.group), *arguments)

    def wait_for_output(self, job, count):
        self.wait_for(job, lambda: self.record_count(self.sink) >= count, f"{count} records are in the sink")

    def test_a_partition_added_while_the_job_runs_is_read(self):
        job = self.begin()
        self.produce(self.source, [{"v": 1}])
        self.wait_for_output(job, 1)
        with self.broker.client() as client:
            client.add_partitions(self.source, 3)
        # Written before the job can have found the partitions: a new partition is read from its beginning.
        self.produce(self.source, [{"v": 2}], partition=1)
        self.produce(self.source, [{"v": 3}], partition=2)
        self.wait_for_output(job, 3)
        self.assertEqual(job.interrupt(), 0, job.tail())
        self.assertEqual(sorted(value for _, value in self.consume(self.sink)), ['{"v":1}', '{"v":2}', '{"v":3}'])

    def test_checkpoints_commit_the_offsets_of_the_group(self):
        job = self.begin(partitions=2)
        self.produce(self.source, [{"v": n} for n in range(7)], partition=0)
        self.wait_for_output(job, 7)
        expected = {0: 7, 1: 0}
        client = self.client()
        self.wait_for(job, lambda: client.group_offsets(self.group, self.source) == expected,
                      f"the group's offsets are {expected}")
        self.assertEqual(job.interrupt(), 0, job.tail())

    def test_a_stopped_job_names_the_command_that_resumes_it(self):
        config = self.folder / "config.yaml"
        config.write_text("parallelism.default: 1\n")
        job = self.begin("--config", str(config), "-D", "pipeline.max-parallelism=64")
        self.produce(self.source, [{"v": 1}])
        self.wait_for_output(job, 1)
        self.wait_for_checkpoint(job)
        self.assertEqual(job.interrupt(), 0, job.tail())
        self.assertRegex(job.stderr() + job.stdout(),
                         rf"yeoul run .*--config {config} -D pipeline.max-parallelism=64 --restore ")

    def test_killed_and_restored(self):
        sql = COPY
        job = self.begin(partitions=2)
        self.produce(self.source, [{"v": n} for n in range(100)], partition=0)
        self.wait_for_output(job, 100)
        self.wait_for_checkpoint(job, after=max(fixture.completed_checkpoints(self.folder), default=0))
        job.kill()
        self.produce(self.source, [{"v": n} for n in range(100, 200)], partition=1)
        again = self.start(sql.format(source=self.source, sink=self.sink, group=self.group), "--restore", "latest")
        self.wait_for_output(again, 200)
        self.assertEqual(again.interrupt(), 0, again.tail())
        found = sorted(int(value.split(":")[1].rstrip("}")) for _, value in self.consume(self.sink))
        # The last checkpoint was after the first hundred: at least once, and here not one of them twice.
        self.assertEqual(found, list(range(200)))


class CountTest(fixture.BrokerTest):
    def begin(self, *arguments):
        return self.start(COUNT.format(source=self.source, sink=self.sink), *arguments)

    def make_topics(self):
        self.source, self.sink = self.topic("in", 2), self.topic("out", cleanup_policy="compact")
        self.expected = {}

    def add(self, numbers):
        """Writes some records and keeps the table they lead to."""
        for partition in (0, 1):
            rows = [{"k": f"key-{n % 7}", "v": n} for n in numbers if n % 2 == partition]
            self.produce(self.source, rows, partition)
            for row in rows:
                entry = self.expected.setdefault(f'{{"k":"{row["k"]}"}}', {"k": row["k"], "n": 0, "s": 0})
                entry["n"] += 1
                entry["s"] += row["v"]

    def wait_for_table(self, job):
        """Waits until each key's newest record is right; a record is final when the counts add up to all input."""
        total = sum(entry["n"] for entry in self.expected.values())

        def settled():
            table = self.table(self.sink)
            return sum(entry["n"] for entry in table.values()) == total and table

        self.assertEqual(self.wait_for(job, settled, f"the table counts {total} records"), self.expected)

    def test_the_broker_restarts_under_the_job(self):
        self.use_own_broker()
        self.make_topics()
        self.add(range(0, 1000))
        job = self.begin()
        self.wait_for_table(job)
        self.wait_for_checkpoint(job)
        for round_number, end in enumerate((self.broker.stop, self.broker.kill), start=1):
            end()
            self.broker.start()
            job.check_running()
            self.add(range(1000 * round_number, 1000 * round_number + 1000))
            self.wait_for_table(job)
        self.assertEqual(job.interrupt(), 0, job.tail())

    def test_killed_and_restored_again_and_again(self):
        self.make_topics()
        job, checkpoint = self.begin(), 0
        for round_number in range(3):
            self.add(range(1000 * round_number, 1000 * round_number + 1000))
            if round_number:
                job = self.begin("--restore", "latest")
            self.wait_for_table(job)
            checkpoint = self.wait_for_checkpoint(job, checkpoint)
            job.kill()


if __name__ == "__main__":
    fixture.main()
