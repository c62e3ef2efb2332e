-- Page views and distinct users per region, kept up to date in a Kafka topic.
--
-- Try it:  tools/kafka start --port 9092
--          tools/kafka topic create pageviews pageviews_per_region
--          build/release/bin/yeoul run examples/pageviews/pageviews.sql
-- and in another terminal:
--          echo '{"user_id":"u1","page_id":"p1","viewtime":"2024-01-01 00:00:00","user_region":"seoul"}' |
--            tools/kafka produce pageviews
--          tools/kafka consume pageviews_per_region --from-beginning --follow --keys

SET 'pipeline.name' = 'pageviews';
SET 'execution.checkpointing.interval' = '1 s';

CREATE TABLE pageviews (
  user_id STRING,
  page_id STRING,
  viewtime TIMESTAMP(3),
  user_region STRING,
  WATERMARK FOR viewtime AS viewtime - INTERVAL '2' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'pageviews',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'properties.group.id' = 'pageviews',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
);

CREATE TABLE pageviews_per_region (
  user_region STRING,
  pv BIGINT,
  uv BIGINT,
  PRIMARY KEY (user_region) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'pageviews_per_region',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'key.format' = 'json',
  'value.format' = 'json'
);

INSERT INTO pageviews_per_region
SELECT user_region, COUNT(*), COUNT(DISTINCT user_id)
FROM pageviews
GROUP BY user_region;
