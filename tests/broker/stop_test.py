#!/usr/bin/env python3
"""Jobs that are stopped: quickly and with exit code 0, whatever the broker does; and topics deleted under them or forbidden to them."""

import os
import signal
import socket
import time

import fixture

COPY = """
SET 'execution.checkpointing.interval' = '200 ms';
SET 'restart-strategy.type' = 'none';
CREATE TABLE source (v BIGINT) WITH (
  'connector' = 'kafka', {subscription}, 'properties.bootstrap.servers' = '{{bootstrap}}', 'format' = 'json',
  'properties.group.id' = 'group-{sink}', 'scan.startup.mode' = 'earliest-offset',
  'scan.topic-partition-discovery.interval' = '500 ms');
CREATE TABLE sink (v BIGINT) WITH (
  'connector' = 'kafka', 'topic' = '{sink}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'format' = 'json');
INSERT INTO sink SELECT v FROM source;
"""

# A stop takes 2 s at most where a commit is on its way to a broker that does not answer, and tests share the machine.
STOP_S = 8


class StopTest(fixture.BrokerTest):
    def begin(self, source, sink):
        return self.start(COPY.format(subscription=f"'topic' = '{source}'", sink=sink))

    def check_stop(self, job, number=signal.SIGTERM):
        begin = time.monotonic()
        job.process.send_signal(number)
        self.assertEqual(job.wait(), 0, job.tail())
        self.assertLess(time.monotonic() - begin, STOP_S)
        self.assertRegex(job.stderr(), "job .* CANCELED: ")

    def running_job(self):
        """A job on a broker of its own that has copied records and made checkpoints."""
        self.use_own_broker()
        self.source, self.sink = self.topic("in", 2), self.topic("out")
        self.produce(self.source, [{"v": n} for n in range(1000)])
        job = self.begin(self.source, self.sink)
        self.wait_for(job, lambda: self.record_count(self.sink) >= 1000, "the records are copied")
        self.wait_for_checkpoint(job)
        return job

    def freeze(self):
        self.broker.send_signal(signal.SIGSTOP)
        self.addCleanup(self.broker.send_signal, signal.SIGCONT)

    def test_nothing_listens_there(self):
        with socket.socket() as unused:  # bound and not listening: connections are refused
            unused.bind(("127.0.0.1", 0))
            self.bootstrap = f"127.0.0.1:{unused.getsockname()[1]}"
            for number in (signal.SIGTERM, signal.SIGINT):
                job = self.begin("absent-in", "absent-out")
                fixture.wait_until(lambda: "kafka-fetch" in threads(job), "the job tries to connect")
                self.check_stop(job, number)

    def test_a_broker_that_does_not_answer_from_the_start(self):
        self.use_own_broker()
        self.freeze()
        job = self.begin("frozen-in", "frozen-out")
        fixture.wait_until(lambda: "kafka-fetch" in threads(job), "the job tries to connect")
        self.check_stop(job)

    def test_a_broker_that_ceases_to_answer(self):
        job = self.running_job()
        self.freeze()
        # Checkpoints go on for a while: commits of offsets are on their way, and cannot arrive.
        self.wait_for_checkpoint(job, self.wait_for_checkpoint(job) + 3)
        self.check_stop(job)

    def test_a_broker_that_was_stopped(self):
        job = self.running_job()
        self.broker.kill()
        self.wait_for_checkpoint(job, self.wait_for_checkpoint(job) + 3)
        self.check_stop(job)

    def test_records_that_cannot_be_written_are_told_of(self):
        self.use_own_broker()
        job = self.start("""
            CREATE TABLE g (v BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '10');
            CREATE TABLE sink (v BIGINT) WITH ('connector' = 'kafka', 'topic' = '%s', 'format' = 'json',
              'properties.bootstrap.servers' = '{bootstrap}');
            INSERT INTO sink SELECT v FROM g;""" % (sink := self.topic("out")), "--log-level", "info")
        self.wait_for(job, lambda: self.record_count(sink) > 0, "records are written")
        self.broker.kill()
        self.wait_for(job, lambda: "records have been waiting" in job.stderr(), "a warning")
        self.assertRegex(job.stderr(), rf"topic={sink} partition=0: .* broker 1 .*: Connection refused")
        self.assertLess(job.stderr().count("Connection refused"), 20)  # not said again at every turn
        self.broker.start()
        self.wait_for(job, lambda: "wait for long any more" in job.stderr(), "its end is told")
        self.check_stop(job)

    def test_records_that_are_given_up_name_what_stood_in_the_way(self):
        self.use_own_broker()
        sink = self.topic("out")
        self.broker.stop()
        self.broker.start("--set", "advertised.listeners=PLAINTEXT://127.0.0.1:9")
        job = self.run_sql("""
            CREATE TABLE sink (v BIGINT) WITH ('connector' = 'kafka', 'topic' = '%s', 'format' = 'json',
              'properties.bootstrap.servers' = '{bootstrap}', 'properties.delivery.timeout.ms' = '12000',
              'properties.request.timeout.ms' = '5000');
            INSERT INTO sink VALUES (1);""" % sink, code=2)
        self.assertRegex(job.stderr(), r"'delivery.timeout.ms' = 12000; last: .*\(127\.0\.0\.1:9\): Connection refused; "
                                       r"can the address in its 'advertised.listeners' be reached")
        self.assertIn("records have been waiting", job.stderr())
        self.assertNotIn("wait for long any more", job.stderr())

    def test_an_address_that_a_broker_wrongly_advertises_is_told_of(self):
        self.use_own_broker()
        source, sink = self.topic("in"), self.topic("out")
        self.broker.stop()
        self.broker.start("--set", "advertised.listeners=PLAINTEXT://127.0.0.1:9")
        job = self.begin(source, sink)
        self.wait_for(job, lambda: "advertised.listeners" in job.stderr(), "a warning")
        self.assertRegex(job.stderr(), r"broker 1 \(127\.0\.0\.1:9\): Connection refused; can the address")
        self.check_stop(job)

    def test_while_a_restart_is_waited_for(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            self.bootstrap = f"127.0.0.1:{unused.getsockname()[1]}"
            sql = COPY.format(subscription="'topic' = 'absent'", sink="out").replace(
                "'format' = 'json'", "'format' = 'json', 'properties.default.api.timeout.ms' = '500'", 1)
            job = self.start("SET 'restart-strategy.fixed-delay.delay' = '60 s';" +
                             sql.replace("'restart-strategy.type' = 'none'", "'restart-strategy.type' = 'fixed-delay'"))
            self.wait_for(job, lambda: "restarts in 60000 ms" in job.stderr(), "the job waits to restart")
            self.check_stop(job)


class DeletedTopicTest(fixture.BrokerTest):
    def begin(self, subscription, *arguments):
        job = self.start(COPY.format(subscription=subscription, sink=self.sink), *arguments)
        self.wait_for(job, lambda: self.record_count(self.sink) >= 10, "the records are copied")
        self.wait_for_checkpoint(job, self.wait_for_checkpoint(job) + 1)  # one that began after that
        return job

    def delete(self, topic):
        with self.broker.client() as client:
            client.delete_topics([topic])

    def test_a_job_whose_topic_is_deleted_fails_and_says_so(self):
        self.source, self.sink = self.topic("in"), self.topic("out")
        self.produce(self.source, [{"v": n} for n in range(10)])
        job = self.begin(f"'topic' = '{self.source}'")
        self.delete(self.source)
        self.assertEqual(job.wait(), 2, job.tail())
        self.assertRegex(job.stderr(), fixture.position(self.source, 0, 10))
        self.assertIn("was the topic deleted?", job.stderr())

    def test_it_stops_at_once_before_it_has_failed(self):
        self.source, self.sink = self.topic("in", 2), self.topic("out")
        self.produce(self.source, [{"v": n} for n in range(10)])
        job = self.begin(f"'topic' = '{self.source}'")
        self.delete(self.source)
        self.wait_for(job, lambda: "offsets were not committed" in job.stderr(), "a commit has failed")
        begin = time.monotonic()
        self.assertEqual(job.interrupt(), 0, job.tail())
        self.assertLess(time.monotonic() - begin, STOP_S)

    def recreate(self, options="", records=5):
        """A job that has read a topic to offset 10, which is then deleted and created again with other records."""
        self.source, self.sink = self.topic("in"), self.topic("out")
        self.produce(self.source, [{"v": n} for n in range(10)])
        job = self.begin(f"'topic' = '{self.source}'{options}")
        with self.broker.client() as client:
            client.delete_topics([self.source])
            wait_for_creation(client, self.source)
        self.produce(self.source, [{"v": n} for n in range(100, 100 + records)])
        return job

    def test_a_topic_created_again_is_not_taken_for_the_old_one(self):
        job = self.recreate()
        self.assertEqual(job.wait(), 2, job.tail())
        self.assertRegex(job.stderr(), fixture.position(self.source, 0, 10) + " does not exist")
        self.assertIn("the topic was deleted and created again", job.stderr())

    def test_not_even_when_it_holds_more_than_the_old_one(self):
        job = self.recreate(records=25)
        self.assertEqual(job.wait(), 2, job.tail())
        self.assertRegex(job.stderr(), fixture.position(self.source, 0, 10) + " does not exist")
        self.assertIn("the topic was deleted and created again", job.stderr())
        self.assertEqual(self.record_count(self.sink), 10)

    def test_nor_by_a_restored_job(self):
        self.source, self.sink = self.topic("in"), self.topic("out")
        self.produce(self.source, [{"v": n} for n in range(10)])
        job = self.begin(f"'topic' = '{self.source}'")
        self.assertEqual(job.interrupt(), 0, job.tail())
        with self.broker.client() as client:
            client.delete_topics([self.source])
            wait_for_creation(client, self.source)
        self.produce(self.source, [{"v": n} for n in range(100, 125)])
        sql = COPY.format(subscription=f"'topic' = '{self.source}'", sink=self.sink)
        again = self.start(sql, "--restore", "latest")
        self.assertEqual(again.wait(), 2, again.tail())
        self.assertRegex(again.stderr(), fixture.position(self.source, 0, 10) + " does not exist")
        self.assertEqual(self.record_count(self.sink), 10)

    def test_unless_the_table_says_where_to_go_on(self):
        job = self.recreate(", 'properties.auto.offset.reset' = 'earliest'")
        self.wait_for(job, lambda: self.record_count(self.sink) == 15, "the new records are copied")
        self.assertEqual(job.interrupt(), 0, job.tail())

    def test_of_a_pattern_the_other_topics_go_on(self):
        self.sink = self.topic("out")
        first, second = self.topic("first"), self.topic("second")
        for topic in (first, second):
            self.produce(topic, [{"v": n} for n in range(5)])
        job = self.begin(f"'topic-pattern' = '{first}|{second}'")
        self.delete(first)
        self.wait_for(job, lambda: f"topic={first} partition=0 offset=5 does not exist any more" in job.stderr(),
                      "the loss is told")
        self.produce(second, [{"v": 5}])
        self.wait_for(job, lambda: self.record_count(self.sink) == 11, "the other topic is still read")
        self.assertEqual(job.interrupt(), 0, job.tail())

    def recreate_of_pattern(self, options=""):
        """A job of a pattern with one topic, which is deleted, missed, and created again with other records."""
        self.source, self.sink = self.topic("in"), self.topic("out")
        self.produce(self.source, [{"v": n} for n in range(10)])
        job = self.begin(f"'topic-pattern' = '{self.source}.*'{options}")
        self.delete(self.source)
        self.wait_for(job, lambda: "does not exist any more" in job.stderr(), "the loss is told")
        with self.broker.client() as client:
            wait_for_creation(client, self.source)
        self.produce(self.source, [{"v": n} for n in range(100, 125)])
        return job

    def test_of_a_pattern_too_a_topic_created_again_is_not_passed_over(self):
        job = self.recreate_of_pattern()
        self.assertEqual(job.wait(), 2, job.tail())
        self.assertRegex(job.stderr(), fixture.position(self.source, 0, 10) + " does not exist: the topic was deleted and "
                         "created again")
        self.assertEqual(self.record_count(self.sink), 10)

    def test_of_a_pattern_too_the_table_says_where_to_go_on(self):
        job = self.recreate_of_pattern(", 'properties.auto.offset.reset' = 'earliest'")
        self.wait_for(job, lambda: self.record_count(self.sink) == 35, "all new records are copied")
        self.assertEqual(job.interrupt(), 0, job.tail())


class ForbiddenTopicTest(fixture.BrokerTest):
    LOGIN = ("'properties.security.protocol' = 'SASL_PLAINTEXT', 'properties.sasl.mechanism' = 'PLAIN', "
             "'properties.sasl.jaas.config' = 'org.apache.kafka.common.security.plain.PlainLoginModule required "
             "username=\"alice\" password=\"chang-eit\";'")

    def allow(self, how, operations, *resource):
        self.broker.command("tool", "org.apache.kafka.tools.AclCommand", "--bootstrap-server", self.bootstrap, how,
                            "--force", "--allow-principal", "User:alice",
                            *(f"--operation={operation}" for operation in operations), *resource)

    def test_a_restored_job_that_may_not_describe_its_topic_any_more_says_so(self):
        self.broker = fixture.Broker().start(
            "--listener=LOGIN=SASL_PLAINTEXT",
            *(f"--set={setting}" for setting in (
                "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "super.users=User:ANONYMOUS", "listener.name.login.sasl.enabled.mechanisms=PLAIN",
                "listener.name.login.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule "
                'required user_alice="chang-eit";')))
        self.addCleanup(self.broker.stop)
        self.bootstrap = self.broker.bootstrap
        source, sink = self.topic("in"), self.topic("out")
        self.produce(source, [{"v": 1}])
        self.allow("--add", ["Read", "Describe"], "--topic", source)
        self.allow("--add", ["Read"], "--group", f"group-{sink}")
        sql = COPY.format(subscription=f"'topic' = '{source}'", sink=sink).replace("{bootstrap}", self.broker.listeners[
            "LOGIN"] + f"', {self.LOGIN}, 'properties.client.id' = 'alice", 1)
        job = self.start(sql)
        self.wait_for(job, lambda: self.record_count(sink) == 1, "the record is copied")
        self.wait_for_checkpoint(job, self.wait_for_checkpoint(job) + 1)
        job.kill()
        self.allow("--remove", ["Read", "Describe"], "--topic", source)
        job = self.start(sql, "--restore", "latest")
        self.assertEqual(job.wait(), 2, job.tail())
        self.assertRegex(job.stderr(), fixture.position(source, 0, 1) + ": .*TOPIC_AUTHORIZATION_FAILED.* Describe")


def wait_for_creation(client, topic):
    """Creates a topic that is being deleted, as soon as the broker takes the name again."""

    def create():
        try:
            client.create_topics([topic])
        except fixture.KafkaError:
            return False
        return True

    fixture.wait_until(create, "the topic can be created again")


def threads(job):
    """The names of a job's threads."""
    names = []
    for task in os.listdir(f"/proc/{job.process.pid}/task"):
        try:
            names.append(open(f"/proc/{job.process.pid}/task/{task}/comm").read())
        except FileNotFoundError:
            pass  # it has just ended
    return "".join(names)


if __name__ == "__main__":
    fixture.main()
