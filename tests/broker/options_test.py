#!/usr/bin/env python3
"""Options and client properties as users paste them."""
import re
import resource

import fixture
from fixture import Record

TABLE = """
CREATE TABLE t (id BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'format' = 'json',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'{more});
SELECT id FROM t;
"""


class OptionsTest(fixture.BrokerTest):
    def test_a_misspelt_option_names_the_nearest(self):
        # Nothing listens on port 1: the mistake shows before anything is started.
        job = self.run_sql("""
            CREATE TABLE t (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'x', 'format' = 'json',
              'properties.bootstrap.servers' = '127.0.0.1:1', 'scan.startup.mod' = 'earliest-offset');
            SELECT id FROM t;""", code=1, timeout=10)
        self.assertIn("scan.startup.mod", job.stderr())
        self.assertRegex(job.stderr(), r"scan\.startup\.mode\b")

    def test_a_misspelt_job_option_names_the_nearest(self):
        job = self.run_sql("SET 'execution.checkpointing.intervall' = '1 s';", code=1, timeout=10)
        self.assertRegex(job.stderr(), r"execution\.checkpointing\.interval\b")

    def test_java_properties_run_unchanged(self):
        topic = self.topic()
        self.produce(topic, [{"id": n} for n in range(10)])
        properties = {
            "group.id": f"group-{topic}", "client.id": "orders-reader", "enable.auto.commit": "false",
            "auto.offset.reset": "earliest", "max.poll.records": "500", "fetch.min.bytes": "1",
            "fetch.max.wait.ms": "100", "max.partition.fetch.bytes": "1048576", "session.timeout.ms": "45000",
            "heartbeat.interval.ms": "3000", "request.timeout.ms": "30000", "max.poll.interval.ms": "300000",
            "isolation.level": "read_committed", "security.protocol": "PLAINTEXT",
            "key.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer",
            "value.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer",
            "partition.assignment.strategy": "org.apache.kafka.clients.consumer.RangeAssignor",
            "metadata.max.age.ms": "10000", "connections.max.idle.ms": "540000", "reconnect.backoff.max.ms": "1000",
        }
        more = "".join(f",\n  'properties.{key}' = '{value}'" for key, value in properties.items())
        rows = self.select(TABLE.format(topic=topic, more=more))
        self.assertEqual([row[0] for row in fixture.columns(rows, "id")], list(range(10)))

    def test_java_producer_properties_run_unchanged(self):
        topic = self.topic()
        properties = {
            "acks": "all", "linger.ms": "5", "batch.size": "65536", "compression.type": "lz4", "retries": "2147483647",
            "enable.idempotence": "true", "max.in.flight.requests.per.connection": "5", "buffer.memory": "33554432",
            "delivery.timeout.ms": "120000", "max.request.size": "1048576", "max.block.ms": "60000",
            "key.serializer": "org.apache.kafka.common.serialization.ByteArraySerializer",
            "value.serializer": "org.apache.kafka.common.serialization.ByteArraySerializer",
        }
        more = "".join(f",\n  'properties.{key}' = '{value}'" for key, value in properties.items())
        self.run_sql("CREATE TABLE s (id BIGINT) WITH ('connector' = 'kafka', 'format' = 'json', "
                     f"'topic' = '{topic}', 'properties.bootstrap.servers' = '{{bootstrap}}'{more});\n"
                     "INSERT INTO s VALUES (1), (2), (3);")
        self.assertEqual([value for _, value in self.consume(topic)], ['{"id":1}', '{"id":2}', '{"id":3}'])

    def test_java_producer_properties_never_fail_a_job(self):
        topic = self.topic(partitions=3)
        properties = {
            "partitioner.class": "org.apache.kafka.clients.producer.RoundRobinPartitioner", "transactional.id": "mine",
            "bootstrap.controllers": "localhost:1", "acks": "1",
            "ssl.engine.factory.class": "org.a.Mine", "sasl.login.class": "org.a.Mine",
        }
        more = "".join(f",\n  'properties.{key}' = '{value}'" for key, value in properties.items())
        job = self.run_sql("CREATE TABLE s (id BIGINT) WITH ('connector' = 'kafka', 'format' = 'json', "
                           f"'topic' = '{topic}', 'properties.bootstrap.servers' = '{{bootstrap}}'{more});\n"
                           "INSERT INTO s VALUES (1), (2), (3);")
        self.assertEqual(self.record_count(topic), 3)
        self.assertRegex(job.stderr(), "'transactional.id' has no effect: the sink names its transactions itself")
        self.assertRegex(job.stderr(), "table 's'.*with 'acks' = '1' records may be lost")

    def test_keys_can_be_ignored_by_the_partitioner(self):
        """Records of one key go to one partition, unless partitioner.ignore.keys says that keys do not matter."""
        for ignore, partitions in (("false", 1), ("true", 3)):
            topic = self.topic(f"keys-{ignore}", partitions=3)
            self.run_sql(f"""
                CREATE TABLE g (v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '40000',
                  'rows-per-second' = '1000000');
                CREATE TABLE s (k STRING, v INT) WITH ('connector' = 'kafka', 'format' = 'json', 'topic' = '{topic}',
                  'key.format' = 'json', 'key.fields' = 'k', 'properties.bootstrap.servers' = '{{bootstrap}}',
                  'properties.partitioner.ignore.keys' = '{ignore}', 'properties.batch.size' = '65536');
                INSERT INTO s SELECT 'one', v FROM g;""")
            self.assertEqual(self.record_count(topic), 40000)
            self.assertEqual(sum(end > 0 for end in self.end_offsets(topic).values()), partitions, ignore)

    def test_a_partitioner_that_ignores_keys(self):
        topic = self.topic(partitions=8)
        values = ", ".join(f"({n})" for n in range(40))
        self.run_sql(f"""
            CREATE TABLE s (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json',
              'properties.bootstrap.servers' = '{{bootstrap}}', 'key.format' = 'json', 'key.fields' = 'id',
              'properties.partitioner.class' = 'org.apache.kafka.clients.producer.UniformStickyPartitioner');
            INSERT INTO s VALUES {values};""")
        # So few stay together, as those without a key do; by their hash they are in all partitions.
        self.assertEqual(sorted(self.end_offsets(topic).values()), [0] * 7 + [40])

    def test_hosts_that_nobody_knows_are_not_waited_for(self):
        # Its first part is too long, which a resolver says without asking anybody.
        host = "x" * 64 + ".example"
        table = f"""
            CREATE TABLE t (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'x', 'format' = 'json',
              'properties.bootstrap.servers' = '{host}:9092,y{host}:9092', 'scan.startup.mode' = 'earliest-offset');"""
        for statement in ("SELECT id FROM t;", "INSERT INTO t VALUES (1);"):
            with self.subTest(statement):
                job = self.run_sql(f"{table}\n{statement}", code=2, timeout=20)
                self.assertRegex(job.stderr(), rf"no host of 'bootstrap.servers' can be found: host '{host}' has no "
                                               rf"address: [^;]*; host 'y{host}' .*\[YEOUL-4014\]")

    def test_a_job_without_descriptors_says_so(self):
        topic = self.topic()
        self.produce(topic, [{"id": n} for n in range(10)])
        sql = f"""
            CREATE TABLE s (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '{self.topic()}', 'format' = 'json',
              'properties.bootstrap.servers' = '{{bootstrap}}');
            {TABLE.format(topic=topic, more="").replace("SELECT", "INSERT INTO s SELECT")}"""
        codes = set()
        for count in range(6, 20):
            limit = lambda n=count: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))  # noqa: E731
            job = self.start(sql, preexec_fn=limit)
            codes.add(job.wait(20))
            if job.process.returncode != 0:
                self.assertRegex(job.stderr(), rf"Too many open files: this process may have {count}; raise its limit",
                                 f"{count} descriptors")
        self.assertEqual(codes, {0, 2})

    def test_tables_of_one_group_are_told_apart_by_their_prefixes(self):
        topic = self.topic()
        for prefixes, warned in ((("", ""), True), ((", 'properties.client.id.prefix' = 'a'", ""), False)):
            with self.subTest(prefixes=prefixes):
                tables = "".join(TABLE.format(topic=topic, more=f", 'properties.group.id' = 'g'{more}")
                                 .replace("TABLE t", f"TABLE {name}").replace("SELECT id FROM t;", "")
                                 for name, more in zip("ab", prefixes))
                job = self.run_sql(f"{tables} SELECT id FROM a UNION ALL SELECT id FROM b;")
                told = re.findall(r"known to their brokers by the same client ids, 'g-…'.* its own 'client.id.prefix'", job.stderr())
                self.assertEqual(len(told), warned, job.stderr())

    def test_a_sink_that_needs_checkpoints_says_that_there_are_none(self):
        job = self.start(f"""
            CREATE TABLE s (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '{self.topic()}', 'format' = 'json',
              'properties.bootstrap.servers' = '{{bootstrap}}', 'sink.delivery-guarantee' = 'at-least-once');
            CREATE TABLE n (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1');
            INSERT INTO s SELECT id FROM n;""")
        self.wait_for(job, lambda: "is to deliver at least once, but the job makes no checkpoints" in job.stderr(),
                      "the sink is warned of")
        job.interrupt()

    def test_a_buffer_that_takes_no_record_is_named(self):
        job = self.run_sql(f"""
            CREATE TABLE s (id BIGINT) WITH ('connector' = 'kafka', 'topic' = '{self.topic()}', 'format' = 'json',
              'properties.bootstrap.servers' = '{{bootstrap}}', 'properties.buffer.memory' = '0');
            INSERT INTO s VALUES (1);""", code=2)
        self.assertIn("'buffer.memory' = 0", job.stderr())

    def test_a_topic_that_does_not_exist_is_named(self):
        job = self.run_sql(TABLE.format(topic="no-such-topic", more=""), code=2)
        self.assertIn("no-such-topic", job.stderr())

    def test_a_blank_group_is_the_generated_one(self):
        topic = self.topic()
        self.produce(topic, [Record('{"id":1}', '{"id":1}')])
        for group in ("", " "):
            with self.subTest(group=group):
                more = f", 'properties.group.id' = '{group}'"
                self.assertEqual([row["id"] for row in self.select(TABLE.format(topic=topic, more=more))], [1])
                upsert = self.select(f"""
                    CREATE TABLE u (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
                      'topic' = '{topic}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'key.format' = 'json',
                      'value.format' = 'json', 'scan.bounded.mode' = 'latest-offset'{more});
                    SELECT id FROM u;""")
                self.assertEqual([row["id"] for row in upsert], [1])

    def test_values_beyond_the_clients_run_with_a_note(self):
        topic = self.topic()
        self.produce(topic, [{"id": n} for n in range(10)])
        properties = {
            "client.dns.lookup": "use_all_dns_ips", "request.timeout.ms": "600000", "send.buffer.bytes": "-1",
            "receive.buffer.bytes": "-1", "connections.max.idle.ms": "-1", "fetch.min.bytes": "0",
            "metadata.max.age.ms": "0", "max.partition.fetch.bytes": "2147483647", "linger.ms": "1000000",
            "fetch.max.bytes": "0", "reconnect.backoff.max.ms": "10",
        }
        more = "".join(f",\n  'properties.{key}' = '{value}'" for key, value in properties.items())
        job = self.run_sql(TABLE.format(topic=topic, more=more), "--output", "json")
        self.assertEqual(fixture.columns(job.rows(), "id"), [(n,) for n in range(10)])
        self.assertRegex(job.stderr(), r"'metadata.max.age.ms' = '0' is taken as 100")

    def test_a_null_of_the_raw_format_is_no_empty_value(self):
        topic = self.topic()
        self.run_sql(f"""
            CREATE TABLE sink (k STRING, v STRING) WITH ('connector' = 'kafka', 'topic' = '{topic}',
              'properties.bootstrap.servers' = '{{bootstrap}}', 'key.format' = 'raw', 'key.fields' = 'k',
              'value.format' = 'raw', 'value.fields-include' = 'EXCEPT_KEY');
            INSERT INTO sink VALUES ('a', CAST(NULL AS STRING)), (CAST(NULL AS STRING), 'b'), ('', '');""")
        self.assertEqual(self.consume(topic), [("a", None), (None, "b"), ("", "")])

    def test_mistakes_show_before_anything_is_started(self):
        # Nothing listens on port 1.
        for more in (", 'properties.acks' = '2'", ", 'properties.bootstrap.servers' = '127.0.0.1:abc'",
                     ", 'format' = 'raw'"):
            with self.subTest(more=more):
                options = {"'properties.bootstrap.servers'": "'127.0.0.1:1'", "'format'": "'json'"}
                key, value = more.removeprefix(", ").split(" = ")
                options[key] = value
                text = ", ".join(f"{k} = {v}" for k, v in options.items())
                job = self.run_sql(f"""
                    CREATE TABLE s (a BIGINT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'x', {text});
                    INSERT INTO s VALUES (1, 'x');""", code=1, timeout=20)
                self.assertIn("'s'", job.stderr())

    def test_a_pattern_without_topics_is_told_of(self):
        more = ""
        sql = TABLE.replace("'topic' = '{topic}'", "'topic-pattern' = '(?i){topic}'")
        topic = self.topic("Mixed")
        self.produce(topic, [{"id": 1}])
        self.assertEqual([row["id"] for row in self.select(sql.format(topic=topic.lower(), more=more))], [1])
        job = self.run_sql(sql.format(topic="no-such-.*", more=more), "--output", "json")
        self.assertIn("no topic matches", job.stderr())


if __name__ == "__main__":
    fixture.main()
