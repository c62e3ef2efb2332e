#!/usr/bin/env python3
"""Records that do not decode: the job fails and says which one, or skips and counts them."""
import re

import fixture

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


if __name__ == "__main__":
    fixture.main()
