#!/usr/bin/env python3
"""Records that do not decode: the job fails and says which one, or skips and counts them."""
import re

import fixture
from fixture import Record

READ = """
CREATE TABLE orders (id BIGINT, note STRING) WITH (
  'connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{{bootstrap}}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'{options});
SELECT id, note FROM orders;
"""


class BadRecordsTest(fixture.BrokerTest):
    def poisoned_topic(self, poison):
        topic = self.topic(partitions=2)
        self.produce(topic, [{"id": 1, "note": "a"}, {"id": 2, "note": "b"}], partition=0)
        self.produce(topic, [{"id": 3, "note": "c"}, poison, {"id": 4, "note": "d"}], partition=1)
        return topic

    def test_poison_record_fails_and_is_named(self):
        for poison in ("this is not JSON", '{"id": 5, "note": "cut o', "\xff"):
            with self.subTest(poison=poison):
                topic = self.poisoned_topic(poison)
                job = self.run_sql(READ.format(topic=topic, options=""), "--output", "json", code=2)
                self.assertRegex(job.stderr(), fixture.position(topic, 1, 1))

    def test_a_field_of_the_wrong_type_is_named(self):
        topic = self.poisoned_topic({"id": "many", "note": "x"})
        job = self.run_sql(READ.format(topic=topic, options=""), "--output", "json", code=2)
        self.assertRegex(job.stderr(), fixture.position(topic, 1, 1))
        self.assertIn("'id'", job.stderr())

    def test_ignored_parse_errors_are_counted(self):
        topic = self.poisoned_topic("this is not JSON")
        job = self.run_sql(READ.format(topic=topic, options=", 'json.ignore-parse-errors' = 'true'"), "--output", "json")
        self.assertEqual(fixture.columns(job.rows(), "id", "note"), [(1, "a"), (2, "b"), (3, "c"), (4, "d")])
        self.assertTrue(re.search(r"\b1\b[^\n]*skipped|skipped[^\n]*\b1\b", job.stderr()), job.tail())

    def test_a_null_value_is_skipped(self):
        topic = self.poisoned_topic(None)
        rows = self.select(READ.format(topic=topic, options=""))
        self.assertEqual([row[0] for row in fixture.columns(rows, "id")], [1, 2, 3, 4])

    def test_records_without_a_row_are_counted_by_reason(self):
        topic = self.topic()
        self.produce(topic, [{"id": 1, "note": "a"}, None, "", "[]", "bad", None, {"id": 2, "note": "b"}])
        job = self.run_sql(READ.format(topic=topic, options=", 'json.ignore-parse-errors' = 'true'"), "--output", "json")
        self.assertEqual(fixture.columns(job.rows(), "id"), [(1,), (2,)])
        self.assertRegex(job.stderr(), r"in 7 rows .*out 2 rows .*skipped 5 \(records that gave no row\)")
        self.assertRegex(job.stderr(), r"2 without a value, .*that could not be decoded")

    def test_a_bad_field_that_became_null_is_no_skipped_record(self):
        topic = self.topic()
        self.produce(topic, [{"id": "many", "note": "a"}])
        job = self.run_sql(READ.format(topic=topic, options=", 'json.ignore-parse-errors' = 'true'"), "--output", "json")
        self.assertEqual(fixture.columns(job.rows(), "id", "note"), [(None, "a")])
        self.assertRegex(job.stderr(), r"skipped 0\b")
        self.assertRegex(job.stderr(), r"\b1 fields? .*became NULL")

    def test_keys_are_looked_at_where_the_value_holds_their_columns_too(self):
        topic = self.topic()
        self.produce(topic, [Record('{"id":1,"note":"a"}', '{"id":1}'), Record('{"id":2,"note":"b"}', None),
                             Record('{"id":3,"note":"c"}', "bad")])
        keyed = ", 'key.format' = 'json', 'key.fields' = 'id'"
        job = self.run_sql(READ.format(topic=topic, options=keyed), "--output", "json", code=2)
        self.assertRegex(job.stderr(), fixture.position(topic, 0, 2))
        rows = self.select(READ.format(topic=topic, options=keyed + ", 'key.json.ignore-parse-errors' = 'true'"))
        self.assertEqual(fixture.columns(rows, "id"), [(1,), (2,)])

    def test_empty_keys_are_null_and_a_key_is_one_row(self):
        topic = self.topic()
        self.produce(topic, [Record('{"note":"a"}', ""), Record('{"note":"b"}', '{"id":2}')])
        keyed = ", 'key.format' = 'json', 'key.fields' = 'id', 'value.fields-include' = 'EXCEPT_KEY'"
        rows = self.select(READ.format(topic=topic, options=keyed))
        self.assertEqual(sorted(str(row["id"]) + row["note"] for row in rows), ["2b", "Nonea"])
        self.produce(topic, [Record('{"note":"c"}', '[{"id":3},{"id":4}]'), Record('{"note":"d"}', "[]")])
        job = self.run_sql(READ.format(topic=topic, options=keyed), "--output", "json", code=2)
        self.assertRegex(job.stderr(), fixture.position(topic, 0, 2))

    def test_a_null_in_the_key_of_an_upsert_table_is_named(self):
        topic = self.topic()
        self.produce(topic, [Record('{"id":1,"note":"a"}', '{"id":1}'), Record('{"id":2,"note":"b"}', '{"id":null}'),
                             Record('{"id":3,"note":"c"}', '{"id":3}')])
        table = """
            CREATE TABLE t (id BIGINT, note STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
              'connector' = 'upsert-kafka', 'topic' = '%s', 'properties.bootstrap.servers' = '{bootstrap}',
              'scan.bounded.mode' = 'latest-offset', 'key.format' = 'json', 'value.format' = 'json'%s);
            SELECT id, note FROM t;"""
        job = self.run_sql(table % (topic, ""), "--output", "json", code=2)
        self.assertRegex(job.stderr(), fixture.position(topic, 0, 1))
        self.assertIn("'id'", job.stderr())
        rows = self.select(table % (topic, ", 'scan.on-error' = 'skip'"))
        self.assertEqual(fixture.columns(rows, "id"), [(1,), (3,)])


if __name__ == "__main__":
    fixture.main()
