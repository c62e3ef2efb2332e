#!/usr/bin/env python3
"""Metadata columns of the kafka connector, read and written."""

import fixture
from fixture import Record


class MetadataTest(fixture.BrokerTest):
    def test_read(self):
        topic = self.topic(partitions=2)
        self.produce(topic, [Record('{"v":1}', timestamp=1000, headers=[("h", "x")])], partition=1)
        rows = self.select(f"""
            CREATE TABLE t (
              v BIGINT, topic STRING METADATA VIRTUAL, p BIGINT METADATA FROM 'partition' VIRTUAL,
              o BIGINT METADATA FROM 'offset' VIRTUAL, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
              kind STRING METADATA FROM 'timestamp-type' VIRTUAL, e INT METADATA FROM 'leader-epoch' VIRTUAL
            ) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{{bootstrap}}',
              'format' = 'json', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset');
            SELECT v, topic, p, o, CAST(ts AS STRING) AS ts, kind FROM t;""", "-D", "table.local-time-zone=UTC")
        self.assertEqual(fixture.columns(rows, "v", "topic", "p", "o", "ts", "kind"),
                         [(1, topic, 1, 0, "1970-01-01 00:00:01.000", "CreateTime")])

    def test_write_timestamp_and_headers(self):
        source, sink = self.topic("in"), self.topic("out")
        self.produce(source, [Record('{"v":1}', timestamp=5000, headers=[("h", "x")])])
        table = """
            CREATE TABLE {name} (v BIGINT, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
              headers MAP<STRING, BYTES> METADATA
            ) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{{bootstrap}}',
              'format' = 'json', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset');"""
        self.run_sql(table.format(name="a", topic=source) + table.format(name="b", topic=sink)
                     + "INSERT INTO b SELECT v, ts, headers FROM a;")
        text = self.broker.command("consume", sink, "--from-beginning", "--timestamps", "--headers")
        self.assertEqual(text, 'CreateTime:5000\th:x\t{"v":1}\n')

    def test_what_cannot_be_written_fails_and_is_named(self):
        topic = self.topic()
        for metadata, value, named in (
                ("ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp'", "TO_TIMESTAMP_LTZ(-5, 3)", "-5 ms"),
                ("headers MAP<STRING, BYTES> METADATA", "MAP[CAST(NULL AS STRING), CAST('x' AS BYTES)]", "'headers'")):
            with self.subTest(value=value):
                job = self.run_sql(f"""
                    CREATE TABLE s (v BIGINT, {metadata}) WITH ('connector' = 'kafka', 'topic' = '{topic}',
                      'properties.bootstrap.servers' = '{{bootstrap}}', 'format' = 'json');
                    INSERT INTO s SELECT 1, {value};""", code=2)
                self.assertIn("table 's'", job.stderr())
                self.assertIn(named, job.stderr())
        self.assertEqual(self.record_count(topic), 0)

    def test_an_unknown_key_is_refused(self):
        job = self.run_sql("""
            CREATE TABLE t (v BIGINT, x BIGINT METADATA FROM 'ofset' VIRTUAL) WITH ('connector' = 'kafka',
              'topic' = 't', 'properties.bootstrap.servers' = '{bootstrap}', 'format' = 'json');
            SELECT x FROM t;""", code=1)
        self.assertRegex(job.stderr(), r"ofset[\s\S]*\boffset\b")


if __name__ == "__main__":
    fixture.main()
