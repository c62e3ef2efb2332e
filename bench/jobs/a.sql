-- Views and distinct users of each region, one update for each record: Flink's changelog.
SET 'table.exec.mini-batch.enabled' = 'false';
CREATE TEMPORARY TABLE pageviews_per_region (
  user_region STRING, pv BIGINT, uv BIGINT, PRIMARY KEY (user_region) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'topic' = '${OUT}', 'properties.bootstrap.servers' = '${BOOTSTRAP}',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO pageviews_per_region
SELECT user_region, COUNT(*), COUNT(DISTINCT user_id) FROM pageviews GROUP BY user_region;
