-- One region of ten, one column changed, one left out.
CREATE TEMPORARY TABLE sink_t (
  user_id STRING, page_id STRING, viewtime TIMESTAMP(3)
) WITH (
  'connector' = 'kafka', 'topic' = '${OUT}', 'properties.bootstrap.servers' = '${BOOTSTRAP}', 'format' = 'json'
);
INSERT INTO sink_t SELECT user_id, UPPER(page_id), viewtime FROM pageviews WHERE user_region = 'Region_3';
