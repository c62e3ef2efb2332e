#!/usr/bin/env python3
"""Watermark alignment: what is ahead in event time waits for what is behind."""

import json

import fixture

SOURCE = """
CREATE TABLE {table} (s BIGINT, part INT METADATA FROM 'partition' VIRTUAL, ts AS TO_TIMESTAMP_LTZ(s, 0),
  WATERMARK FOR ts AS ts) WITH (
  'connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'format' = 'json',
  'scan.startup.mode' = 'earliest-offset', 'scan.watermark.alignment.group' = 'group',
  'scan.watermark.alignment.max-drift' = '50 s', 'scan.watermark.alignment.update-interval' = '100 ms');
"""

SINK = """
SET 'yeoul.batch-rows' = '10';
SET 'execution.checkpointing.interval' = '200 ms';
CREATE TABLE sink (who STRING, s BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'format' = 'json');
"""

DRIFT, BATCH, COUNT = 50, 10, 2000


class AlignmentTest(fixture.BrokerTest):
    def begin(self, sql, *arguments):
        return self.start(SINK.format(topic=self.sink) + sql, *arguments)

    def seconds(self, who):
        """What has come out so far: one record a second of event time."""
        rows = [json.loads(value) for _, value in self.consume(self.sink)]
        return [row["s"] for row in rows if row["who"] == who]

    def wait_for_fast(self, job, slow):
        """Waits until the fast one has come as far as the slow one's event time allows, and checks that it stays there."""
        self.wait_for(job, lambda: max(self.seconds("fast"), default=0) > slow + DRIFT, f"fast is {DRIFT} s ahead of {slow}")
        self.wait_for_checkpoint(job, self.wait_for_checkpoint(job) + 3)
        self.assertLessEqual(max(self.seconds("fast")), slow + DRIFT + BATCH)

    def test_a_partition_waits_for_the_others_of_its_topic(self):
        source, self.sink = self.topic("in", 2), self.topic("out")
        sql = SOURCE.format(table="source", topic=source) + """
            INSERT INTO sink SELECT CASE part WHEN 0 THEN 'fast' ELSE 'slow' END, s FROM source;"""
        self.produce(source, [{"s": n} for n in range(COUNT)], partition=0)
        self.produce(source, [{"s": 100}], partition=1)
        job = self.begin(sql)
        self.wait_for_fast(job, 100)
        # A checkpoint in the pause holds where the paused partition really stands.
        job.kill()
        job = self.begin(sql, "--restore", "latest")
        self.produce(source, [{"s": 1000}], partition=1)
        self.wait_for_fast(job, 1000)
        self.produce(source, [{"s": COUNT}], partition=1)
        self.wait_for(job, lambda: len(set(self.seconds("fast"))) == COUNT, "all have come")
        self.assertEqual(job.interrupt(), 0, job.tail())
        self.assertEqual(sorted(set(self.seconds("fast"))), list(range(COUNT)))

    def test_a_table_waits_for_the_others_of_its_group(self):
        fast, slow, self.sink = self.topic("fast"), self.topic("slow"), self.topic("out")
        sql = (SOURCE.format(table="fast", topic=fast) + SOURCE.format(table="slow", topic=slow) +
               "INSERT INTO sink SELECT 'fast', s FROM fast UNION ALL SELECT 'slow', s FROM slow;")
        self.produce(slow, [{"s": 100}])
        job = self.begin(sql)
        # As in Flink, only what has told its watermark is waited for.
        self.wait_for(job, lambda: self.seconds("slow") == [100], "the slow one has begun")
        self.wait_for_checkpoint(job, self.wait_for_checkpoint(job) + 2)
        self.produce(fast, [{"s": n} for n in range(COUNT)])
        self.wait_for_fast(job, 100)
        self.produce(slow, [{"s": COUNT}])
        self.wait_for(job, lambda: len(self.seconds("fast")) == COUNT, "all have come")
        self.assertEqual(job.interrupt(), 0, job.tail())


if __name__ == "__main__":
    fixture.main()
