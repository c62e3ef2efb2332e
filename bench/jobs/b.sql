-- JSON to JSON, every column.
CREATE TEMPORARY TABLE sink_t (
  user_id STRING, page_id STRING, viewtime TIMESTAMP(3), user_region STRING
) WITH (
  'connector' = 'kafka', 'topic' = '${OUT}', 'properties.bootstrap.servers' = '${BOOTSTRAP}', 'format' = 'json'
);
INSERT INTO sink_t SELECT * FROM pageviews;
