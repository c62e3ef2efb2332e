-- The source alone: JSON from Kafka into nothing.
CREATE TEMPORARY TABLE nothing (
  user_id STRING, page_id STRING, viewtime TIMESTAMP(3), user_region STRING
) WITH ('connector' = 'blackhole');
INSERT INTO nothing SELECT * FROM pageviews;
