#!/usr/bin/env python3
"""The upsert-kafka connector: keys, tombstones, and what it makes of a topic as a source."""

import fixture
from fixture import Record

SINK = """
CREATE TABLE sink ({columns}, PRIMARY KEY ({key}) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{{bootstrap}}',
  'key.format' = 'json', 'value.format' = 'json');
"""

SOURCE = """
CREATE TABLE source (k STRING, v BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{{bootstrap}}',
  'scan.bounded.mode' = 'latest-offset', 'key.format' = 'json', 'value.format' = 'json');
"""


class UpsertSourceTest(fixture.BrokerTest):
    def test_updates_and_tombstones(self):
        topic = self.topic()
        changes = [("a", 1), ("b", 2), ("a", 1), ("a", 3), ("b", None), ("gone", None), ("b", 4)]
        self.produce(topic, [Record(None if v is None else f'{{"k":"{k}","v":{v}}}', f'{{"k":"{k}"}}')
                             for k, v in changes])
        rows = self.select("SET 'table.exec.mini-batch.enabled' = 'false';"
                           + SOURCE.format(topic=topic) + "SELECT k, v FROM source;")
        self.assertEqual([(row["op"], row["k"], row["v"]) for row in rows],
                         [("+I", "a", 1), ("+I", "b", 2), ("-U", "a", 1), ("+U", "a", 3), ("-D", "b", 2),
                          ("+I", "b", 4)])

    def test_an_aggregate_over_it_counts_each_key_once(self):
        topic = self.topic(partitions=2)
        for partition in (0, 1):
            self.produce(topic, [Record(f'{{"k":"{partition}-{n % 10}","v":{n}}}', f'{{"k":"{partition}-{n % 10}"}}')
                                 for n in range(100)], partition)
        rows = self.select(SOURCE.format(topic=topic) + "SELECT COUNT(*) AS n, SUM(v) AS s FROM source;")
        self.assertEqual((rows[-1]["n"], rows[-1]["s"]), (20, 2 * sum(range(90, 100))))


class UpsertSinkTest(fixture.BrokerTest):
    def test_keys_values_and_tombstones(self):
        source, sink = self.topic("in"), self.topic("out")
        changes = [("a", 5), ("b", 20), ("a", 15), ("b", 3), ("c", 1)]
        self.produce(source, [Record(f'{{"k":"{k}","v":{v}}}', f'{{"k":"{k}"}}') for k, v in changes])
        self.run_sql("SET 'table.exec.mini-batch.enabled' = 'false';" + SOURCE.format(topic=source)
                     + SINK.format(topic=sink, columns="k STRING, v BIGINT", key="k")
                     + "INSERT INTO sink SELECT k, v FROM source WHERE v >= 10;")
        self.assertEqual(self.consume(sink), [('{"k":"b"}', '{"k":"b","v":20}'), ('{"k":"a"}', '{"k":"a","v":15}'),
                                              ('{"k":"b"}', None)])

    def test_a_key_other_than_the_querys_is_refused(self):
        source, sink = self.topic("in"), self.topic("out")
        job = self.run_sql(SOURCE.format(topic=source) + SINK.format(topic=sink, columns="k STRING, n BIGINT", key="n")
                           + "INSERT INTO sink SELECT k, COUNT(*) FROM source GROUP BY k;", code=1)
        self.assertRegex(job.stderr(), r"sink[\s\S]*\bk\b")

    def test_without_a_primary_key_it_is_refused(self):
        job = self.run_sql("""
            CREATE TABLE s (k STRING) WITH ('connector' = 'upsert-kafka', 'topic' = 't', 'key.format' = 'json',
              'properties.bootstrap.servers' = '{bootstrap}', 'value.format' = 'json');
            INSERT INTO s VALUES ('a');""", code=1)
        self.assertRegex(job.stderr(), r"(?i)primary key")

    def test_the_rows_of_one_key_are_in_one_partition(self):
        source, sink = self.topic("in", 2), self.topic("out", 4)
        for partition in (0, 1):
            self.produce(source, [Record(f'{{"k":"{n % 20}","v":{n}}}', f'{{"k":"{n % 20}"}}') for n in range(200)
                                  if n % 20 % 2 == partition], partition)
        self.run_sql("SET 'parallelism.default' = '2';" + SOURCE.format(topic=source)
                     + SINK.format(topic=sink, columns="k STRING, n BIGINT", key="k")
                     + "INSERT INTO sink SELECT k, MAX(v) FROM source GROUP BY k;")
        self.assertEqual(self.table(sink), {f'{{"k":"{n}"}}': {"k": str(n), "n": 180 + n} for n in range(20)})
        homes = {}
        for line in self.broker.command("consume", sink, "--from-beginning", "--positions", "--keys").splitlines():
            partition, _, key, _ = line.split("\t")
            homes.setdefault(key, set()).add(partition)
        self.assertEqual({key: len(partitions) for key, partitions in homes.items()}, dict.fromkeys(homes, 1))


if __name__ == "__main__":
    fixture.main()
