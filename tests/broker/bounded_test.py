#!/usr/bin/env python3
"""Bounded reads end where Kafka says the topic ends, whatever record stands there."""

import fixture
from fixture import EARLIEST, Record, Transaction

TABLE = """
CREATE TABLE t (v BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'format' = 'json',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'{more});
SELECT v FROM t;
"""


def values(rows):
    return [row[0] for row in fixture.columns(rows, "v")]


class BoundedTest(fixture.BrokerTest):
    def read(self, topic, more=""):
        return values(self.select(TABLE.format(topic=topic, more=more)))

    def test_an_empty_topic_and_an_empty_partition(self):
        topic = self.topic(partitions=3)
        self.assertEqual(self.read(topic), [])
        self.produce(topic, [{"v": 1}], partition=1)
        self.assertEqual(self.read(topic), [1])

    def test_a_topic_that_ends_in_transaction_markers(self):
        topic = self.topic(partitions=2)
        transaction = Transaction(self.client(), topic)
        for partition in (0, 1):
            transaction.produce(topic, partition, [Record(f'{{"v": {10 * partition + n}}}') for n in range(3)])
        transaction.commit()
        transaction.produce(topic, 0, [Record('{"v": 99}')])
        transaction.abort()
        committed = [0, 1, 2, 10, 11, 12]
        self.assertEqual(self.read(topic), committed)
        self.assertEqual(self.read(topic, ", 'properties.isolation.level' = 'read_uncommitted'"), [*committed, 99])

    def test_a_topic_of_markers_only(self):
        topic = self.topic()
        transaction = Transaction(self.client(), topic)
        transaction.produce(topic, 0, [Record('{"v": 1}')])
        transaction.abort()
        self.assertEqual(self.read(topic), [])

    def test_a_compacted_topic(self):
        topic = self.topic(cleanup_policy="compact", segment_ms=1, min_cleanable_dirty_ratio=0.001,
                           delete_retention_ms=0)
        for n in range(5):
            self.produce(topic, [Record(f'{{"v": {n}}}', key="k")])
        self.produce(topic, [Record('{"v": 100}', key="other")])
        # The cleaner leaves the newest segment alone; of the rest the newest record of each key stays.
        fixture.wait_until(lambda: len(self.consume(topic)) == 2, "the cleaner has removed the old records")
        self.assertEqual(self.read(topic), [4, 100])

    def test_a_topic_whose_beginning_was_deleted(self):
        topic = self.topic()
        self.produce(topic, [{"v": n} for n in range(10)])
        path = self.folder / "delete.json"
        path.write_text(f'{{"partitions": [{{"topic": "{topic}", "partition": 0, "offset": 6}}], "version": 1}}')
        self.broker.command("tool", "org.apache.kafka.tools.DeleteRecordsCommand", "--bootstrap-server", self.bootstrap,
                            "--offset-json-file", str(path))
        self.assertEqual(self.client().offsets(topic, EARLIEST), {0: 6})
        self.assertEqual(self.read(topic), [6, 7, 8, 9])

    def test_bounds_by_offset_and_time(self):
        topic = self.topic(partitions=2)
        for partition in (0, 1):
            self.produce(topic, [Record(f'{{"v": {10 * partition + n}}}', timestamp=1000 + 10 * n) for n in range(5)],
                         partition)
        start = TABLE.replace("'latest-offset'", "'{end}'")
        for end, more, expected in (
                ("specific-offsets", ", 'scan.bounded.specific-offsets' = 'partition:0,offset:3'", [0, 1, 2]),
                ("timestamp", ", 'scan.bounded.timestamp-millis' = '1020'", [0, 1, 10, 11])):
            with self.subTest(end=end):
                rows = self.select(start.format(topic=topic, end=end, more=more))
                self.assertEqual(values(rows), expected)
        job = self.run_sql(start.format(topic=topic, end="specific-offsets",
                                        more=", 'scan.bounded.specific-offsets' = 'partition:7,offset:3'"))
        self.assertIn("'scan.bounded.specific-offsets' names partitions that do not exist", job.stderr())

    def test_offsets_are_committed_automatically_at_the_end(self):
        topic = self.topic(partitions=2)
        self.produce(topic, [{"v": n} for n in range(3)])
        self.produce(topic, [{"v": n} for n in range(2)], partition=1)
        group = f"group-{topic}"
        table = TABLE.format(topic=topic, more=f", 'properties.group.id' = '{group}', "
                                               "'properties.enable.auto.commit' = 'true'")
        self.run_sql(table)
        self.assertEqual(self.client().group_offsets(group, topic), {0: 3, 1: 2})
        self.produce(topic, [{"v": 3}])
        job = self.start(table.replace("'latest-offset'", "'unbounded'"), "--output", "json")
        self.wait_for(job, lambda: len(job.rows()) == 6, "all is read")
        job.interrupt()
        self.assertEqual(self.client().group_offsets(group, topic), {0: 4, 1: 2})


class StartTest(fixture.BrokerTest):
    def test_start_modes(self):
        topic = self.topic(partitions=2)
        group = f"group-{topic}"
        for partition in (0, 1):
            self.produce(topic, [Record(f'{{"v": {10 * partition + n}}}', timestamp=1000 + 10 * n) for n in range(5)],
                         partition)
        self.client().set_group_offsets(group, topic, {0: 2, 1: 4})
        table = TABLE.replace("'earliest-offset'", "'{start}'")
        for start, more, expected in (
                ("earliest-offset", "", [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]),
                ("latest-offset", "", []),
                ("group-offsets", f", 'properties.group.id' = '{group}'", [2, 3, 4, 14]),
                ("timestamp", ", 'scan.startup.timestamp-millis' = '1025'", [3, 4, 13, 14]),
                ("specific-offsets", ", 'scan.startup.specific-offsets' = 'partition:0,offset:4;partition:1,offset:3'",
                 [4, 13, 14])):
            with self.subTest(start=start):
                self.assertEqual(values(self.select(table.format(topic=topic, start=start, more=more))), expected)

    def test_group_without_offsets_is_refused(self):
        topic = self.topic()
        self.produce(topic, [{"v": 1}])
        sql = TABLE.replace("'earliest-offset'", "'group-offsets'")
        job = self.run_sql(sql.format(topic=topic, more=f", 'properties.group.id' = 'group-{topic}'"), code=2)
        for name in (topic, f"group-{topic}", "scan.startup.mode"):
            self.assertIn(name, job.stderr())

    def test_a_start_behind_the_end_of_the_log_fails(self):
        topic = self.topic()
        self.produce(topic, ['{"id":1}', '{"id":2}'])
        sql = f"""
            CREATE TABLE t (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json',
              'properties.bootstrap.servers' = '{{bootstrap}}', 'scan.startup.mode' = 'specific-offsets',
              'scan.startup.specific-offsets' = 'partition:0,offset:%d', 'scan.bounded.mode' = 'latest-offset'%s);
            SELECT id FROM t;"""
        job = self.run_sql(sql % (7, ""), "--output", "json", code=2)
        self.assertRegex(job.stderr(), fixture.position(topic, 0, 7))
        self.assertEqual(self.select(sql % (2, "")), [])
        rows = self.select(sql % (7, ", 'properties.auto.offset.reset' = 'earliest'"))
        self.assertEqual(fixture.columns(rows, "id"), [(1,), (2,)])


if __name__ == "__main__":
    fixture.main()
