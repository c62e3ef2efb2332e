-- Views and distinct users of each region, folded, with a checkpoint each second: the job of examples/pageviews.
SET 'execution.checkpointing.interval' = '1 s';
CREATE TEMPORARY TABLE pageviews_per_region (
  user_region STRING, pv BIGINT, uv BIGINT, PRIMARY KEY (user_region) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'topic' = '${OUT}', 'properties.bootstrap.servers' = '${BOOTSTRAP}',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO pageviews_per_region
SELECT user_region, COUNT(*), COUNT(DISTINCT user_id) FROM pageviews GROUP BY user_region;
